"""Boosting of a numeric target: location, spread, and what can be asked of them."""
