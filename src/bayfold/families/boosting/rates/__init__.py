"""Counts, rates and amounts: tables on a log scale, which multiply."""
