"""What cannot be added, or learnt in batches."""

from __future__ import annotations

from bayfold.errors.kinds import MergeError


def edges_differ(column: str) -> MergeError:
    """Statistics over different bins."""
    return MergeError(
        f"Models to add must have the same bin edges. Got different edges in column {column!r}. "
        "Fit the other models with schema=first.schema_."
    )


def ngrams_differ(column: str) -> MergeError:
    """Statistics of words and of sequences of words."""
    return MergeError(
        f"Models to add must have the same `ngrams`. Got different ones in column {column!r}. "
        "Fit the other models with schema=first.schema_."
    )


def sparse_columns_differ(first: int | None, second: int | None) -> MergeError:
    """Statistics of sparse matrices with other columns, or of one sparse matrix and a column of text."""
    return MergeError(
        "Models of sparse matrices to add must have the same columns in the same order. Got "
        f"{first or 'no'} and {second or 'no'} columns, or other names. Make all matrices by one fitted vectorizer."
    )


def columns_differ(first: list[str], second: list[str]) -> MergeError:
    """Statistics over different columns."""
    return MergeError(
        f"Models to add must have the same columns of the same kinds. Got {first!r} and {second!r}. "
        "Fit the other models with schema=first.schema_."
    )


def classes_of_two_types(first: list, second: list) -> MergeError:
    """Classes that cannot be put in one order."""
    return MergeError(
        f"Models to add must have classes of one type. Got {first!r} and {second!r}. "
        "Convert the targets to one type before fitting."
    )


def parameters_differ(names: list[str]) -> MergeError:
    """Models with different settings."""
    return MergeError(
        f"Models to add must have the same parameters. Got different {', '.join(names)}. "
        "Fit the other models with the same parameters."
    )


def moments_missing(column: str) -> ValueError:
    """A Gaussian asked of statistics that were collected without moments."""
    return ValueError(
        f'`numeric` must be the same as at fit for a Gaussian column. Got "gaussian" for {column!r}, '
        "whose sums were not collected. Fit again with this setting."
    )


def rows_needed(missing: str) -> MergeError:
    """Gaps that are filled from all rows at once: no sums, no batches."""
    return MergeError(
        f'`missing` must be "available" for models that are added or learn in batches. Got {missing!r}, which '
        "needs all rows at once. Call fit with all of them."
    )
