"""Names and values in a sentence: the first few, and how many there are."""

from __future__ import annotations

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
