"""The kinds of errors and warnings, for ``except`` and ``filterwarnings``, and lists of names in a sentence."""

from __future__ import annotations


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
