"""What is wrong with a model file, or with saving one."""

from __future__ import annotations

from collections.abc import Sequence

from bayfold.errors.kinds import DataWarning, ModelFileError, few

OTHER_WAYS = "Use pickle or skops, which keep any object; load a pickle only if you trust where it comes from."


def not_a_model_file(name: str) -> ModelFileError:
    """Something else than a model file."""
    return ModelFileError(
        f"`file` must be a model that `save` has written. Got {name}, which is none. Look at the name of the file."
    )


def damaged_file(name: str, reason: str, written_by: str, version: str) -> ModelFileError:
    """A file that was changed or cut off after it was written."""
    other = (
        f" It was written by bayfold {written_by}; this is {version}."
        if written_by != version
        else ""
    )
    return ModelFileError(
        f"`file` must be as `save` has written it. Got {name}, which is damaged: {reason}.{other} "
        "Copy it again from where it came from, or save the model again."
    )


def newer_file(name: str, protocol: int, known: int, version: str) -> ModelFileError:
    """A file of a format that this version does not know yet."""
    return ModelFileError(
        f"`file` must be of protocol {known} or older. Got {name} of protocol {protocol}, by bayfold {version}. "
        "Install that version or a newer one: pip install --upgrade bayfold."
    )


def oversized_file(name: str, what: str, size: int, most: int) -> ModelFileError:
    """A file that would take more memory than a model may."""
    return ModelFileError(
        f"`file` must have {what} of at most {most:,} bytes. Got {name} with {size:,}. "
        "A model of that size cannot be loaded; do not trust a small file that claims to be one."
    )


def model_too_large(size: int, most: int, unit: str) -> ModelFileError:
    """A model that `load` would refuse."""
    return ModelFileError(
        f"A model must take at most {most:,} {unit} to be saved. Got {size:,}. "
        "Use `save(..., statistics=False)`, or leave out columns with many categories."
    )


def cannot_be_saved(path: str, value: object) -> ModelFileError:
    """A value that a model file does not hold."""
    kind = type(value)
    return ModelFileError(
        f"`{path}` must be a number, a string, an array or a model of bayfold to be saved. "
        f"Got {kind.__module__}.{kind.__qualname__}. {OTHER_WAYS}"
    )


def subclass_cannot_be_saved(kind: type) -> ModelFileError:
    """An estimator that is not one of the library's own."""
    return ModelFileError(
        f"A model must be of a class of bayfold to be saved. Got {kind.__module__}.{kind.__qualname__}. {OTHER_WAYS}"
    )


def unwritable_file(error: OSError, path: str) -> OSError:
    """A path that cannot be written to."""
    reason = error.strerror or str(error)
    words = f"`file` must be a path that can be written to ({reason}). Give another path, or make its folder first"
    return type(error)(error.errno, words, path)


def not_a_file(file: object) -> TypeError:
    """Neither a path nor a file object."""
    return TypeError(
        f"`file` must be a path or a binary file object. Got {type(file).__name__}. "
        'Give a path such as "model.bayfold", or a file opened with mode "rb" or "wb".'
    )


def parameters_not_saved(names: Sequence[str]) -> DataWarning:
    """Functions and random generators among the parameters."""
    return DataWarning(
        f"Not saved: {few(list(names))}, since a model file holds no functions and no random generators. "
        "The loaded model has their defaults; predictions do not depend on them."
    )


def attributes_not_saved(names: Sequence[str]) -> DataWarning:
    """Attributes that are not the estimator's own."""
    return DataWarning(
        f"Not saved: {few(list(names))}, which the model did not get from fitting. Keep them in a file of their own."
    )


def no_statistics(what: str) -> ModelFileError:
    """Something that only a model with its statistics can do."""
    return ModelFileError(
        f"A model must have its statistics for {what}. Got one that was saved with statistics=False. "
        "Load the model that was saved with them, or fit again."
    )
