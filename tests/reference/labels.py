"""Labels counted and hashed, in Python integers."""

from __future__ import annotations


def count_labels(indices, weights, words, totals, hashes):
    """An index of -1 takes the last entry, as Python has it."""
    for i, label in enumerate(indices.tolist()):
        totals[label] += weights[i]
        hashes[i] = int(hashes[i]) ^ int(words[label])


def count_equal_labels(indices, words, totals, hashes):
    """The same of rows that weigh one each; it does not matter which row of ``totals`` counts them."""
    for i, label in enumerate(indices.tolist()):
        totals[0, label] += 1
        hashes[i] = int(hashes[i]) ^ int(words[label])


def mark_used(indices, used):
    """Every entry that is pointed to; -1 points to none."""
    for label in indices.tolist():
        if label >= 0:
            used[label] = True


def write_codes(indices, lookup, position, codes):
    """Row by row."""
    for i, label in enumerate(indices.tolist()):
        codes[i, position] = lookup[label]
