"""Naive Bayes for the raw table."""
