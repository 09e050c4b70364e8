"""Clusters of rows, and what they are made of."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.console import Console

from bayfold import NaiveBayesMixture, errors
from bayfold.cli.command import blame_parameters, say

READABLE = 8
"""Clusters that people keep apart by name; beyond that a number is worth giving."""


def find_clusters(X: Any, weight: np.ndarray | None, number: int, seed: int) -> NaiveBayesMixture:
    """A mixture with so many components; 0: with as many as held-out rows find best."""
    mixture = NaiveBayesMixture(number or "cv", random_state=seed, progress=True)
    with blame_parameters(mixture):
        return mixture.fit(X, sample_weight=weight)


def report_clusters(mixture: NaiveBayesMixture, X: Any, source: str, path: str) -> None:
    """Write a page on what makes each cluster."""
    import bayfold.report  # jinja2: only for pages

    bayfold.report.write(mixture, X, None, path, source=source)


def describe_clusters(mixture: NaiveBayesMixture, X: Any) -> None:
    """Say on standard error how many rows each cluster has."""
    counts = np.bincount(mixture.predict(X), minlength=mixture.n_components_)
    sizes = ", ".join(f"{k}: {count:,}" for k, count in enumerate(counts))
    console = Console(stderr=True, markup=False, highlight=False)
    number = f"{len(counts)} cluster{'s' if len(counts) != 1 else ''}"
    console.print(f"{number}; rows of each: {sizes}.")
    if mixture.n_components == "cv" and len(counts) > READABLE:
        say(errors.many_clusters(len(counts), READABLE))
