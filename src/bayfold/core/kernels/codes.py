"""What the codes mean, the same in every column and for both widths of code."""

from __future__ import annotations

MISSING = 0
"""The cell is empty."""

UNSEEN = 1
"""The cell holds a category that did not occur in training."""

FIRST_BIN = 2
"""Bins and categories are numbered from here."""

NARROW_BINS = 256 - FIRST_BIN
"""How many bins a one-byte code can tell apart."""

WIDE_BINS = 65536 - FIRST_BIN
"""How many bins a two-byte code can tell apart."""

CELLS = 4096
"""Cells of the grid that finds the bin of a number (see encode.py)."""

FIRST_CELL = 2
"""The cells of the grid are numbered from here: before them come missing cells and numbers below the grid."""

STAGGER = 64
"""Bytes by which the tables of neighbouring columns are shifted. Their sizes are powers of two, and columns of a kind
are looked up in the same places, which would compete for the same few lines of the first-level cache."""

SEPARATOR, LETTER, UNSPACED = 0, 1, 2
"""What a character is to those who split texts into words; letters are digits and marks too, unspaced ones belong to
scripts without spaces between words."""

BEYOND_PLAIN = 255
"""Of a byte that is not ASCII: what it belongs to is found by its code point."""
