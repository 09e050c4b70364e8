"""What categories say to rows they were not counted on, row by row."""

from __future__ import annotations

import math


def count_parts(codes, labels, weights, part_of, shape):
    """The weight by category, part and label, as nested lists."""
    counts = [[[0.0] * shape[2] for _ in range(shape[1])] for _ in range(shape[0])]
    for code, label, weight, part in zip(codes, labels, weights, part_of, strict=True):
        counts[code][part][label] += weight
    return counts


def share_outside(codes, labels, weights, part_of, i, left_out, prior, strength, group):
    """The share of a group among the rows with the category of row i, outside its part and those left out."""
    total = inside = 0.0
    for other in range(len(codes)):
        if codes[other] != codes[i] or part_of[other] in (part_of[i], *left_out):
            continue
        total += weights[other]
        inside += weights[other] * (labels[other] == group)
    return (inside + strength * prior[group]) / (total + strength)


def sum_category_gains(codes, labels, weights, part_of, prior, strengths):
    """Sums of gains and of their squares, with each strength of the prior."""
    gains = [[0.0] * len(strengths), [0.0] * len(strengths)]
    rows = (codes, labels, weights, part_of)
    for i in range(len(codes)):
        for k, strength in enumerate(strengths):
            share = share_outside(*rows, i, (), prior, strength, labels[i])
            gain = math.log(share / prior[labels[i]])
            gains[0][k] += weights[i] * gain
            gains[1][k] += weights[i] * gain**2
    return gains


def add_category_evidence(codes, labels, weights, part_of, left_out, prior, strength, scores):
    """The scores with the evidence of each row's category added."""
    scores = [list(row) for row in scores]
    rows = (codes, labels, weights, part_of)
    for i in range(len(codes)):
        evidence = [
            math.log(share_outside(*rows, i, left_out, prior, strength, group) / prior[group])
            for group in range(len(prior))
        ]
        added = [evidence[1] - evidence[0]] if len(prior) == 2 else evidence
        scores[i] = [score + more for score, more in zip(scores[i], added, strict=True)]
    return scores
