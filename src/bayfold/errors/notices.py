"""Warnings: what was handled, but should be known."""

from __future__ import annotations

import sys
import warnings

from bayfold.errors.kinds import (
    READ_WORDS,
    DataWarning,
    UnseenCategoryWarning,
    few,
    is_in_cross_validation,
    named_columns,
    pass_to_recorders,
    was_warned_before,
)

MOST_EXAMPLES = 5
"""Columns that a notice names with a cell of each: it should fit on three lines."""


def warn(warning: Warning) -> None:
    """Warn at the line that called bayfold, however deep inside it the reason was found; once, as Python does."""
    level = 1
    frame = sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == "bayfold":
        frame = frame.f_back  # type: ignore[assignment]
        level = level + 1
    pass_to_recorders(warning)
    if isinstance(warning, UnseenCategoryWarning) and is_in_cross_validation(frame):
        return  # that a fold lacks a category is no news about the table
    if not was_warned_before(warning, frame):
        warnings.warn(warning, stacklevel=level)


def target_of_counts(largest: float) -> DataWarning:
    """Whole numbers from 0, learnt as any numbers."""
    return DataWarning(
        f"`y` holds whole numbers from 0 to {largest:g}. If these are counts, loss='poisson' learns factors that "
        "multiply, and takes an exposure; with loss='squared' they are learnt as any numbers."
    )


def missing_targets(count: int) -> DataWarning:
    """Rows without a target."""
    return DataWarning(f"{count} row(s) have no target and were left out.")


def classes_not_learnt(unknown: list, classes: list) -> DataWarning:
    """True classes that a model is judged by and cannot predict."""
    return DataWarning(
        f"`y` holds classes that the model has not learnt: {few(unknown)}. Their rows count as wrong. "
        f"Its classes are {few(classes)}; spell and type `y` as they are."
    )


def unseen_categories(column: str, values: list[str]) -> UnseenCategoryWarning:
    """Categories that did not occur in training."""
    return UnseenCategoryWarning(
        f"Column {column!r} holds categories that did not occur in training: {few(values)}. "
        "They give no evidence."
    )


def beyond_edges(column: str, share: float, edge: float, above: bool) -> DataWarning:
    """Later rows of a stream that lie where earlier ones drew no bins."""
    return DataWarning(
        f"Column {column!r}: {share:.0%} of the rows of this batch lie {'above' if above else 'below'} {edge:.5g}, the "
        "outermost edge that earlier batches settled, and look the same to the model. Shuffle the rows before they are "
        "dealt to batches, or give edges that fit all of them: `schema=model.schema_` of a model fitted to a sample."
    )


def zone_guessed(column: str, zone: str) -> DataWarning:
    """Times without a zone beside times of UTC."""
    at_fit, now = ("in UTC", "without a time zone") if zone else ("without a time zone", "in UTC")
    return DataWarning(
        f"Column {column!r} had times {at_fit} at fit, and now has times {now}. Times without a zone are "
        "taken for UTC. Where they are of another zone, convert them first: in pandas, "
        f"X[{column!r}].dt.tz_localize('Europe/Berlin').dt.tz_convert('UTC')."
    )


def read_as_numbers(examples: list[tuple[str, str, str]]) -> DataWarning:
    """Columns of strings that are numbers with units, of money, percent and the like: how a cell of each is read."""
    shown = [f"{name!r} ({cell!r} is {number})" for name, cell, number in examples[:MOST_EXAMPLES]]
    rest = f" and {len(examples) - len(shown)} more" if len(examples) > len(shown) else ""
    return DataWarning(
        f"Strings are read as numbers: {', '.join(shown)}{rest}. Labels are kept with "
        "`categorical_features=` or `--categorical`."
    )


def doubtful_numbers(examples: list[tuple[str, str]]) -> DataWarning:
    """Columns whose comma may be a decimal sign or one of thousands."""
    shown = [f"{name!r} ({cell!r})" for name, cell in examples[:MOST_EXAMPLES]]
    return DataWarning(
        f"Strings that may be numbers are kept as categories: {', '.join(shown)}. Nothing tells whether the sign "
        "stands before decimals or thousands: numeric_features={name: '.'} says that it is a point, ',' a comma."
    )


def dates_as_strings(examples: list[tuple[str, str]]) -> DataWarning:
    """Columns of dates that nobody has read."""
    shown = [f"{name!r} ({cell!r})" for name, cell in examples[:MOST_EXAMPLES]]
    return DataWarning(
        f"Strings that are dates are kept as categories: {', '.join(shown)}. Convert them, as by pandas.to_datetime; "
        "for the command line, `--month-first` or `--day-first` says how."
    )


def harmless_column(columns: list[str], reason: str) -> DataWarning:
    """Columns that cannot tell anything."""
    reasons = {
        "all missing": "no known cell",
        "constant": "a single value",
        "identifier": "nearly as many categories as rows (an identifier?)",
        "text": f"texts, which only {', '.join(READ_WORDS[:-1])} and {READ_WORDS[-1]} can read",
    }
    named = named_columns(columns).removeprefix("column")
    verb, they = ("has", "It is") if len(columns) == 1 else ("have", "They are")
    return DataWarning(
        f"Column{named} {verb} {reasons[reason]}. {they} kept, but of no use to the model; consider dropping."
    )


def values_far_off(columns: list[str], value: float, times: float) -> DataWarning:
    """Numbers by which the Gaussians of columns are ruined."""
    others = f" (so have {few(columns[1:])})" if columns[1:] else ""
    return DataWarning(
        f"Column {columns[0]!r} has numbers as far from all others as {value:.10g}{others}. They make its Gaussians "
        f"{times:.0f} times as wide as the middle half of the rows is. If they stand for missing cells, make them "
        'missing; if not, use `numeric="auto"`, which goes by ranks.'
    )


def words_dropped(column: str, n_kept: int, missed: float) -> DataWarning:
    """More words than are kept."""
    return DataWarning(
        f"Column {column!r} has more than {n_kept:,} words. The most frequent ones are kept, and their counts lack at "
        f"most {missed:,.0f} rows."
    )


def categories_merged(column: str, n_kept: int, n_rows: float) -> DataWarning:
    """More categories than there are codes."""
    return DataWarning(
        f"Column {column!r} has more than {n_kept:,} categories. The most frequent ones are kept; the others, in "
        f"{n_rows:,.0f} rows, are taken as one. Group them yourself if they differ, or give the column as a number."
    )


def weights_far_from_one(mean: float) -> DataWarning:
    """Weights whose mean is far from one."""
    return DataWarning(
        f"The mean of `sample_weight` is {mean:.3g}, far from 1. Weights are taken as frequencies, and smoothing "
        "counts rows. If they are not frequencies, rescale them: sample_weight / sample_weight.mean()."
    )


def column_vector() -> UserWarning:
    """A target with one column, in scikit-learn's words."""
    from sklearn.exceptions import DataConversionWarning  # slow to import, rarely wanted

    return DataConversionWarning(
        "A column-vector y was passed when a 1d array was expected. "
        "Please change the shape of y to (n_samples,), for example using ravel()."
    )


def rounds_cut_short(n_rounds: int) -> UserWarning:
    """Boosting that reached its last round while the loss of left-out rows was still falling."""
    from sklearn.exceptions import ConvergenceWarning  # slow to import, rarely wanted

    return ConvergenceWarning(
        f"All {n_rounds} rounds were run and the loss of left-out rows was still falling. Raise `n_rounds`, or "
        "`learning_rate`, to learn more."
    )


def renamed_features(estimator: str, fitted_with_names: bool) -> UserWarning:
    """Names at fit or at predict but not at both, in scikit-learn's words."""
    if fitted_with_names:
        return UserWarning(
            f"X does not have valid feature names, but {estimator} was fitted with feature names"
        )
    return UserWarning(f"X has feature names, but {estimator} was fitted without feature names")


def compiling() -> str:
    """Kernels that are used for the first time on this machine."""
    return (
        "bayfold compiles its kernels for this machine, once: 10 to 20 seconds, up to 30 with boosting. "
        "`bayfold warmup` does it ahead."
    )


def no_place_for_kernels(folder: str | None) -> RuntimeWarning:
    """Compiled kernels that can be kept neither beside the source nor in the user's cache."""
    found = "nowhere, and every process compiles them again" if folder is None else f"in {folder!r}"
    return RuntimeWarning(
        "Compiled kernels must be kept in a folder that can be written to. Neither the installation nor the user's "
        f"cache folder is one, so they are kept {found}. Set NUMBA_CACHE_DIR to a folder that lasts."
    )


def compiling_kernel(name: str, number: int) -> str:
    """Which one is being compiled."""
    return f"compiling {name} ({number})"
