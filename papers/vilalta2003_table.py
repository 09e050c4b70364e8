"""The table of papers.vilalta2003 from its raw results."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

LARGE_GAINS = (
    "vowel",
    "vehicle",
    "anneal",
    "vote",
    "segment",
    "ionosphere",
    "mushroom",
    "sick",
    "chess",
    "zoo",
)
TITLES = {
    "nb": "naive Bayes",
    "paper": "clusters from all rows",
    "cv": "inside folds, by likelihood",
    "accuracy": "inside folds, by accuracy",
    "nb_bins": "bins",
    "accuracy_bins": "bins, by accuracy",
    "nb_default": "default",
    "accuracy_default": "default, by accuracy",
}

PAIRS = (
    ("nb", "cv"),
    ("nb", "accuracy"),
    ("nb_bins", "accuracy_bins"),
    ("nb_default", "accuracy_default"),
)

EXPLANATION = """\
Accuracy in % of ten-fold cross-validation, mean over the repeats; in brackets the mean number of clusters per class.
Published: naive Bayes (NB), decomposed (NB'), and its mean number of clusters. Measured, with Gaussian columns
unless said otherwise:

* **naive Bayes**: `NaiveBayesClassifier(numeric="gaussian", variance_floor=0.01, smoothing="laplace",
  calibration=None)`;
* **clusters from all rows**: the paper's protocol. Every class is clustered once, before cross-validation, the number
  of clusters by held-out likelihood, and the class of the most probable cluster is predicted. Rows left out take
  part in the clusters;
* **inside folds, by likelihood** and **by accuracy**: `ClassDecompositionClassifier` with `n_clusters="cv"` and
  `"accuracy"` on that base, clusters from training rows alone;
* **bins**: the same with `numeric="equal_frequency"`, and its decomposition by accuracy;
* **default**: `NaiveBayesClassifier()` with the library's own choice of densities and weights, and its decomposition.
"""


def make_report(
    published: dict[str, dict[str, str]], results: list[dict[str, str]], command: str
) -> str:
    """Markdown: the table, its means, and how far the aims are met."""
    values: dict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
    for row in results:
        values[row["dataset"], row["setting"]].append(row)
    settings = [setting for setting in TITLES if any(key[1] == setting for key in values)]
    names = [name for name in published if any((name, s) in values for s in settings)]
    lines = [
        "| dataset | NB | NB' | " + " | ".join(TITLES[s] for s in settings) + " |",
        "|---" * (3 + len(settings)) + "|",
    ]
    for name in names:
        row = published[name]
        k = float(row["clusters_mean"])
        cells = [f"{float(row['nb']):.2f}", f"{float(row['nb_decomposed']):.2f} ({k:.1f})"]
        cells += [_cell(values[name, setting]) for setting in settings]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    means = {s: [_mean(values[n, s], "accuracy") for n in names if values[n, s]] for s in settings}
    shown = [np.mean([float(published[n][c]) for n in names]) for c in ("nb", "nb_decomposed")]
    shown += [np.mean(means[s]) for s in settings]
    cells = [f"**{v:.2f}**" for v in shown]
    for k, setting in enumerate(settings):  # a mean over some datasets is no mean to compare
        if len(means[setting]) < len(names):
            cells[2 + k] = f"({len(means[setting])} of {len(names)})"
    lines.append("| **mean** | " + " | ".join(cells) + " |")
    repeats = max((len(v) for v in values.values()), default=0)
    head = f"# Vilalta & Rish (2003), Table 1: class decomposition\n\nWritten by `{command}`; {repeats} repeat(s).\n\n"
    return (
        head + EXPLANATION + "\n" + "\n".join(lines) + "\n\n" + _verdicts(published, values, names)
    )


def _cell(rows: list[dict[str, str]]) -> str:
    if not rows:
        return ""
    text = f"{_mean(rows, 'accuracy'):.2f}"
    clusters = _mean(rows, "clusters")
    return text if rows[0]["setting"].startswith("nb") else f"{text} ({clusters:.1f})"


def _mean(rows: list[dict[str, str]], field: str) -> float:
    return float(np.mean([float(row[field]) for row in rows])) if rows else float("nan")


def _verdicts(published: dict[str, Any], values: dict, names: list[str]) -> str:
    """How often decomposition is not worse than its base, and the large gains of the paper."""

    def mean(name: str, setting: str) -> float:
        return _mean(values[name, setting], "accuracy")

    lines = []
    for base, setting in PAIRS:
        kept = [mean(n, setting) >= mean(n, base) - 0.5 for n in names if values[n, setting]]
        if kept:
            lines.append(
                f"* {TITLES[setting]}: at least {TITLES[base]} less 0.5 points on {sum(kept)} of {len(kept)} datasets."
            )
    gains = [name for name in LARGE_GAINS if values.get((name, "paper"))]
    for setting in ("paper", "cv", "accuracy"):
        near = [
            n
            for n in gains
            if values[n, setting] and mean(n, setting) >= float(published[n]["nb_decomposed"]) - 3.0
        ]
        if gains:
            away = ", ".join(n for n in gains if n not in near) or "none"
            lines.append(
                f"* Large gains of the paper, {TITLES[setting]}: within 3 points of the published NB' or above on "
                f"{len(near)} of {len(gains)}; not on: {away}."
            )
    seconds = sum(float(row["seconds"]) for rows in values.values() for row in rows)
    lines.append(f"* Measured in {seconds / 60:.0f} minutes in all, one thread.")
    return "\n".join(lines) + "\n"
