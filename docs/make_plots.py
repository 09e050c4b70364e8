"""Draw the pictures of docs/plots.md. The datasets come from BAYFOLD_DATA or OpenML.

python -m docs.make_plots
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

mpl.use("Agg")

from bayfold import (
    BoostedNaiveBayesClassifier,
    NaiveBayesClassifier,
    NaiveBayesMixture,
    NaiveBayesRegressor,
)
from bayfold.datasets import load_dataset, make_credit
from bayfold.errors import DataWarning
from bayfold.plot import (
    plot_calibration,
    plot_distribution,
    plot_evidence,
    plot_explanation,
    plot_interaction,
    plot_mixture,
    plot_model,
    plot_nomogram,
    plot_reliability,
)

IMAGES = Path(__file__).parent / "images"


def save(drawn: Any, name: str) -> None:
    """Write a small PNG of axes or of a whole figure."""
    figure = drawn if hasattr(drawn, "savefig") else drawn.figure
    figure.savefig(IMAGES / f"{name}.png", dpi=90)


def draw_whole_models() -> None:
    """All columns of a model, its nomogram, one of its rows, and the components of the same rows."""
    credit = make_credit(5000, random_state=0)
    model = NaiveBayesClassifier().fit(credit.frame, credit.target)
    save(plot_model(model, max_columns=6), "model_credit")
    save(plot_nomogram(model), "nomogram_credit")
    save(plot_explanation(model, credit.frame.slice(3, 1)), "explanation_credit")
    mixture = NaiveBayesMixture(3, random_state=0).fit(credit.frame)
    save(plot_mixture(mixture), "mixture_credit")


def draw_interaction() -> None:
    """Two columns of tic-tac-toe that tell together what neither tells alone."""
    data = load_dataset("tic-tac-toe", task="classification")
    model = BoostedNaiveBayesClassifier().fit(data.frame, data.target)
    save(plot_interaction(model), "interaction")


def draw_numbers() -> None:
    """Distributions of some cars' fuel consumption, what moved one of them, and whether they hold."""
    data = load_dataset("autoMpg", task="regression")
    order = np.random.default_rng(0).permutation(len(data.target))
    train, test = order[:250], order[250:]
    model = NaiveBayesRegressor().fit(data.frame.take(train), data.target[train])
    save(plot_distribution(model, data.frame.take(test[:3]), data.target[test[:3]]), "distribution")
    save(plot_explanation(model, data.frame.take(test[:1])), "explanation_number")
    ax = plot_calibration(model, data.frame.take(test), data.target[test])
    save(ax, "calibration_number")


def draw_credit() -> None:
    """Two classes, with missing cells: bins, categories, a curve."""
    credit = make_credit(5000, random_state=0)
    binned = NaiveBayesClassifier(numeric="equal_frequency").fit(credit.frame, credit.target)
    save(plot_evidence(binned, "income"), "evidence_bins")
    save(plot_evidence(binned, "employment"), "evidence_categories")
    smooth = NaiveBayesClassifier()
    save(plot_evidence(smooth.fit(credit.frame, credit.target), "age"), "evidence_curve")


def draw_missing() -> None:
    """A missing cell that is a value of its own."""
    data = load_dataset("breast-w", task="classification")
    model = NaiveBayesClassifier(missing="category").fit(data.frame, data.target)
    save(plot_evidence(model, "Bare_Nuclei"), "evidence_missing")


def draw_many_classes() -> None:
    """Three classes as lines, nineteen as a map."""
    for name, column in (("iris", "petallength"), ("soybean", "date")):
        data = load_dataset(name, task="classification")
        model = NaiveBayesClassifier().fit(data.frame, data.target)
        save(plot_evidence(model, column), f"evidence_{name}")


def draw_reliability() -> None:
    """Before and after calibration, on the half of the rows that was not learnt from."""
    for name in ("spambase", "waveform-5000"):
        data = load_dataset(name, task="classification")
        order = np.random.default_rng(0).permutation(len(data.target))
        train, test = np.array_split(order, 2)
        models = {
            title: NaiveBayesClassifier(calibration=calibration).fit(
                data.frame.take(train), data.target[train]
            )
            for title, calibration in (("before", None), ("after", "weights"))
        }
        ax = plot_reliability(models, data.frame.take(test), data.target[test])
        save(ax, f"reliability_{name.split('-')[0]}")


def main() -> None:
    """Draw all of them."""
    warnings.simplefilter("ignore", DataWarning)
    IMAGES.mkdir(exist_ok=True)
    draw_credit()
    draw_whole_models()
    draw_interaction()
    draw_numbers()
    draw_missing()
    draw_many_classes()
    draw_reliability()


if __name__ == "__main__":
    main()
