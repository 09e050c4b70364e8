"""Bins that tell the groups apart, as many as the data pay for (Fayyad & Irani 1993)."""

from __future__ import annotations

import numpy as np

from bayfold.core import kernels


def merge_mdl(counts: np.ndarray) -> np.ndarray:
    """Merge fine bins by the minimum description length principle.

    Parameters
    ----------
    counts : ndarray of shape (n_fine_bins, n_groups)

    Returns
    -------
    merge : ndarray of int
        All zero where no cut is worth its description: the column gives no evidence.

    Notes
    -----
    Exact while every value has a fine bin of its own; otherwise cuts are sought among the (at most 253) fine edges.

    References
    ----------
    U. Fayyad, K. Irani (1993). Multi-interval discretization of continuous-valued attributes for
    classification learning. IJCAI, 1022-1027.

    Examples
    --------
    >>> merge_mdl(np.array([[9.0, 0.0], [9.0, 0.0], [0.0, 9.0], [0.0, 9.0]]))
    array([0, 0, 1, 1])
    """
    is_cut = np.zeros(len(counts), np.bool_)
    kernels.find_mdl_cuts(np.ascontiguousarray(counts, np.float64), is_cut)
    return np.cumsum(is_cut)
