"""The kinds of errors and warnings, for ``except`` and ``filterwarnings``, and lists of names in a sentence.

Also warnings that are recorded, and warnings that were given before.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType


class SchemaError(ValueError):
    """A table does not fit the schema it is used with."""


class MergeError(ValueError):
    """Two models or statistics cannot be added up."""


class ColumnTypeError(TypeError):
    """A column holds something that is neither a number nor a category."""


class DatasetError(ValueError):
    """A dataset cannot be found or a file cannot be read."""


class SourceError(ValueError):
    """A file, query or stream cannot be read, or what is made of it cannot be written."""


class ModelFileError(ValueError):
    """A model file cannot be read, or a model cannot be written to one."""


class ExportError(NotImplementedError):
    """A model, or a part of one, cannot be exported as asked."""


class UsageError(ValueError):
    """A command was asked for something that cannot be; its exit code is 2."""


class NoTablesError(AttributeError):
    """A model that is no sum of tables was asked for them, or for what they explain."""


class DataWarning(UserWarning):
    """Something in the data that is handled, but that the user should know."""


class UnseenCategoryWarning(DataWarning):
    """A category that did not occur in training; it gives no evidence."""


READ_WORDS = ("NaiveBayesClassifier", "BoostedNaiveBayesClassifier", "NaiveBayesRegressor")
"""The estimators that take columns of text."""


READ_SPARSE = ("NaiveBayesClassifier",)
"""The estimators that take sparse matrices."""


def named_columns(columns: list[str]) -> str:
    return f"column{'s' if len(columns) > 1 else ''} {few(list(columns))}"


def few(values: list, limit: int = 5) -> str:
    shown = ", ".join(repr(value) for value in values[:limit])
    return shown if len(values) <= limit else f"{shown} and {len(values) - limit} more"


def listed(names: list[str], limit: int = 5) -> str:
    lines = [f"- {name}\n" for name in names[:limit]]
    return "".join(lines) + ("- ...\n" if len(names) > limit else "")


_RECORDERS: ContextVar[tuple[list[str], ...]] = ContextVar("listeners", default=())


@contextmanager
def record_warnings() -> Iterator[list[str]]:
    """The texts of all warnings of the library from here on, each once; they are given all the same."""
    recorded: list[str] = []
    token = _RECORDERS.set((*_RECORDERS.get(), recorded))
    try:
        yield recorded
    finally:
        _RECORDERS.reset(token)


@contextmanager
def ignore_warnings(category: type[Warning]) -> Iterator[None]:
    """Neither give nor record warnings of a kind."""
    token = _RECORDERS.set(())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", category)
            yield
    finally:
        _RECORDERS.reset(token)


def pass_to_recorders(warning: Warning) -> None:
    """Hand the text of a warning to every recorder."""
    text = str(warning)
    for recorded in _RECORDERS.get():
        if text not in recorded:
            recorded.append(text)


MOST_KEPT_TEXTS = 10_000
"""Texts that are kept; a program that gives more of them loses the oldest, and warns again."""

CROSS_VALIDATION = "sklearn.model_selection._validation"
"""The module whose functions fit and score each fold."""

_WARNED_BEFORE: dict[tuple[str, int, str], None] = {}


def was_warned_before(warning: Warning, frame: FrameType | None) -> bool:
    """Whether this line of code was warned so before, and nobody asked for more than Python's default."""
    if frame is None or _find_action(warning) != "default":
        return False
    key = (frame.f_code.co_filename, frame.f_lineno, str(warning))
    if key in _WARNED_BEFORE:
        return True
    _WARNED_BEFORE[key] = None
    if len(_WARNED_BEFORE) > MOST_KEPT_TEXTS:
        del _WARNED_BEFORE[next(iter(_WARNED_BEFORE))]
    return False


def is_in_cross_validation(frame: FrameType | None) -> bool:
    """Whether scikit-learn is judging a model on rows of the same table, by whatever it calls cross-validation.

    Not by way of ``GridSearchCV.predict`` and the like, which stand in another module: their rows are new.
    """
    while frame is not None:
        if frame.f_globals.get("__name__") == CROSS_VALIDATION:
            return True
        frame = frame.f_back
    return False


def _find_action(warning: Warning) -> str:
    """What the filters of the moment say; those for single modules and lines are left to Python."""
    for action, message, category, module, line in warnings.filters:
        fits = message is None or message.match(str(warning))
        if isinstance(warning, category) and fits:
            return action if module is None and line == 0 else "other"
    return "default"
