"""What a class was split into, in words."""

from __future__ import annotations

import numpy as np

from bayfold.families.decomposition.subclasses import Subclasses
from bayfold.families.mixtures.components import describe_components
from bayfold.families.mixtures.model import count_memberships, derive_mixture
from bayfold.families.mixtures.rows import MixtureRows

TELLING_COLUMNS = 3
"""Columns that tell a subclass from the others, the strongest first."""

LEAST_WEIGHT = 0.01
"""Columns with less of the divergence are not named."""


def describe_subclasses(
    coded: MixtureRows, weights: np.ndarray, subclasses: Subclasses
) -> np.ndarray:
    """What is typical for each subclass against its class: the columns that tell it apart best."""
    texts = np.full(len(subclasses.class_of), "", object)
    for group in np.unique(subclasses.class_of):
        of_class = np.flatnonzero(subclasses.class_of == group)
        if len(of_class) < 2:
            continue
        members = np.flatnonzero(subclasses.class_of[subclasses.of_row] == group)
        distinct, inverse = np.unique(coded.inverse[members], return_inverse=True)
        shares = np.zeros((len(distinct), len(of_class)))
        np.add.at(shares, (inverse, subclasses.of_row[members] - of_class[0]), weights[members])
        part = coded.subset(distinct, shares.sum(axis=1))
        counts = count_memberships(part, shares)
        records = describe_components(derive_mixture(part, counts), counts)
        for k, subclass in enumerate(of_class):
            texts[subclass] = _in_words(records.where(component=k).to_dict())
    return texts


def _in_words(records: dict[str, list]) -> str:
    lines = zip(records["column"], records["typical"], records["weight"], strict=True)
    telling = [f"{column}: {typical}" for column, typical, weight in lines if weight > LEAST_WEIGHT]
    return "; ".join(telling[:TELLING_COLUMNS])
