"""The parameters of NaiveBayesMixture, checked and made ready for EM."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from bayfold import errors
from bayfold.base.columns import find_column, is_whole_number, resolve_n_bins
from bayfold.core.densities import Smoothing, is_plain_number
from bayfold.core.schema import Schema
from bayfold.core.scoring.derive import Settings
from bayfold.families.mixtures.em import EMSettings
from bayfold.families.mixtures.rows import MixtureRows
from bayfold.families.mixtures.search import numbers_to_try

MIXTURE_METHODS = ("auto", "gaussian", "equal_frequency", "equal_width")
MOST_COMPONENTS = 50
"""Where the search for the number of components ends at the latest."""

START = (
    '"seeds", or for a given number of components an array with one row of shares per row of `X`'
)


def resolve_mixture_methods(numeric: Any, names: list[str]) -> dict[int, str]:
    """The density of every column: one for all, or a dict by column; ``"auto"`` for the rest."""
    given = numeric if isinstance(numeric, Mapping) else dict.fromkeys(range(len(names)), numeric)
    methods = dict.fromkeys(range(len(names)), MIXTURE_METHODS[0])
    for column, method in given.items():
        if not isinstance(method, str) or method not in MIXTURE_METHODS:
            known = ", ".join(map(repr, MIXTURE_METHODS))
            condition = f"one of {known}, or a dict from columns to these"
            raise errors.bad_parameter("numeric", condition, method)
        methods[find_column("numeric", column, names)] = method
    return methods


def resolve_settings(mixture: Any, schema: Schema) -> Settings:
    """How terms are derived from statistics."""
    if not (is_plain_number(mixture.m) and 0 < mixture.m < np.inf):
        raise errors.bad_parameter("m", "a number above zero", mixture.m)
    floor = mixture.variance_floor
    if not (is_plain_number(floor) and 0 <= floor < np.inf):
        raise errors.bad_parameter("variance_floor", "a number that is not negative", floor)
    return Settings(
        methods=resolve_mixture_methods(mixture.numeric, schema.names),
        n_bins=resolve_n_bins(mixture.n_bins, schema.names),
        smoothing=Smoothing.parse(mixture.smoothing, mixture.m),
        variance_floor=float(floor),
    )


def resolve_em(mixture: Any) -> EMSettings:
    """How EM is run; the number of folds is checked with it."""
    for name, least in (("n_init", 1), ("max_iter", 1), ("n_folds", 2)):
        value = getattr(mixture, name)
        if not is_whole_number(value) or value < least:
            raise errors.bad_parameter(name, f"a whole number from {least}", value)
    if not (is_plain_number(mixture.tol) and 0 <= mixture.tol < np.inf):
        raise errors.bad_parameter("tol", "a number that is not negative", mixture.tol)
    return EMSettings(int(mixture.n_init), int(mixture.max_iter), float(mixture.tol))


def resolve_numbers(n_components: Any, n_rows: int) -> list[int]:
    """The numbers of components to try, in increasing order."""
    if isinstance(n_components, str) and n_components == "cv":
        return numbers_to_try(max(min(MOST_COMPONENTS, n_rows // 2), 1))
    several = isinstance(n_components, Iterable) and not isinstance(n_components, str)
    numbers = list(n_components) if several else [n_components]
    valid = all(is_whole_number(number) and number >= 1 for number in numbers)
    if not numbers or not valid:
        condition = '"cv", a whole number from 1, or several of these'
        raise errors.bad_parameter("n_components", condition, n_components)
    if max(numbers) > n_rows:
        raise errors.too_many_components(max(numbers), n_rows)
    return sorted({int(number) for number in numbers})


def resolve_start(mixture: Any, rows: MixtureRows, counted: np.ndarray) -> np.ndarray | None:
    """Memberships of the distinct rows to start from, one row per component; None for seeds.

    ``counted`` tells which of the rows given have a weight.
    """
    init, n_components = mixture.init, mixture.n_components
    if isinstance(init, str) and init == "seeds":
        return None
    if isinstance(init, str) or not is_whole_number(n_components):
        raise errors.bad_parameter("init", START, init)
    shares = _read_shares(init, (len(counted), int(n_components)), counted)
    n_equal = np.bincount(rows.inverse, minlength=rows.n_rows)
    return np.array([np.bincount(rows.inverse, share) / n_equal for share in shares.T])


def _read_shares(init: Any, shape: tuple[int, int], counted: np.ndarray) -> np.ndarray:
    """Memberships of the rows that count, adding up to one."""
    try:
        shares = np.asarray(init, np.float64)
    except (TypeError, ValueError):
        raise errors.bad_parameter("init", START, "no array of numbers") from None
    if shares.shape != shape:
        raise errors.bad_parameter("init", START, shares.shape)
    total = shares.sum(axis=1, keepdims=True)
    for wrong, what in (
        (~(shares >= 0).all(axis=1), "a share that is negative or missing"),
        (~(total[:, 0] > 0), "only zeros"),
        (~np.isfinite(total[:, 0]), "infinity"),
    ):
        found = np.flatnonzero(wrong & counted)
        if len(found):
            raise errors.bad_parameter("init", START, f"{what} in row {found[0]}")
    return (shares / np.where(counted[:, None], total, 1.0))[counted]
