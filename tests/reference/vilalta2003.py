"""Vilalta and Rish (2003): naive Bayes on (class, cluster), and the class of the most probable cluster."""

from __future__ import annotations

import math
from collections import Counter, defaultdict


def predict_row(rows, labels, row):
    """The class of one row; labels are pairs of class and cluster, cells numbers or words."""
    members = defaultdict(list)
    for known, label in zip(rows, labels, strict=True):
        members[label].append(known)
    scores = {}
    for label, of_label in members.items():
        score = math.log(len(of_label) / len(rows))
        for j, value in enumerate(row):
            cells = [known[j] for known in of_label]
            if isinstance(value, str):
                n_values = len({known[j] for known in rows})
                score += math.log((Counter(cells)[value] + 1) / (len(cells) + n_values))
            else:
                mean = math.fsum(cells) / len(cells)
                variance = math.fsum((cell - mean) ** 2 for cell in cells) / len(cells)
                score -= (value - mean) ** 2 / (2 * variance) + math.log(variance) / 2
        scores[label] = score
    return max(scores, key=scores.get)[0]
