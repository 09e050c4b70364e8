"""The parameters of NaiveBayesMixture, checked and made ready for EM."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from bayfold import errors
from bayfold.base.columns import check_densities, find_column, resolve_n_bins
from bayfold.core.densities import Smoothing
from bayfold.core.schema import Schema
from bayfold.core.scoring.derive import Settings
from bayfold.families.mixtures.em import EMSettings
from bayfold.families.mixtures.rows import MixtureRows
from bayfold.families.mixtures.search import numbers_to_try

MIXTURE_METHODS = ("auto", "gaussian", "equal_frequency", "equal_width")
MOST_COMPONENTS = 50
"""Where the search for the number of components ends at the latest."""


def resolve_mixture_methods(numeric: Any, names: list[str]) -> dict[int, str]:
    """The density of every column: one for all, or a dict by column; ``"auto"`` for the rest."""
    given = numeric if isinstance(numeric, Mapping) else dict.fromkeys(range(len(names)), numeric)
    methods = dict.fromkeys(range(len(names)), MIXTURE_METHODS[0])
    for column, method in given.items():
        if not isinstance(method, str) or method not in MIXTURE_METHODS:
            raise errors.bad_by_column("numeric", errors.list_choices(MIXTURE_METHODS), method)
        methods[find_column("numeric", column, names)] = method
    return methods


def resolve_settings(mixture: Any, schema: Schema) -> Settings:
    """How terms are derived from statistics."""
    errors.check_number("m", mixture.m, above=True)
    errors.check_number("variance_floor", mixture.variance_floor)
    methods = resolve_mixture_methods(mixture.numeric, schema.names)
    n_bins = resolve_n_bins(mixture.n_bins, schema.names)
    smoothing = Smoothing.parse(mixture.smoothing, mixture.m)
    check_densities(mixture, methods, schema.names, either=["auto"])
    return Settings(
        methods=methods,
        n_bins=n_bins,
        smoothing=smoothing,
        variance_floor=float(mixture.variance_floor),
    )


def resolve_em(mixture: Any) -> EMSettings:
    """How EM is run; the number of folds is checked with it."""
    errors.check_whole("n_init", mixture.n_init, 1)
    errors.check_whole("max_iter", mixture.max_iter, 1)
    errors.check_whole("n_folds", mixture.n_folds, 2)
    errors.check_number("tol", mixture.tol)
    errors.check_flag("progress", mixture.progress)
    if errors.is_whole(mixture.n_components):
        errors.check_unused(mixture, "n_folds", "a given number of components")
    if not isinstance(mixture.init, str):
        errors.check_unused(mixture, "n_init", "given memberships to start from")
    return EMSettings(int(mixture.n_init), int(mixture.max_iter), float(mixture.tol))


def resolve_numbers(n_components: Any, n_rows: int) -> list[int]:
    """The numbers of components to try, in increasing order."""
    if isinstance(n_components, str) and n_components == "cv":
        return numbers_to_try(max(min(MOST_COMPONENTS, n_rows // 2), 1))
    several = isinstance(n_components, Iterable) and not isinstance(n_components, str)
    numbers = list(n_components) if several else [n_components]
    valid = all(errors.is_whole(number) and number >= 1 for number in numbers)
    if not numbers or not valid:
        raise errors.bad_n_components(n_components)
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
    if isinstance(init, str) or not errors.is_whole(n_components):
        raise errors.bad_start(init)
    shares = _read_shares(init, (len(counted), int(n_components)), counted)
    n_equal = np.bincount(rows.inverse, minlength=rows.n_rows)
    return np.array([np.bincount(rows.inverse, share) / n_equal for share in shares.T])


def _read_shares(init: Any, shape: tuple[int, int], counted: np.ndarray) -> np.ndarray:
    """Memberships of the rows that count, adding up to one."""
    try:
        shares = np.asarray(init, np.float64)
    except (TypeError, ValueError):
        raise errors.bad_start("no array of numbers") from None
    if shares.shape != shape:
        raise errors.bad_start(shares.shape)
    total = shares.sum(axis=1, keepdims=True)
    for wrong, what in (
        (~(shares >= 0).all(axis=1), "a share that is negative or missing"),
        (~(total[:, 0] > 0), "only zeros"),
        (~np.isfinite(total[:, 0]), "infinity"),
    ):
        found = np.flatnonzero(wrong & counted)
        if len(found):
            raise errors.bad_start(f"{what} in row {found[0]}")
    return (shares / np.where(counted[:, None], total, 1.0))[counted]
