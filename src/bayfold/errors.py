"""Exceptions and warnings. The wording of every message lives in this file.

Errors read "`{thing}` must be {condition}. Got {value}." followed by what to type.
"""

from __future__ import annotations


class SchemaError(ValueError):
    """A table does not fit the schema it is used with."""


class MergeError(ValueError):
    """Two models or statistics cannot be added up."""


class ColumnTypeError(TypeError):
    """A column holds something that is neither a number nor a category."""


class DatasetError(ValueError):
    """A dataset cannot be found or a file cannot be read."""


class DataWarning(UserWarning):
    """Something in the data that is handled, but that the user should know."""


class UnseenCategoryWarning(DataWarning):
    """A category that did not occur in training; it gives no evidence."""


# datasets


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


_ARFF_RULES = {
    "quote": "every quote must be closed. Got {value!r}. Add the closing quote.",
    "header": "a header line must start with @relation, @attribute or @data. Got {value!r}.",
    "no data": "the header must end with `@data`. Got the end of the file. Add the data.",
    "no attributes": "`@data` must follow an `@attribute`. Got none. Declare the columns.",
    "repeated name": "attribute names must differ. Got {value!r} twice. Rename one of them.",
    "no type": "`@attribute` must have a name and a type. Got {value!r}.",
    "type": "the type of `{name}` must be numeric, real, integer, string or a list of values in "
    "braces. Got {value!r}. Convert or drop the attribute.",
    "brace": "the values of `{name}` must end with a brace. Got {value!r}. Close the list.",
    "repeated value": "the values of `{name}` must differ. Got {value!r}. Declare each once.",
    "sparse": "rows must be dense. Got the sparse row {value!r}. Write all its values.",
    "length": "a row must have {expected} values, one per attribute. Got {found}: {value!r}. Write "
    "? for a missing cell, and quote values with blanks, commas or quotes.",
    "undeclared": "`{name}` must be one of its declared values {labels}. Got {value!r}. Declare "
    "the value or correct the row.",
    "number": "`{name}` must be a number. Got {value!r}. Write ? for a missing cell.",
}


def bad_arff(place: str, rule: str, value: object, **details: object) -> DatasetError:
    """Say which line of an ARFF file breaks which rule; `place` is `file:line`."""
    return DatasetError(f"{place}: {_ARFF_RULES[rule].format(value=value, **details)}")


def unknown_dataset(name: str, folder: object, close: list[str]) -> DatasetError:
    """Say that the data folder has no such dataset, and which names are close."""
    hint = f"Did you mean {' or '.join(map(repr, close))}? " if close else ""
    return DatasetError(
        f"`name` must be a dataset in the folder BAYFOLD_DATA names ({folder}). Got {name!r}. "
        f"{hint}`list_datasets()` gives all names; unset BAYFOLD_DATA to download from OpenML."
    )


def ambiguous_dataset(name: str, tasks: list[str]) -> DatasetError:
    """Say that a name stands for several datasets, one per task."""
    return DatasetError(
        f"`name` must stand for one dataset. Got {name!r}, which exists for {' and '.join(tasks)}. "
        f'Add `task="{tasks[0]}"` or `task="{tasks[1]}"`.'
    )


def unknown_task(task: object, known: list[str]) -> ValueError:
    """Say which tasks there are."""
    return ValueError(f"`task` must be one of {known}, or None for any. Got {task!r}.")


def other_task(name: str, asked: str, found: str) -> DatasetError:
    """Say that a dataset's target fits another task than the one asked for."""
    return DatasetError(
        f"`task` must fit the target of {name!r}, which is a {found} dataset. Got {asked!r}. "
        f'Leave `task` out or pass `task="{found}"`.'
    )


def no_data_folder(folder: str | None) -> DatasetError:
    """Say that BAYFOLD_DATA does not name a folder."""
    return DatasetError(
        "The environment variable BAYFOLD_DATA must name a folder with `classification/*.arff` "
        f"or `regression/*.arff`. Got {folder!r}. Set it to such a folder; `load_dataset` "
        "downloads from OpenML when it is unset."
    )


def openml_failed(name: str, reason: object) -> DatasetError:
    """Say that OpenML did not give a dataset, and how to read it from disk instead."""
    cause = str(reason).rstrip(".")
    return DatasetError(
        f"`name` must be a dataset that OpenML can deliver as a dense table. Got {name!r}: "
        f"{cause}. Check the name on openml.org and the network, or set BAYFOLD_DATA to a folder "
        "with ARFF files."
    )


def openml_target(name: str, target_name: object) -> DatasetError:
    """Say that a dataset of OpenML has no target, or several."""
    return openml_failed(name, f"its target is {target_name!r}, not one of its columns")


def openml_sparse(name: str) -> DatasetError:
    """Say that a dataset of OpenML is not a dense table."""
    return openml_failed(name, "its rows are sparse")


def bad_n_rows(n_rows: object) -> ValueError:
    """Say how many rows can be drawn."""
    return ValueError(f"`n_rows` must be a whole number from 1. Got {n_rows!r}.")


def bad_missing_rate(missing: object) -> ValueError:
    """Say what a rate of missing cells can be."""
    return ValueError(f"`missing` must be a probability from 0 to 1. Got {missing!r}.")


def unknown_credit_column(name: object, known: list[str]) -> ValueError:
    """Say which columns the demo's model knows."""
    return ValueError(f"`columns` must be among {known}. Got {name!r}. Leave it out.")


def impossible_credit_value(column: str, value: object) -> ValueError:
    """Say which value the demo's model never draws."""
    return ValueError(
        f"`columns[{column!r}]` must hold values that `make_credit` can draw. Got {value!r}. "
        "Use None for a missing cell."
    )
