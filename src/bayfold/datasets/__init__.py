"""Readers of datasets and generators of tables with a known model."""
