"""Bounds on what a model file may claim to hold: a small file must not take all memory."""

from __future__ import annotations

MIB = 1 << 20  # bytes

MOST_JSON = 128 * MIB
"""Of the document. Twenty columns of 65,000 categories with 20 letters each take a fifth of it."""

MOST_JSON_VALUES = 1 << 22
"""In the document, by its commas and brackets. A value of two letters can take 200 bytes of memory once it is parsed;
64 columns of 65,000 categories have as many."""

MOST_ARRAYS = 3 * 1024 * MIB
"""Of all arrays as they are stored. AODE, the largest model, refuses tables of pairs beyond 2 GB; entries of a zip
without the 64-bit extension end at 4 GB."""

MOST_MANIFEST = 64 * 1024
"""Of the manifest, which takes less than a thousandth."""

UNSUSPICIOUS = 16 * MIB
"""Entries up to this size may be compressed as far as they can be."""

MOST_RATIO = 100
"""Larger entries may shrink so far; tables of counts, mostly zero, shrink by 20 to 60. The writer keeps to it."""

MOST_GROWTH = 16
"""Bytes of all arrays by bytes that are stored of them: whole numbers grow by 8, and equal arrays are stored once."""

LEAST_BUDGET = 256 * MIB
"""Of all arrays, however little is stored of them."""

MOST_DIMENSIONS = 8
"""Of an array; models have four at most."""
