"""Boosting of rows that stay where they are."""
