"""What is wrong with a table or one of its columns."""

from __future__ import annotations

from bayfold.errors.kinds import (
    READ_SPARSE,
    READ_WORDS,
    ColumnTypeError,
    DatasetError,
    SchemaError,
    listed,
    named_columns,
)


def sparse_refused(kind: str) -> TypeError:
    """A scipy sparse matrix or array."""
    return TypeError(
        f"`X` must be a dense table. Got a sparse {kind}. "
        f"Use {' or '.join(READ_SPARSE)}, which takes sparse matrices of word counts, "
        "or X.toarray() if it fits in memory."
    )


def bad_sparse_entries(value: object) -> ValueError:
    """A sparse matrix that cannot hold counts of words. The first words are scikit-learn's."""
    return ValueError(
        "Negative values in data passed to X, or values that are missing or infinite: a sparse `X` must hold counts or "
        f"weights of words, zero or more. Got {value!r}. Use X.toarray() for a table of numbers, and "
        "alternate_sign=False in scikit-learn's HashingVectorizer."
    )


def sparse_cells() -> SchemaError:
    """A sparse matrix where columns of a table are asked for."""
    return SchemaError(
        "`X` must be a dense table, as it was at fit. Got a sparse matrix. Use X.toarray(), or fit with a sparse one."
    )


def not_sparse() -> SchemaError:
    """A table for a model that goes on learning from sparse matrices."""
    return SchemaError(
        "`X` must be a sparse matrix, as it was at fit. Got a dense table. Use scipy.sparse.csr_array(X)."
    )


def lazy_refused(kind: str) -> TypeError:
    """A query that has not been run."""
    return TypeError(
        f"`X` must be a table. Got a {kind}, which holds no rows yet. Use X.collect()."
    )


def not_arrow(reason: object) -> TypeError:
    """A frame whose library has types that Arrow has not."""
    return TypeError(
        f"`X` must be a table that Arrow can hold. Got one that it refuses: {reason}. Cast the columns of rare types "
        "to numbers or strings."
    )


def damaged_arrow(reason: object) -> DatasetError:
    """Offsets that lead out of their buffer, indices out of their dictionary, bytes that are not UTF-8."""
    return DatasetError(
        f"Arrow memory must keep the rules of its types. Got: {reason}. Read the data again from where they came; "
        "a file may be damaged."
    )


def complex_refused(column: str | None = None) -> ValueError:
    """Complex numbers. The first words are scikit-learn's."""
    found = "" if column is None else f" Got complex numbers in column {column!r}."
    return ValueError(
        f"Complex data not supported. `X` must hold real numbers or categories.{found}"
    )


def not_two_dimensional(n: int) -> ValueError:
    """Not rows and columns but ``n`` dimensions. The first words are scikit-learn's."""
    found = {0: "scalar array", 1: "1D array"}.get(n, f"array with dim {n}")
    return ValueError(
        f"Expected 2D array, got {found} instead. `X` must have rows and columns. Reshape your data "
        "either using X.reshape(-1, 1) if it is a single column or X.reshape(1, -1) if it is a single row."
    )


NOT_TABLES = {
    "path": "a path: read the file first, such as by pandas.read_csv, or use `fit_source(path, target=...)`",
    "dict": "a dict of columns: make a frame of it, such as pandas.DataFrame(X) or pyarrow.table(X)",
    "records": "a list of dicts: make a frame of it, such as pandas.DataFrame(X) or pyarrow.Table.from_pylist(X)",
    "series": "a Series, which is one column: make a frame of it, X.to_frame()",
    "nothing": "None: give the rows to learn from",
}
"""What people give for a table, and what to do instead."""


def not_a_table(kind: str) -> TypeError:
    """Something that holds a table, or leads to one, but is none."""
    return TypeError(
        "`X` must be a table: an array, or a frame of pandas, polars, pyarrow or DuckDB. "
        f"Got {NOT_TABLES[kind]}."
    )


def mixed_names(kinds: list[str]) -> TypeError:
    """Some column names are strings and some are not. The first words are scikit-learn's."""
    return TypeError(
        "Feature names are only supported if all input features have string names, "
        f"but your input has {kinds} as feature name / column name types. "
        "If you want feature names to be stored and validated, you must convert "
        "them all to strings, by using X.columns = X.columns.astype(str) for example."
    )


def cell_type_error(column: str, found: str) -> ColumnTypeError:
    """A cell that is neither a number nor a category."""
    return ColumnTypeError(
        f"Column {column!r} holds cells of type {found}. Each cell of this argument must be a string, a boolean, "
        "a number, or missing. Turn such cells into numbers or strings, or drop the column."
    )


def mixed_cells(column: str, types: list[str]) -> ColumnTypeError:
    """Times beside something else."""
    return ColumnTypeError(
        f"Column {column!r}: cells must all be times, all numbers, or strings, booleans and numbers. Got a mixture of "
        f"{', '.join(types)}. Turn the cells into one type, or drop the column."
    )


def mixed_time_zones(column: str) -> ColumnTypeError:
    """Moments with and without a time zone."""
    return ColumnTypeError(
        f"Column {column!r}: times must all have a time zone or all have none. Got times with and without a time zone. "
        "Use pandas.to_datetime(..., utc=True), or drop the time zones."
    )


def large_labels(column: str) -> ValueError:
    """Whole numbers as categories that floats do not tell apart."""
    return ValueError(
        f"Column {column!r}: numbers as categories must lie within 2**53. Got whole numbers beyond 2**53, which floats "
        "do not tell apart. Give the column as strings, for example with astype(str)."
    )


def ambiguous_position(parameter: str, entry: object, names: list[int]) -> ValueError:
    """A whole number that is the name of one column and the position of another."""
    return ValueError(
        f"`{parameter}` must name columns beyond doubt. Got {entry!r}, the position of one column and the name of "
        f"another: columns are named {names!r}. Rename them, for example with X.columns = X.columns.astype(str)."
    )


def kind_mismatch(column: str, expected: str, found: str) -> SchemaError:
    """A column of another kind than at fit."""
    return SchemaError(
        f"Column {column!r} must be {expected}, as it was at fit. Got {found}. "
        f"Convert the column, or fit again with it as it is now."
    )


def zone_mismatch(column: str, zone: str) -> SchemaError:
    """Times with a zone where those at fit had none, or the other way round."""
    at_fit, now = ("with", "without") if zone else ("without", "with")
    name, shown = (zone, f" ({zone})") if zone else (None, "")
    call = f"X[{column!r}].dt.tz_localize({name!r})"
    return SchemaError(
        f"Column {column!r} must hold times {at_fit} a time zone{shown}, as it did at fit. Got times {now} one. "
        f"In pandas, type {call}; or fit again with the times as they are now."
    )


def reads_no_words(estimator: str, column: str) -> SchemaError:
    """A column of text for an estimator that reads no words."""
    return SchemaError(
        f"`schema` of {estimator} must have no column of text. Got {column!r}. Leave the column out, or use "
        f"{', '.join(READ_WORDS[:-1])} or {READ_WORDS[-1]}."
    )


def numbers_as_text(column: str) -> ColumnTypeError:
    """Numbers in a column that was called text."""
    return ColumnTypeError(
        f"`text_features` must name columns of strings. Got {column!r}, which holds numbers. Leave it out, or give the "
        "column as strings, for example with astype(str)."
    )


def infinite_cells(columns: list[str]) -> ValueError:
    """Infinity in a numeric column."""
    return ValueError(
        f"`X` must be finite or missing. Got infinity in {named_columns(columns)}. "
        "Replace it by NaN (missing) or by a large finite number."
    )


def infinite_target() -> ValueError:
    """Infinity in the target."""
    return ValueError(
        "`y` must be finite or missing. Input y contains infinity. Leave those rows out, or give them a class."
    )


def empty_table(n_rows: int, n_columns: int) -> ValueError:
    """No rows or no columns. The first words are scikit-learn's."""
    what = "sample(s)" if n_rows == 0 else "feature(s)"
    return ValueError(
        f"Found array with 0 {what} (shape=({n_rows}, {n_columns})) while a minimum of 1 is required. "
        "`X` must have at least one row and one column."
    )


def wrong_number_of_features(found: int, estimator: str, expected: int) -> ValueError:
    """Not as many columns as at fit, in scikit-learn's words."""
    return ValueError(
        f"X has {found} features, but {estimator} is expecting {expected} features as input."
    )


def wrong_names(unexpected: list[str], absent: list[str]) -> ValueError:
    """Other column names than at fit, in scikit-learn's words."""
    message = "The feature names should match those that were passed during fit.\n"
    if unexpected:
        message += "Feature names unseen at fit time:\n" + listed(unexpected)
    if absent:
        message += "Feature names seen at fit time, yet now missing:\n" + listed(absent)
    if not unexpected and not absent:
        message += "Feature names must be in the same order as they were in fit.\n"
    return ValueError(message)


def unequal_lengths(what: str, found: int, n_rows: int) -> ValueError:
    """Target or weights of another length than the table."""
    return ValueError(
        f"Found input variables with inconsistent numbers of samples: [{n_rows}, {found}]. "
        f"`{what}` must have one entry per row of `X`."
    )


def nominal_columns(columns: list[str]) -> ColumnTypeError:
    """Categories where only numbers can be cut."""
    return ColumnTypeError(
        f"`X` must hold numeric columns. Got categories in {named_columns(columns)}. Choose the numeric columns, "
        "for example with sklearn.compose.make_column_transformer."
    )


def unknown_frame_library(library: object, known: list[str]) -> ValueError:
    """Say which frame libraries `make_frame` can build for."""
    return ValueError(f"`library` must be one of {known}. Got {library!r}.")


def frame_library_not_installed(library: str, package: str) -> ImportError:
    """Say how to install the library a frame was asked for."""
    return ImportError(
        f"`library` must be an installed library. Got {library!r}, but {package} cannot be "
        f"imported. Run `pip install {package}`."
    )


def unequal_column_lengths(lengths: dict[str, int]) -> ValueError:
    """Say which columns of a table have another length than the first."""
    return ValueError(
        f"`columns` must be equally long. Got lengths {lengths!r}. Give every column one value "
        "per row, with None for a missing cell."
    )


def unreadable_column(name: str, reason: object) -> ColumnTypeError:
    """Say which column of a table mixes types or has more than one dimension."""
    return ColumnTypeError(
        f"`columns[{name!r}]` must be one-dimensional, with values of one type. Got: {reason}. "
        "Convert it to numbers or to strings first."
    )


_CATEGORIES_RULES = {
    "codes": "one-dimensional integer codes",
    "range": "codes from -1 to the position of the last label",
    "strings": "labels that are strings",
    "distinct": "labels that are all distinct",
}


def bad_categories(rule: str, value: object) -> ValueError:
    """Say which rule of a nominal column's codes and labels is broken."""
    return ValueError(
        f"`Categories` must have {_CATEGORIES_RULES[rule]}. Got {value!r}. Give the position of "
        "each row's label in `labels`, or -1 where the cell is missing."
    )


def not_in_notation(column: str, example: str, found: str) -> ColumnTypeError:
    """A cell that is not written as the numbers of its column were at fit."""
    return ColumnTypeError(
        f"Column {column!r} had numbers such as {example!r} at fit, and now holds {found!r}. Give numbers, or strings "
        "in the same unit with the same decimal sign; what stands for a missing cell can be '?', 'n/a' or '-'."
    )
