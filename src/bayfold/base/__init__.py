"""What every estimator shares: reading and checking X, y and weights, learning in parts, answers, progress."""
