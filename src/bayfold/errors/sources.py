"""What is wrong with files, queries and streams that are read a chunk at a time, and with what is written of them."""

from __future__ import annotations

from typing import Any

from bayfold.errors.kinds import DataWarning, SourceError, UsageError, few


def not_a_source(kind: str) -> TypeError:
    """Something that no rows can be read from twice."""
    return TypeError(
        "`source` must be a path, a list of paths, a DuckDB relation, a dataframe of Dask or Spark, a frame "
        f"with `__arrow_c_stream__`, or a function that gives Arrow batches. Got {kind}. A table in memory goes to "
        "fit(X, y)."
    )


def read_once(kind: str) -> TypeError:
    """A stream that is gone after one pass."""
    return TypeError(
        f"`source` must be readable more than once. Got a {kind}, whose rows are gone after one pass. Give a function "
        "that opens it: fit_source(lambda: open_my_stream(), ...)."
    )


def nothing_to_read() -> SourceError:
    """A stream without a single batch."""
    return SourceError(
        "`source` must give at least one Arrow batch, which may be empty. Got none. Check the function it comes from."
    )


def not_a_batch(kind: str) -> TypeError:
    """A stream of something else."""
    return TypeError(
        f"`source` must give Arrow tables or record batches. Got {kind}. Use pyarrow.Table.from_pandas or "
        "pyarrow.table to make them."
    )


def no_such_file(path: str) -> SourceError:
    """Neither a file nor a folder."""
    return SourceError(f"`source` must name files that exist. Got {path!r}. Check the path.")


def not_regular(path: str) -> SourceError:
    """A pipe, a socket or a device."""
    return SourceError(
        f"{path}: a source must be a regular file, which can be read more than once. Got a pipe, socket or device. "
        "Write it to a file first, or give a function that yields Arrow batches."
    )


def no_files(paths: object) -> SourceError:
    """A glob, folder or list without a file."""
    return SourceError(
        f"`source` must name at least one file. Got none for {paths!r}. Check the path; in folders, files are "
        "found by their endings, and names that begin with a dot or an underscore are left out."
    )


def dead_link(path: str) -> SourceError:
    """A link whose target is gone."""
    return SourceError(
        f"{path}: links must lead to a file or a folder. Got one that leads nowhere. Repair or delete it; nothing was "
        "learnt from the other files."
    )


def link_loop(path: str, target: str) -> SourceError:
    """A link to a folder that it lies in."""
    return SourceError(
        f"{path}: links must not lead back to a folder they lie in. Got one to {target}. Delete it, or name the "
        "files."
    )


def file_in_two_folders(first: str, second: str) -> SourceError:
    """One file whose rows would have two values of a column in the names of folders."""
    return SourceError(
        f"{second}: the names of folders must say the same of a file wherever it is found. Got the file of {first}, of "
        "which its folders say something else. Leave out one of the two."
    )


def key_is_column(path: str, column: str) -> SourceError:
    """A column in the name of a folder that the file has, too."""
    return SourceError(
        f"{path}: columns in the names of folders must not be in the file. Got {column!r} in both. Rename the folder "
        "or the column."
    )


def unknown_format(path: str, endings: list[str]) -> SourceError:
    """A file whose name does not tell its format."""
    return SourceError(
        f"The name of a file must end in {', '.join(endings)}. Got {path!r}. Rename it, or read it with DuckDB or "
        "pyarrow and give the relation or a function that gives batches."
    )


def bad_file(path: str, place: str, reason: object) -> SourceError:
    """A file that cannot be read, or a part of it."""
    where = f"{path}, {place}" if place else path
    return SourceError(
        f"{where}: every part of the source must be readable. Got: {reason}. Repair or leave out the file; nothing "
        "was learnt from the others."
    )


def file_changed(path: str) -> SourceError:
    """Another size or time of writing than when the source was opened."""
    return SourceError(
        f"{path}: files must stay as they are until all passes are done. Got another size or time than at the "
        "beginning. Start again when nobody writes to it."
    )


def rows_changed(before: int, after: int) -> SourceError:
    """A stream that gave other rows in the second pass."""
    return SourceError(
        f"`source` must give the same rows in every pass. Got {before:,} rows in the first and {after:,} in the next. "
        "Give a function that opens the stream anew each time, or files that nobody writes to."
    )


def column_changed(column: str) -> SourceError:
    """A stream that gave as many rows in the second pass, but other cells."""
    return SourceError(
        f"`source` must give the same rows in every pass. Got other cells of column {column!r} in the second than "
        "in the first. Give a function that opens the stream anew each time, or files that nobody writes to."
    )


def bad_partition(number: int, column: str, expected: object, reason: object) -> SourceError:
    """A partition of a distributed dataframe with cells of another type."""
    return SourceError(
        f"Partition {number}: column {column!r} must hold cells of type {expected}, as its dataframe says or its first "
        f"partition shows. Got: {reason}. Convert the column with astype."
    )


def mixed_column(column: str, reason: object) -> SourceError:
    """Objects of several types in a partition of a distributed dataframe."""
    return SourceError(
        f"Column {column!r} must hold cells of one type. Got: {reason}. Convert it, for instance with astype(str)."
    )


def bad_engine(kind: str) -> TypeError:
    """Something that cannot run a fold."""
    return TypeError(
        f"`engine` must be a dask.distributed.Client or None. Got {kind}. Dataframes of Dask and Spark find their "
        "cluster by themselves."
    )


def not_for_workers(kind: str) -> TypeError:
    """A source that only this process can read."""
    return TypeError(
        f"`source` must be files that the workers can read, or a Dask dataframe, to be learnt from with `engine`. Got "
        f"{kind}. Leave `engine` out to learn from it here."
    )


def cluster_cannot_resume(folder: object) -> ValueError:
    """Sums are saved where one process adds them up."""
    return ValueError(
        f"`resume` must be None on a cluster. Got {folder!r}. Dask and Spark repeat what a lost worker had done; leave "
        "`resume` out."
    )


def not_for_copied_rows(engine: object, method: str) -> ValueError:
    """A method that goes over copied rows many times, in this process, from its beginning to its end."""
    return ValueError(
        f"`engine` must be None for {method}. Got {engine!r}. It copies the rows to a disk here and goes over "
        "them many times; leave `engine` out."
    )


def needs_all_rows(name: str, value: object, method: str) -> ValueError:
    """What cannot be done with rows that stay on the workers of a cluster."""
    if name in ("scratch", "groups", "time"):
        return ValueError(
            f"`{name}` must be None where {method} leaves the rows on the workers. Got {value!r}. Leave `{name}` out, "
            "or leave `engine` out and name a folder in `scratch=` to copy the rows to this machine."
        )
    return ValueError(
        f"`{name}` must not need all rows in one place where {method} leaves them on the workers. Got {value!r}. Give "
        f"`{name}` another value, or leave `engine` out and name a folder in `scratch=` to copy the rows to this "
        "machine."
    )


def workers_cannot_write(folder: str, reason: object) -> SourceError:
    """A folder that is not the same for the workers of a cluster as here."""
    return SourceError(
        f"`output` must lie where all workers and this process can write. Got a folder in {folder}: {reason}. Name a "
        "folder on a disk that they share, or a file (such as scores.parquet), which this process writes."
    )


def text_needs_all_rows(column: str) -> ValueError:
    """Words of a column are counted beside rows that are left out."""
    return ValueError(
        f"Column {column!r} must not be text where the rows are left on the workers. Leave it out of `columns`, take "
        "it as categories (`categorical_features`), or leave `engine` out and name a folder in `scratch=` to copy the "
        "rows to this machine."
    )


def workers_lost(reason: object) -> RuntimeError:
    """A part of the rows that no worker got through with."""
    return RuntimeError(
        f"Every part of the source must be counted by some worker. Got: {reason}. Nothing was learnt. Look into the "
        "logs of the workers (too little memory is the usual reason) and use smaller partitions or "
        "workers with more memory."
    )


def repeated_columns(where: str, names: list[str]) -> SourceError:
    """Two columns under one name."""
    repeated = sorted({name for name in names if names.count(name) > 1})
    return SourceError(
        f"{where}: columns must have different names. Got {few(repeated)} more than once. Rename them."
    )


def column_lacking(column: str, where: str, elsewhere: str) -> SourceError:
    """A column that some parts of the source have and others not."""
    return SourceError(
        f"{where}: all parts of a source must have the same columns. Got no column {column!r}, which {elsewhere} has. "
        "Add the column, or leave out the file."
    )


def types_differ(column: str, first: tuple[str, Any], second: tuple[str, Any]) -> SourceError:
    """A column of two kinds."""
    return SourceError(
        f"{second[0]}: column {column!r} must be of one kind in all parts. Got {second[1]}, but {first[1]} in "
        f"{first[0]}. Convert one of them."
    )


def no_such_column(parameter: str, column: object, names: list[str]) -> SourceError:
    """A column the source has not."""
    return SourceError(
        f"`{parameter}` must name columns of the source ({few(names, 10)}). Got {column!r}. Check the spelling."
    )


def column_has_two_roles(column: str, first: str, second: str) -> SourceError:
    """The target as a feature, the weights as the target, and the like."""
    return SourceError(
        f"`{first}` and `{second}` must be different columns. Got {column!r} for both. Leave it out of one of them."
    )


def no_columns_left(names: list[str]) -> SourceError:
    """Nothing to learn from."""
    return SourceError(
        f"The source must have a column to learn from. Got {few(names)} alone. Name other columns in `columns`."
    )


def source_without_rows() -> SourceError:
    """Files and streams that are all empty."""
    return SourceError("`source` must have at least one row. Got none. Check where it comes from.")


def class_appeared() -> SourceError:
    """A class of the second pass that the first did not see."""
    return SourceError(
        "`source` must give the same rows in every pass. Got a class that the first pass did not see. Give a function "
        "that opens the stream anew each time, or files that nobody writes to."
    )


def not_from_sources(parameter: str, value: object, other: object) -> ValueError:
    """A setting that needs all rows at once."""
    return ValueError(
        f"`{parameter}` must be {other!r} for fit_source. Got {value!r}, which needs all rows in memory. Set "
        f"{parameter}={other!r}, or call fit with a table."
    )


def part_not_from_sources(parameter: str, value: object) -> ValueError:
    """An estimator of another library, which must have its table in memory."""
    return ValueError(
        f"`{parameter}` must be an estimator of bayfold for fit_source and predict_source. Got {value!r}, which needs "
        f"all rows in memory. Leave {parameter} out, or call fit and predict with a table."
    )


def cannot_write(path: str, reason: object) -> SourceError:
    """A full disk, a folder that may not be written to."""
    return SourceError(
        f"{path}: the place must be writable. Got: {reason}. Make room or choose another place; nothing was left "
        "half-written, and what was there before is unchanged."
    )


def no_room_for_scratch(folder: str, reason: object) -> SourceError:
    """A scratch folder that is full, or that may not be written to."""
    return SourceError(
        f"`scratch` must name a folder with room for arrays. Got {folder!r}: {reason}. Make room, or choose a folder "
        "on another disk with scratch=. Nothing was left there."
    )


def no_room_for_copy(folder: str, reason: object) -> SourceError:
    """A folder to resume from that is full, or that may not be written to."""
    return SourceError(
        f"`resume` must name a folder with room for the copied rows. Got {folder!r}: {reason}. Make room and call "
        "fit_source again: the copied rows stay there, and it goes on from the last checkpoint. To give up, delete "
        "the files fit.checkpoint and fit.rows."
    )


def output_exists(path: str) -> SourceError:
    """Something is there already that would be lost."""
    return SourceError(
        f"`output` must not exist yet. Got {path!r}. Choose another name, or replace it with overwrite=True."
    )


def output_without_format(path: str, endings: list[str]) -> SourceError:
    """An empty name, or an ending that stands for nothing that can be written."""
    return SourceError(
        f"`output` must end in {', '.join(endings[:-1])} or {endings[-1]}, or name a folder without an ending. Got "
        f"{path!r}. Choose another name."
    )


def output_is_source(path: str, source: str) -> SourceError:
    """Answers in place of the rows they are for."""
    return SourceError(
        f"`output` must not be read by `source`, nor hold it. Got {path!r} for the rows of {source!r}. "
        "Write to another place."
    )


def output_of_other_kind(path: str, is_folder: bool) -> SourceError:
    """A folder with the name of a file, or the reverse."""
    kinds = (
        ("a folder, as its name has no ending", "a file")
        if is_folder
        else ("a file, as its name says", "a folder")
    )
    return SourceError(
        f"`output` {path!r} must be {kinds[0]}. Got {kinds[1]}. Choose another name, or remove what is there."
    )


def folder_with_others(path: str, name: str) -> SourceError:
    """A folder that holds what nobody asked to delete."""
    return SourceError(
        f"A folder that is replaced must hold nothing but what `predict_source` wrote. Got {name!r} in {path!r}. "
        "Choose another folder, or remove this one yourself."
    )


def folder_of_someone(path: str) -> SourceError:
    """A folder that is never replaced, whatever it holds."""
    return SourceError(
        f"A folder that is replaced must not be the current folder, a home or a root. Got {path!r}. "
        "Name a folder in it."
    )


def name_taken(column: str) -> SourceError:
    """A kept column under the name of an answer."""
    return SourceError(
        f"`keep` must not name a column that is called like an answer. Got {column!r}. Rename it in the source."
    )


def stream_format(form: str, known: list[str]) -> UsageError:
    """A format that is not written a chunk at a time."""
    return UsageError(
        f"What is written a chunk at a time must be one of {', '.join(known)}. Got {form}. Choose another ending."
    )


def not_in_encoding(encoding: str, character: str) -> SourceError:
    """A class that the encoding of the input has no letters for."""
    return SourceError(
        f"The answers must have letters that {encoding}, in which the source is written, has. Got {character!r}. Write "
        "them to Parquet, or convert the source to UTF-8."
    )


def bad_checkpoint(path: str, reason: object) -> SourceError:
    """A file that no fit can go on from."""
    return SourceError(
        f"{path}: the file must be one that fit_source has saved. Got: {reason}. Delete it to begin anew."
    )


def rows_cut_short(name: str, size: int) -> EOFError:
    """A file of copied rows that ends before what it is said to hold."""
    return EOFError(f"{name} is shorter than {size:,} bytes")


def rows_changed_on_disk(name: str) -> EOFError:
    """A file of copied rows that holds others than were written."""
    return EOFError(f"{name}, whose checksum does not fit")


def checkpoint_too_large(folder: str) -> DataWarning:
    """Sums that are too large for a file."""
    return DataWarning(
        f"`resume` needs sums that fit in a file of 3 GB. Those of this fit are larger: {folder!r} is not written "
        "to any more, and the fit cannot go on after an interruption. Leave out columns with many categories."
    )


def other_fit(folder: str, differing: list[str]) -> SourceError:
    """A folder with another fit in it."""
    return SourceError(
        f"`resume` must name a folder of the same fit. Got {folder!r}, which holds one that differs in "
        f"{' and '.join(differing)}. Choose another folder, or delete this one to begin anew."
    )


def model_without_names(estimator: str) -> ValueError:
    """A model fitted to an array, whose columns have no names to be looked for in a source."""
    return ValueError(
        f"The model must know the names of its columns. Got a {estimator} fitted to a table without names. Fit it with "
        "fit_source, or to a frame."
    )
