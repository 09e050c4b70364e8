"""What the cells of a two-column table stand for, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from bayfold.core.densities import PairTerm
from bayfold.core.evidence.bins import name_numbers
from bayfold.core.kernels.codes import FIRST_BIN, MISSING, UNSEEN
from bayfold.core.schema import ColumnSchema, NominalColumn, NumericColumn, Schema

NOTHING = "(unseen)"
SHOWN_CATEGORIES = 3
"""Of a merged bin; the others are counted."""


def name_pairs(pairs: Sequence[PairTerm], schema: Schema) -> list[str]:
    """The names of both columns of each pair; with their positions where a column or another pair has that name.

    Of a column "a", one "b" and one "a x b", the pair is "a x b (columns 0 and 1)".
    """
    plain = [" x ".join(schema.names[j] for j in pair.columns) for pair in pairs]
    taken, others = set(schema.names), Counter(plain)
    names = []
    for pair, name in zip(pairs, plain, strict=True):
        if name in taken or others[name] > 1:
            name += " (columns {} and {})".format(*pair.columns)
        while name in taken:
            name = f"({name})"
        names.append(name)
    return names


def label_sides(pair: PairTerm, schema: Schema) -> tuple[list[str], list[str]]:
    """A label for each coarse bin of each of the two columns."""
    a, b = (
        _label_bins(schema.columns[j], merge)
        for j, merge in zip(pair.columns, pair.merges, strict=True)
    )
    return a, b


def _label_bins(column_schema: ColumnSchema, merge: np.ndarray) -> list[str]:
    labels = [NOTHING]
    n_known = len(np.unique(merge[FIRST_BIN:]))
    for k in range(1, int(merge.max(initial=0)) + 1):
        codes = np.flatnonzero(merge == k)
        bins = codes[codes > UNSEEN] - FIRST_BIN
        if len(bins) == 0:
            labels.append("(missing)")
            continue
        if isinstance(column_schema, NominalColumn):
            text = _label_categories(column_schema, bins)
        elif isinstance(column_schema, NumericColumn):
            text = _label_numbers(column_schema, bins, alone=n_known == 1)
        else:
            text = "any text"
        labels.append(text + (" or missing" if codes[0] == MISSING else ""))
    return labels


def _label_numbers(column_schema: NumericColumn, bins: np.ndarray, alone: bool) -> str:
    lower, upper = column_schema.bin_bounds()
    if alone:
        return "any number"
    return name_numbers(column_schema, lower[bins[0]], upper[bins[-1]])


def _label_categories(column_schema: NominalColumn, bins: np.ndarray) -> str:
    names = [*column_schema.categories, *(["(other)"] if column_schema.has_other else [])]
    if len(bins) <= SHOWN_CATEGORIES:
        return " or ".join(names[k] for k in bins)
    others = [name for k, name in enumerate(names) if k not in set(bins.tolist())]
    if len(others) <= SHOWN_CATEGORIES:
        return "not " + " or ".join(others) if others else "any category"
    return f"{names[bins[0]]} or {len(bins) - 1} others"
