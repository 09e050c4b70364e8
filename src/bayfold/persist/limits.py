"""Bounds on what a model file may claim to hold: a small file must not take all memory."""

from __future__ import annotations

MIB = 1 << 20  # bytes

MOST_JSON = 256 * MIB
"""Of the document. Twenty columns of 65,000 categories with 20 letters each take a tenth of it."""

MOST_ARRAYS = 3 * 1024 * MIB
"""Of all arrays as they are stored. AODE, the largest model, refuses tables of pairs beyond 2 GB; entries of a zip
without the 64-bit extension end at 4 GB."""

MOST_MANIFEST = 64 * 1024
"""Of the manifest, which takes less than a thousandth."""

UNSUSPICIOUS = 16 * MIB
"""Entries up to this size may be compressed as far as they can be."""

MOST_RATIO = 100
"""Larger entries may shrink so far; tables of counts, mostly zero, shrink by 20 to 60. The writer keeps to it."""

MOST_DIMENSIONS = 8
"""Of an array; models have four at most."""
