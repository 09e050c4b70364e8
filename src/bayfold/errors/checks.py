"""Checks of parameters: each raises in the same words, with the name, what must hold, and what was given.

Where a parameter may also be a word or None, these are given as ``words``.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable, Sequence
from functools import cache
from numbers import Integral, Real
from typing import Any

import numpy as np

from bayfold.errors.parameters import bad_parameter

Word = str | None


def check_choice(name: str, value: object, choices: Iterable[Word]) -> None:
    """One of a few words, or None where that is among them."""
    known = list(choices)
    if not _is_among(value, known):
        raise bad_parameter(name, list_choices(known), value)


def check_flag(name: str, value: object) -> None:
    """True or False, of Python or NumPy."""
    if not is_flag(value):
        raise bad_parameter(name, "True or False", value)


def check_callable(name: str, value: object) -> None:
    """A function, or None."""
    if value is not None and not callable(value):
        raise bad_parameter(name, "a function or None", value)


def check_notes(name: str, value: object) -> None:
    """A dict from words to text, or None."""
    plain = isinstance(value, dict) and all(
        isinstance(word, str) for word in (*value, *value.values())
    )
    if value is not None and not plain:
        raise bad_parameter(name, "a dict from str to str, or None", value)


def check_classifier(name: str, value: object) -> None:
    """A classifier that gives probabilities."""
    if not hasattr(value, "predict_proba"):
        advice = "Use a classifier that gives probabilities, or wrap it in CalibratedClassifierCV."
        raise bad_parameter(name, "a classifier with predict_proba", value, advice)


def check_clusterer(name: str, value: object) -> None:
    """A clusterer that says where each row belongs."""
    if not hasattr(value, "fit_predict"):
        raise bad_parameter(name, "a clusterer with fit_predict", value)


def check_whole(
    name: str,
    value: Any,
    least: int = 0,
    most: int | None = None,
    *,
    words: Sequence[Word] = (),
    suffix: str = "",
) -> None:
    """A whole number between bounds."""
    if _is_among(value, words):
        return
    if is_whole(value) and least <= value and (most is None or value <= most):
        return
    allowed = "that is not negative" if (least, most) == (0, None) else f"from {least}"
    allowed += "" if most is None else f" to {most}"
    raise bad_parameter(name, list_choices(words, f"a whole number {allowed}{suffix}"), value)


def check_number(
    name: str,
    value: Any,
    least: float = 0.0,
    most: float = math.inf,
    *,
    above: bool = False,
    words: Sequence[Word] = (),
    suffix: str = "",
) -> None:
    """A finite number between bounds, strictly ``above`` the lower one if asked for."""
    if _is_among(value, words):
        return
    if is_finite(value) and (least < value if above else least <= value) and value <= most:
        return
    condition = f"a number {_between(least, most, above)}".rstrip() + suffix
    raise bad_parameter(name, list_choices(words, condition), value)


def check_fraction(name: str, value: Any, least: int = 0, *, words: Sequence[Word] = ()) -> None:
    """A number strictly between 0 and 1, or between ``least`` and the next whole number."""
    if not _is_among(value, words) and not (is_finite(value) and least < value < least + 1):
        condition = list_choices(words, f"a number above {least} and below {least + 1}")
        raise bad_parameter(name, condition, value)


def check_name_list(name: str, value: Any) -> None:
    """A list of names, not one name, whose letters would be taken for names."""
    if isinstance(value, (str, bytes)):
        raise bad_parameter(name, f"a list of names, such as [{value!r}]", value)


def check_probabilities(name: str, values: np.ndarray) -> None:
    """Numbers from 0 to 1."""
    wrong = ~((values >= 0) & (values <= 1))
    if wrong.any():
        raise bad_parameter(name, "probabilities from 0 to 1", float(values[wrong].flat[0]))


def check_unused(estimator: Any, name: str, setting: str) -> None:
    """A parameter that a setting leaves without effect has its default."""
    default = default_of(estimator, name)
    value = getattr(estimator, name)
    if value is not default and not _is_equal(value, default):
        raise bad_parameter(name, f"{default!r} with {setting}, which makes no use of it", value)


def default_of(estimator: Any, name: str) -> Any:
    """What a parameter is unless it is given."""
    return _defaults_of(type(estimator))[name]  # type: ignore[arg-type]  # a type is hashable


@cache
def _defaults_of(estimator: type) -> dict[str, Any]:
    """Of all parameters, kept because every fit asks: reading a signature takes a third of a millisecond."""
    parameters = inspect.signature(estimator).parameters
    return {name: parameter.default for name, parameter in parameters.items()}


def as_numbers(name: str, condition: str, given: object) -> np.ndarray:
    """What was given as floats; refused with its name where it is no array of numbers."""
    try:
        return np.asarray(given, np.float64)
    except (TypeError, ValueError):
        raise bad_parameter(name, condition, _find_no_number(given)) from None


def _find_no_number(given: object) -> object:
    """The first entry that is no number, or all that was given."""
    try:
        entries = np.asarray(given, object).ravel().tolist()
    except ValueError:  # lists of unequal lengths
        return given
    for entry in entries:
        try:
            float(entry)
        except (TypeError, ValueError):
            return entry
    return given


def is_whole(value: object) -> bool:
    """Whether it is an integer of Python or NumPy, and no boolean."""
    return isinstance(value, Integral) and not is_flag(value)


def is_finite(value: object) -> bool:
    """Whether it is a finite number of Python or NumPy, and no boolean."""
    return isinstance(value, Real) and not is_flag(value) and math.isfinite(value)


def is_flag(value: object) -> bool:
    """Whether it is True or False, of Python or NumPy."""
    return isinstance(value, (bool, np.bool_))


def list_choices(words: Iterable[Word], last: str | None = None) -> str:
    """Words as one types them, and another condition behind them.

    >>> list_choices(["weights", "temperature", None])
    '"weights", "temperature" or None'
    >>> list_choices([None], "a whole number from 1")
    'None or a whole number from 1'
    """
    shown = ["None" if word is None else f'"{word}"' for word in words]
    *first, end = shown if last is None else [*shown, last]
    return f"{', '.join(first)} or {end}" if first else end


def _is_among(value: object, words: Sequence[Word]) -> bool:
    """Whether it is one of the words; arrays and the like are not compared."""
    return (value is None or isinstance(value, str)) and value in words


def _between(least: float, most: float, above: bool) -> str:
    if math.isinf(most):
        lower = {(0.0, True): "above zero", (0.0, False): "that is not negative"}
        lower[-math.inf, False] = ""
        return lower.get((least, above), f"{'above' if above else 'from'} {least:g}")
    return f"above {least:g} and at most {most:g}" if above else f"from {least:g} to {most:g}"


def _is_equal(value: object, default: object) -> bool:
    """Equality of plain values and tuples of them, numbers of Python or NumPy; arrays are never a default."""
    if isinstance(value, tuple) and isinstance(default, tuple):
        return len(value) == len(default) and all(map(_is_equal, value, default))
    plain = isinstance(value, (str, Real, np.bool_)) and isinstance(default, (str, Real))
    return plain and is_flag(value) == is_flag(default) and bool(value == default)
