"""Elkan (1997), Equations 1 and 2, with counts in dicts: ten bins of equal width over the training range."""

from __future__ import annotations

from collections import Counter


def cut_ten(column, value):
    """The number of the bin; the outer ones are open."""
    low, high = min(column), max(column)
    return min(max(int((value - low) / (high - low) * 10), 0), 9)


def find_probabilities(columns, classes, row):
    """Probabilities of the classes of one row, in their sorted order."""
    codes = [[cut_ten(column, v) for v in column] for column in columns]
    of_class = Counter(classes)
    joint = Counter()
    for j, column in enumerate(codes):
        joint.update((j, code, c) for code, c in zip(column, classes, strict=True))
    products = []
    for c in sorted(of_class):
        product = of_class[c] / len(classes)
        for j, value in enumerate(row):
            product *= joint[j, cut_ten(columns[j], value), c] / of_class[c]
        products.append(product)
    total = sum(products)
    return [product / total for product in products]
