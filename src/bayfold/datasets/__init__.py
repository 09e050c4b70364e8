"""Readers of datasets and generators of tables with a known model."""

from bayfold.datasets.arff import read_arff
