"""One change that a person made to a fitted model: what was asked for, by whom, why, and what it changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

UNDO = "undo"
"""The action that takes another one back; its only value is the number of that one."""


@dataclass(frozen=True, eq=False)
class Edit:
    """One change of a model.

    Attributes
    ----------
    action : str
        The name of the method that was called.
    columns : tuple of int
        The column, both columns of a pair, or none.
    bins : tuple of str
        Labels of the bins that were asked for.
    values : tuple of float
        What the action needs: weights, limits, a number of times, or the step of the intercept.
    reason, author, when : str
        As given; the time is the moment of the call, in UTC.
    places, labels : tuple of str
        Column and bin of everything that changed.
    before, after : ndarray of shape (n_changed, n_shown)
        Weights of evidence by shown class; of a number the shift, in units of the target.
    """

    action: str
    columns: tuple[int, ...]
    bins: tuple[str, ...]
    values: tuple[float, ...]
    reason: str
    author: str
    when: str
    places: tuple[str, ...]
    labels: tuple[str, ...]
    before: np.ndarray
    after: np.ndarray


def find_active(edits: Sequence[Edit]) -> list[bool]:
    """Whether each edit counts: an edit is taken back by an undo that counts itself."""
    active = [True] * len(edits)
    for k in reversed(range(len(edits))):
        if edits[k].action == UNDO and active[k]:
            active[int(edits[k].values[0]) - 1] = False
    return active
