"""Readers of datasets and generators of tables with a known model."""

from bayfold.datasets.claims import ClaimsTable, make_claims
from bayfold.datasets.credit import CreditTable, make_credit
from bayfold.datasets.dataset import Dataset
from bayfold.datasets.load import list_datasets, load_dataset, read_arff
from bayfold.datasets.spiral import Spiral, make_spiral

__all__ = [
    "ClaimsTable",
    "CreditTable",
    "Dataset",
    "Spiral",
    "list_datasets",
    "load_dataset",
    "make_claims",
    "make_credit",
    "make_spiral",
    "read_arff",
]
