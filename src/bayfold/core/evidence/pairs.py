"""What the cells of a two-column table stand for, in words."""

from __future__ import annotations

import numpy as np

from bayfold.core.densities import PairTerm
from bayfold.core.evidence.bins import interval_label
from bayfold.core.kernels.codes import FIRST_BIN, MISSING, UNSEEN
from bayfold.core.schema import ColumnSchema, NominalColumn, NumericColumn, Schema

NOTHING = "(unseen)"
SHOWN_CATEGORIES = 3
"""Of a merged bin; the others are counted."""


def name_pair(pair: PairTerm, schema: Schema) -> str:
    """The names of both columns.

    A column of that name in the table itself would be no mistake: its records are those without `` x ``.
    """
    a, b = (schema.names[j] for j in pair.columns)
    return f"{a} x {b}"


def label_sides(pair: PairTerm, schema: Schema) -> tuple[list[str], list[str]]:
    """A label for each coarse bin of each of the two columns."""
    a, b = (
        _label_bins(schema.columns[j], merge)
        for j, merge in zip(pair.columns, pair.merges, strict=True)
    )
    return a, b


def _label_bins(described: ColumnSchema, merge: np.ndarray) -> list[str]:
    labels = [NOTHING]
    n_known = len(np.unique(merge[FIRST_BIN:]))
    for k in range(1, int(merge.max(initial=0)) + 1):
        codes = np.flatnonzero(merge == k)
        bins = codes[codes > UNSEEN] - FIRST_BIN
        if len(bins) == 0:
            labels.append("(missing)")
            continue
        if isinstance(described, NominalColumn):
            text = _label_categories(described, bins)
        else:
            text = _label_numbers(described, bins, alone=n_known == 1)
        labels.append(text + (" or missing" if codes[0] == MISSING else ""))
    return labels


def _label_numbers(described: NumericColumn, bins: np.ndarray, alone: bool) -> str:
    lower, upper = described.bin_bounds()
    if alone:
        return "any number"
    return interval_label(lower[bins[0]], upper[bins[-1]], described.is_time)


def _label_categories(described: NominalColumn, bins: np.ndarray) -> str:
    names = [*described.categories, *(["(other)"] if described.has_other else [])]
    if len(bins) <= SHOWN_CATEGORIES:
        return " or ".join(names[k] for k in bins)
    others = [name for k, name in enumerate(names) if k not in set(bins.tolist())]
    if len(others) <= SHOWN_CATEGORIES:
        return "not " + " or ".join(others) if others else "any category"
    return f"{names[bins[0]]} or {len(bins) - 1} others"
