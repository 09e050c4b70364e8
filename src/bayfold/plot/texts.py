"""Names in pictures: cut where they are long, and still told apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

CUT = "…"


def cut_names(names: Sequence[str], width: int = 18) -> list[str]:
    """Names of at most so many characters, different where the names are.

    The beginning is kept, of names that begin alike the end as well, and of those that end alike a number tells them
    apart.

    >>> cut_names(["a long name of a thing", "short"], 8)
    ['a long …', 'short']
    >>> cut_names(["category number one", "category number two"], 10)
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
