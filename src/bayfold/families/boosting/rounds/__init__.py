"""Rounds of trees on distinct coded rows: what they are given, how they are grown, when they stop."""
