"""What every character is: part of a word, a word of a script without spaces, or what stands between words.

Words are letters, digits and the marks on them (Unicode categories L, N and M), in lower case.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache

import numpy as np

from bayfold.core.kernels.codes import BEYOND_PLAIN, LETTER, UNSPACED

PLAIN = 0x80
"""ASCII ends here."""

TABLED = 0x20000
"""Code points in the tables: all letters there are but for rare Chinese characters, which follow."""

UNSPACED_SCRIPTS = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x3005, 0x3007),
    (0x3040, 0x30FF),  # Hiragana, Katakana
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),  # Chinese characters
    (0xF900, 0xFAFF),
)
"""Scripts in which no spaces stand between words."""


@dataclass(frozen=True, eq=False)
class Letters:
    """Tables by code point.

    Attributes
    ----------
    kinds : ndarray of uint8
    lowers : ndarray of uint32
    plain : ndarray of uint8 of shape (256,)
        By byte: the lower-case letter or digit of ASCII, zero for what separates words, ``BEYOND_PLAIN`` beyond ASCII.
    """

    kinds: np.ndarray
    lowers: np.ndarray
    plain: np.ndarray


def find_letters(data: np.ndarray) -> Letters:
    """The tables that some bytes of UTF-8 ask for: most often those of ASCII are enough."""
    is_plain = not len(data) or int(data.max()) < PLAIN
    return _make_letters(PLAIN if is_plain else TABLED)


@cache
def _make_letters(size: int) -> Letters:
    """Made when first asked for: all of them take a tenth of a second."""
    characters = [chr(point) for point in range(size)]
    is_word = [unicodedata.category(c)[0] in "LNM" for c in characters]
    kinds = np.array(is_word, np.uint8) * np.uint8(LETTER)
    for first, last in UNSPACED_SCRIPTS:
        kinds[first : last + 1] *= np.uint8(UNSPACED)
    # the one letter that becomes two, a dotted capital I, becomes the first of them
    lowers = np.array([ord(c.lower()[0]) for c in characters], np.uint32)
    plain = np.full(256, BEYOND_PLAIN, np.uint8)
    plain[:PLAIN] = np.where(kinds[:PLAIN] == LETTER, lowers[:PLAIN], 0)
    return Letters(kinds, lowers, plain)
