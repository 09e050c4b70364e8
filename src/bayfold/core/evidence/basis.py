"""What the weight of a cell rests on, in words."""

from __future__ import annotations

from functools import singledispatch

import numpy as np

from bayfold.core.densities import QuadraticTerm, Term
from bayfold.core.evidence.bins import describe_bins, format_normal
from bayfold.core.kernels.codes import MISSING, UNSEEN
from bayfold.core.schema import ColumnSchema, NumericColumn


@singledispatch
def describe_basis(
    term: Term,
    column_schema: ColumnSchema,
    counts: np.ndarray,
    codes: np.ndarray,
    groups: np.ndarray,
) -> np.ndarray:
    """The bin of each cell.

    Parameters
    ----------
    term : Term
        As it was estimated, before any calibration.
    column_schema : ColumnSchema
    counts : ndarray of shape (n_codes, n_groups)
    codes : ndarray of shape (n_rows,)
    groups : ndarray
        Labels of the groups.

    Returns
    -------
    words : ndarray of shape (n_rows, n_groups), or (n_rows, 1) where all weights of a cell rest on the same
    """
    bins = describe_bins(column_schema, term, counts)
    by_code = np.array(bins.labels, object)[bins.of_code]
    by_code[UNSEEN] = "(unseen)"
    return by_code[codes][:, None]


@describe_basis.register
def _describe_normal(
    term: QuadraticTerm,
    column_schema: NumericColumn,
    counts: np.ndarray,
    codes: np.ndarray,
    groups: np.ndarray,
) -> np.ndarray:
    """Mean and standard deviation of each group, which the number is compared with; of two groups both."""
    if not term.inverse_sd.all():  # the column holds a single value
        words = ["any"]
    else:
        pairs = zip(term.mean, 1.0 / term.inverse_sd, strict=True)
        words = [format_normal(mean, sd, column_schema.zone) for mean, sd in pairs]
        if len(words) == 2:
            words = [", ".join(f"{g}: {text}" for g, text in zip(groups, words, strict=True))]
    return np.where((codes == MISSING)[:, None], "(missing)", np.array(words, object))
