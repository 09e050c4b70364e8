"""Learning from sources, and predicting for them: rows are read a chunk at a time and let go."""
