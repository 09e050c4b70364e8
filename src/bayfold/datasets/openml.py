"""Turn what scikit-learn downloads from OpenML into a Dataset."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayfold import errors
from bayfold.core.frames.output import Categories
from bayfold.datasets.dataset import Dataset, make_dataset


def download_dataset(name: str) -> Dataset:
    """Download version 1 of a dataset from OpenML, or take it from scikit-learn's cache."""
    bunch = _fetch(name)
    target_name = bunch.details.get("default_target_attribute")
    if target_name not in bunch.feature_names:
        raise errors.openml_target(name, target_name)
    columns = {
        column: _make_column(bunch.data[:, position], bunch.categories.get(column))
        for position, column in enumerate(bunch.feature_names)
    }
    return make_dataset(name, columns, target_name)


def _fetch(name: str) -> Any:
    from sklearn.datasets import fetch_openml  # slow to import; only without a folder of data

    try:
        bunch = fetch_openml(
            name,
            version=1,
            # The target is taken as one more column: scikit-learn's own split forgets classes no
            # row has and cannot decode a missing class.
            target_column=None,
            # Neither of these two needs pandas.
            as_frame=False,
            parser="liac-arff",
        )
    except (ValueError, OSError) as reason:  # no such name, or no network
        raise errors.openml_failed(name, reason) from reason
    if not isinstance(bunch.data, np.ndarray):
        raise errors.openml_sparse(name)
    return bunch


def _make_column(values: np.ndarray, labels: list[str] | None) -> np.ndarray | Categories:
    """Decode a column: nominal ones arrive as the positions of their labels, NaN for missing."""
    if labels is None:
        return values.astype(np.float64)
    return Categories(np.where(np.isnan(values), -1, values).astype(np.int32), labels)
