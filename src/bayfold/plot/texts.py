"""The words of a column of text that speak most for each class; names cut to a length at which they still differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from bayfold.core.evidence import Records
from bayfold.plot import canvas

CUT = "…"

TIMES_SIGN = "\N{MULTIPLICATION SIGN}"
"""Before a factor."""

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
    places = Counter[str]()
    again = []
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


WORDS_PER_CLASS = 6
"""Words beside each class where there are more than two."""

LETTERS_PER_INCH = 12.0
"""Of words in tiles."""

BARS_PER_INCH = 5.0
"""With a word beside each."""

MOST_CLASSES = 14
"""Classes that are shown, those with the most rows: more lines are not read."""


def draw_words(words: Records, classes: np.ndarray, sizes: np.ndarray, most: int, ax: Any) -> Any:
    """Draw the strongest words, as bars for and against the second of two classes, or line by line for each class.

    Parameters
    ----------
    words : Records
        Of a column of text, as in ``evidence_``.
    classes, sizes : ndarray
        All classes, and the rows of each; nothing where a number is predicted.
    most : int
        Bars of two classes, or of a number.
    ax : matplotlib Axes or None
    """
    name = words["column"][0] if len(words) else ""
    if len(classes) == 0:
        axes = canvas.new_axes(ax, 6.4, 6.4)
        _draw_bars(axes, words, most, "shift")
        axes.set_xlabel("shift of the prediction by the word alone")
    elif len(classes) == 2:
        axes = canvas.new_axes(ax, 6.4, 6.4)
        _draw_bars(axes, words, most, "weight")
        first, second = cut_names([str(label) for label in classes], 18)
        axes.set_xlabel(f"weight of evidence\n← {first}      {second} →")
    else:
        shown = np.sort(np.argsort(-sizes, kind="stable")[:MOST_CLASSES])
        axes = canvas.new_axes(ax, 9.0, 0.42 * len(shown) + 1.2)
        _draw_lines(axes, words, classes[shown])
        axes.set_xlabel("words by weight of evidence, the strongest first")
    axes.set_title(fit_name(name, canvas.measure_width(axes)))
    return axes


def _draw_bars(ax: Any, words: Records, most: int, field: str) -> None:
    most = min(most, max(int(BARS_PER_INCH * canvas.measure_height(ax)), 4))
    order = np.argsort(words[field], kind="stable")
    chosen = order if len(order) <= most else np.append(order[: most // 2], order[-(most // 2) :])
    weight = words[field][chosen]
    ax.barh(
        np.arange(len(chosen)),
        weight,
        color=np.where(weight > 0, canvas.FOR_SECOND, canvas.FOR_FIRST),
    )
    ax.set_yticks(np.arange(len(chosen)), cut_names(words["bin"][chosen].tolist(), 20))
    ax.axvline(0, color="black", linewidth=0.8)
    ax.spines[["top", "right"]].set_visible(False)


def _draw_lines(ax: Any, words: Records, classes: np.ndarray) -> None:
    """A line of tiles for each class, the darker the stronger."""
    import matplotlib.pyplot as plt

    ax.set_yticks(np.arange(len(classes)), cut_names([str(label) for label in classes], 20))
    room = max(int(LETTERS_PER_INCH * canvas.measure_settled(ax) / WORDS_PER_CLASS), 4)
    strongest = max(float(words["weight"].max(initial=0.0)), 1e-12)
    shades = plt.get_cmap("Blues")
    for line, label in enumerate(classes):
        own = np.flatnonzero(words["class"] == label)[:WORDS_PER_CLASS]
        for place, k in enumerate(own):
            share = float(words["weight"][k]) / strongest
            shade = shades(0.1 + 0.6 * share)
            tile = plt.Rectangle((place, line - 0.5), 1, 1, fc=shade, ec="white", lw=2)
            ax.add_patch(tile)
            colour = "white" if share > 0.75 else "black"
            text = cut_name(words["bin"][k], min(room, 16))
            ax.text(place + 0.5, line, text, ha="center", va="center", color=colour, fontsize=9)
    ax.set_xlim(0, WORDS_PER_CLASS)
    ax.set_ylim(len(classes) - 0.5, -0.5)
    ax.set_xticks([])
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
