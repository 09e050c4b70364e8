"""Linear models that half of the boosted models begin with."""
