"""Recursive binary splits by class entropy, accepted by minimum description length."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel


@kernel
def find_mdl_cuts(counts, is_cut):
    """Set ``is_cut[k]`` where a bin of the MDL discretization begins at fine bin ``k``.

    ``counts`` has the shape (bins, groups). A range of bins is cut where the entropy of the groups within the
    two parts is least, and the cut is kept if it saves more than it costs to state (Fayyad & Irani
    1993); then both parts are tried. Weights count as rows.
    """
    n_bins, n_groups = counts.shape
    cumulated = np.zeros((n_bins + 1, n_groups))
    for k in range(n_bins):
        for g in range(n_groups):
            cumulated[k + 1, g] = cumulated[k, g] + counts[k, g]
    pending = np.empty((n_bins + 1, 2), np.int64)
    pending[0] = 0, n_bins
    n_pending = 1
    while n_pending > 0:
        n_pending -= 1
        start, stop = pending[n_pending]
        cut = find_best_cut(cumulated, start, stop)
        if cut > 0 and is_worth_stating(cumulated, start, cut, stop):
            is_cut[cut] = True
            pending[n_pending] = start, cut
            pending[n_pending + 1] = cut, stop
            n_pending += 2


@kernel
def find_best_cut(cumulated, start, stop):
    """The position with the least entropy within the parts; 0 if there is nothing to cut."""
    best, least = 0, np.inf
    for cut in range(start + 1, stop):
        left, _ = describe_part(cumulated, start, cut)
        right, _ = describe_part(cumulated, cut, stop)
        is_last_of_a_tie = (
            weight_of(cumulated, cut - 1, cut) > 0
        )  # behind rows, not behind an empty bin
        if left + right < least and is_last_of_a_tie and weight_of(cumulated, cut, stop) > 0:
            best, least = cut, left + right
    return best


@kernel
def is_worth_stating(cumulated, start, cut, stop):
    """Whether the gain in bits exceeds the bits that describe the cut."""
    n = weight_of(cumulated, start, stop)
    if n <= 1.0:
        return False
    whole, k = describe_part(cumulated, start, stop)
    left, k_left = describe_part(cumulated, start, cut)
    right, k_right = describe_part(cumulated, cut, stop)
    mean_left = left / weight_of(cumulated, start, cut)
    mean_right = right / weight_of(cumulated, cut, stop)
    # log2(3^k - 2) without overflow for many groups
    choices = k * np.log2(3.0) + np.log1p(-2.0 * 3.0 ** (-np.float64(k))) / np.log(2.0)
    saved = k * whole / n - k_left * mean_left - k_right * mean_right
    return whole - left - right > np.log2(n - 1.0) + choices - saved


@kernel
def describe_part(cumulated, start, stop):
    """Weight times entropy in bits of the groups in a part, and how many groups occur in it."""
    total, bits, n_present = 0.0, 0.0, 0
    for g in range(cumulated.shape[1]):
        weight = cumulated[stop, g] - cumulated[start, g]
        if weight > 0.0:
            total += weight
            bits -= weight * np.log2(weight)
            n_present += 1
    return bits + total * np.log2(total) if total > 0.0 else 0.0, n_present


@kernel
def weight_of(cumulated, start, stop):
    """The weight of a part."""
    total = 0.0
    for g in range(cumulated.shape[1]):
        total += cumulated[stop, g] - cumulated[start, g]
    return total
