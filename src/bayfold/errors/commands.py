"""What is wrong with a command, and what commands say of their work."""

from __future__ import annotations

from bayfold.errors.kinds import DatasetError, UsageError, few, named_columns
from bayfold.errors.table_files import shown_path, suggest


def column_not_found(option: str, name: str, known: list[str], path: str) -> UsageError:
    """A name that no column has."""
    return UsageError(
        f"`{option}` must name a column of {shown_path(path)}. Got {name!r}. {suggest(name, known)}"
    )


def counts_rows(columns: list[str]) -> str:
    """Columns that number the rows."""
    return (
        f"{few(columns)} goes up by one from row to row: an identifier? `--drop` leaves it out."
        if len(columns) == 1
        else f"{few(columns)} go up by one from row to row: identifiers? `--drop` leaves them out."
    )


def nothing_to_learn_from(path: str) -> UsageError:
    """Nothing to learn from."""
    return UsageError(
        f"{shown_path(path)}: at least one column must be left to learn from. Got none. Drop fewer columns."
    )


def unknown_command_task(task: str, known: list[str]) -> UsageError:
    """Neither classes nor numbers."""
    return UsageError(f"`--task` must be {' or '.join(known)}. Got {task!r}.")


def no_such_model(name: str, task: str, known: list[str]) -> UsageError:
    """A model nobody knows, or one of the other task."""
    return UsageError(
        f"`--model` must be one of {', '.join(known)} for {task}. Got {name!r}. "
        "If the task is not what you mean, give `--task`."
    )


def bad_setting(setting: str) -> UsageError:
    """A parameter without a value."""
    return UsageError(f"`--set` must be NAME=VALUE, such as numeric=mdl. Got {setting!r}.")


def no_such_setting(name: str, estimator: str, known: list[str]) -> UsageError:
    """A parameter a model does not have."""
    return UsageError(
        f"`--set` must name a parameter of {estimator}. Got {name!r}. {suggest(name, known)}"
    )


def unreadable_settings(path: str, why: str) -> UsageError:
    """A file that is not there, or no TOML."""
    return UsageError(f"`--settings` must be a TOML file. Got {shown_path(path)}: {why}.")


def unknown_key(path: str | None, key: str, estimator: str, known: list[str]) -> UsageError:
    """A key that is no parameter."""
    return UsageError(
        f"{shown_path(path or '')}: `{key}` must be `model` or a parameter of {estimator}. {suggest(key, known)}"
    )


def bad_key(path: str, key: str, condition: str, value: object) -> UsageError:
    """A key with what it cannot have."""
    return UsageError(f"{shown_path(path)}: `{key}` must be {condition}. Got {value!r}.")


def bad_rows(text: str, n_rows: int) -> UsageError:
    """Rows that are not there."""
    return UsageError(
        f"`--rows` must be numbers from 1 to {n_rows}, such as 1,4-6, or all. Got {text!r}."
    )


def bad_quantile_list(text: str) -> UsageError:
    """Quantiles that are none."""
    return UsageError(
        f"`--quantiles` must be probabilities between 0 and 1, such as 0.1,0.5,0.9. Got {text!r}."
    )


def no_such_class(label: str, known: list[str]) -> UsageError:
    """A class a model does not know."""
    return UsageError(
        f"`--class` must be a class of the model. Got {label!r}. {suggest(label, known)}"
    )


def nothing_explains(estimator: str) -> UsageError:
    """A model without evidence cell by cell."""
    return UsageError(
        f"The model must be one that explains. Got {estimator}, which does not add up evidence cell by cell. "
        "Fit with `--model naive-bayes` or `--model boosted`."
    )


def columns_absent(path: str, absent: list[str], known: list[str]) -> DatasetError:
    """Columns a model needs and a table lacks."""
    hints = [hint for name in absent[:3] if (hint := suggest(name, known)).startswith("Did")]
    return DatasetError(
        f"{shown_path(path)}: the table must have the columns the model was fitted on. Got no "
        f"{named_columns(absent)}. {' '.join(hints) or 'Add them, empty where nothing is known.'}"
    )


def no_target_known(path: str, target: str) -> DatasetError:
    """A target without a single value."""
    return DatasetError(
        f"{shown_path(path)}: the target must be known in at least one row. Got only missing cells in {target!r}."
    )


def one_class(path: str, target: str, label: object) -> DatasetError:
    """A target that is the same in all rows."""
    return DatasetError(
        f"{shown_path(path)}: the target must hold at least two classes. Got only {label!r} in {target!r}. Add rows of "
        "another class, or choose another column."
    )


def target_of_dates(target: str) -> DatasetError:
    """Dates to be predicted."""
    return DatasetError(
        f"The target must hold classes or numbers. Got dates in {target!r}. Make numbers of them, such as days since "
        "a day of your choice."
    )


def too_few_rows_for_folds(most: int, folds: int, task: str) -> DatasetError:
    """More folds than rows."""
    what = "rows" if task == "regression" else "rows of a class"
    return DatasetError(
        f"`--folds` must not exceed the number of {what}. Got {folds} for {most}. Give fewer folds or more rows."
    )


def unknown_export(target: str, known: list[str]) -> UsageError:
    """A form no model is written in."""
    return UsageError(f"`--to` must be one of {', '.join(known)}. Got {target!r}.")


def not_exportable(estimator: str, target: str) -> UsageError:
    """A model that has no such form."""
    return UsageError(
        f"The model must be one that can be written as {target}. Got {estimator}. "
        "Fit with `--model naive-bayes` or `--model boosted`."
    )


def option_of_sql(option: str, form: str) -> UsageError:
    """Columns of a table where none is read."""
    return UsageError(f"`{option}` must go with `--to sql`. Got `--to {form}`. Leave it out.")


def model_to_a_pipe(option: str, path: str) -> UsageError:
    """A model written to standard output."""
    return UsageError(f"`{option}` must name a file for the model. Got {path!r}.")


def output_is_input(option: str, path: str, given: str) -> UsageError:
    """A file that would be written over what it is made from."""
    return UsageError(
        f"`{option}` must not be what the command reads, nor lie in it. Got {path!r} while {given!r} is read. "
        "Write to another place."
    )


def outputs_are_one(option: str, other: str, path: str) -> UsageError:
    """Two outputs of which the second would replace the first."""
    return UsageError(
        f"`{other}` and `{option}` must be two files. Got {path!r} for both. Choose another name for one."
    )


def output_has_content(option: str, path: str, kind: str) -> UsageError:
    """A file that somebody may want to keep."""
    own = {"model": ", or a model of bayfold", "page": ", or a page of bayfold"}.get(kind, "")
    return UsageError(
        f"`{option}` must be new{own}. Got {path!r}, which exists. Choose another name, or replace it with --overwrite."
    )


def option_of_numbers(option: str) -> UsageError:
    """Quantiles of classes."""
    return UsageError(
        f"`{option}` must go with a model of numbers. Got a model of classes. Leave it out."
    )


def option_of_rates(option: str) -> UsageError:
    """An exposure of what is no count or amount."""
    return UsageError(
        f"`{option}` must go with a model of counts or amounts, fitted with --loss. Got another model. Leave it out."
    )


def option_of_classes(option: str) -> UsageError:
    """Decisions about numbers or clusters."""
    return UsageError(f"`{option}` must go with a model of classes. Got another one. Leave it out.")


def costs_file_without_numbers(path: str, column: str) -> UsageError:
    """A cell of a table of costs that is no number."""
    return UsageError(
        f"{path}, column {column!r}: costs must be numbers. Got other cells. The first column names the true classes, "
        "the others are decisions."
    )


def exposure_without_loss(name: str) -> UsageError:
    """An exposure of numbers whose tables add up."""
    return UsageError(
        f"`--exposure` must come with a loss whose tables multiply. Got {name!r} alone. Add `--loss poisson` for "
        "counts, `gamma` for amounts above zero or `tweedie` for amounts that may be zero."
    )


def option_without_stream(option: str) -> UsageError:
    """Something that needs all rows at once."""
    return UsageError(
        f"`{option}` must have all rows in memory. Got a table that is read a chunk at a time. Leave it out, or read "
        "the table as a whole with `--no-stream`."
    )


def reads_in_chunks(path: str, size: int, available: int) -> str:
    """A file that is too large to be read as a whole."""
    return (
        f"{path} has {size / 1e6:,.0f} MB, and {available / 1e6:,.0f} MB of memory are available: read a chunk at a "
        "time. (`--no-stream` to read it as a whole.)"
    )


def task_inferred(task: str, target: str, reason: str) -> str:
    """What the target was taken for."""
    other = {"classification": "regression", "regression": "classification"}[task]
    return f"{target!r} has {reason}: {task}. (`--task {other}` if that is not meant.)"


def count_classes(count: int) -> str:
    """How many classes a target has."""
    return f"{count} {'class' if count == 1 else 'classes'}"


def written_numbers(cell: str, example: str, number: str) -> str:
    """What a target of strings has that are numbers."""
    return f"numbers such as {cell!r} ({example!r} is {number})"


def many_clusters(found: int, few: int) -> str:
    """Clusters that describe the rows best, but are more than anybody can name."""
    return (
        f"{found} clusters describe rows left out best: where columns depend on each other, one group of rows takes "
        f"several. For groups to work with, ask for a few: `--clusters {few}` or less."
    )


def cells_filled(before: int, after: int) -> str:
    """What an imputation did."""
    left = f"; {after:,} are left, in columns where every cell is missing" if after else ""
    return f"{before - after:,} missing cells filled{left}."


def out_of_memory() -> str:
    """No memory left."""
    return (
        "There is not enough memory for this table. Give fewer rows or columns, or a smaller file."
    )


def unexpected(kind: str, message: str) -> str:
    """A mistake of the library's own."""
    return f"Something went wrong inside bayfold ({kind}: {message}). Add --debug to see where, and please report it."


def no_such_paper(name: str, known: list[str]) -> UsageError:
    """A paper that was not worked through."""
    return UsageError(f"`PAPER` must be one of {', '.join(known)}. Got {name!r}.")


def no_papers() -> UsageError:
    """The command without the repository."""
    return UsageError(
        "`bayfold papers` must find the folder `papers` of bayfold's repository, which is no part of the installed "
        "package. Got neither in this folder nor beside the library. Clone the repository and run the command there."
    )


def nothing_to_warm(named: str, known: list[str]) -> UsageError:
    """``bayfold warmup --for`` with a name that no estimator has a part of."""
    return UsageError(f"--for {named}: no such estimator. There are {', '.join(known)}.")
