"""What is wrong with a dataset, a file of one, or a generator's parameters."""

from __future__ import annotations

from bayfold.errors.kinds import DatasetError

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


def unknown_credit_column(name: object, known: list[str]) -> ValueError:
    """Say which columns the demo's model knows."""
    return ValueError(f"`columns` must be among {known}. Got {name!r}. Leave it out.")


def impossible_credit_value(column: str, value: object) -> ValueError:
    """Say which value the demo's model never draws."""
    return ValueError(
        f"`columns[{column!r}]` must hold values that `make_credit` can draw. Got {value!r}. "
        "Use None for a missing cell."
    )
