"""Names in pictures: cut where they are long, and still told apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

CUT = "…"

CHARACTERS_PER_INCH = 11.0
"""Of labels of the usual size, so that words do not touch."""


def show_text(text: object) -> str:
    """A name as it is: a dollar sign would begin a formula."""
    return str(text).replace("$", r"\$")


def cut_name(name: object, width: int = 24) -> str:
    """One name of at most so many characters."""
    return cut_names([str(name)], width)[0]


def fit_name(name: object, inches: float) -> str:
    """One name, as long as there is room for."""
    return cut_name(name, max(round(CHARACTERS_PER_INCH * inches), 12))


def name_in_legend(name: object, width: int = 30) -> str:
    """A name for a legend, where one that begins with an underscore would be left out."""
    text = cut_name(name, width)
    return f" {text}" if text.startswith("_") else text


def cut_names(names: Sequence[str], width: int = 18) -> list[str]:
    """The same for labels of matplotlib, which reads dollar signs as formulas."""
    return [show_text(text) for text in shorten_names(names, width)]


def shorten_names(names: Sequence[str], width: int = 18) -> list[str]:
    """Names of at most so many characters, different where the names are.

    The beginning is kept, of names that begin alike the end as well, and of those that end alike a number tells them
    apart.

    >>> shorten_names(["a long name of a thing", "short"], 8)
    ['a long …', 'short']
    >>> shorten_names(["category number one", "category number two"], 10)
    ['cate…r one', 'cate…r two']
    """
    plain = [" ".join(str(name).split()) for name in names]
    shown = [name if len(name) <= width else name[: width - 1] + CUT for name in plain]
    half = width // 2
    shown = _tell_apart(plain, shown, lambda name, _: name[: width - half - 1] + CUT + name[-half:])
    return _tell_apart(plain, shown, lambda name, k: f"{name[: width - 4]}{CUT}{k}")


def _tell_apart(plain: list[str], shown: list[str], cut: object) -> list[str]:
    """Other words for those that several different names have."""
    meant: dict[str, set[str]] = {}
    for name, text in zip(plain, shown, strict=True):
        meant.setdefault(text, set()).add(name)
    places, again = Counter[str](), []
    for name, text in zip(plain, shown, strict=True):
        if len(meant[text]) > 1:
            places[text] += 1
            text = cut(name, places[text])  # type: ignore[operator]
        again.append(text)
    return again


def write_number(number: float, digits: int = 4, sign: str = "") -> str:
    """In few digits, large numbers without an exponent.

    >>> write_number(12345.6), write_number(-0.012345, 3)
    ('12,346', '-0.0123')
    """
    form = f"{sign},.0f" if 1e3 <= abs(number) < 1e9 else f"{sign}.{digits}g"
    return f"{number:{form}}"
