"""Models that can be exported, of all kinds of term."""

from __future__ import annotations

from bayfold import (
    AdaBoostNaiveBayesClassifier,
    BoostedNaiveBayesClassifier,
    NaiveBayesClassifier,
    NaiveBayesRegressor,
)
from tests.export.tables import CATEGORICAL

AS = {"categorical_features": CATEGORICAL}
CLASSIFIERS = {
    "smooth": NaiveBayesClassifier(missing="category", **AS),
    "kernel": NaiveBayesClassifier(numeric="kernel", calibration="temperature", **AS),
    "mdl": NaiveBayesClassifier(numeric="mdl", smoothing="none", calibration=None, **AS),
    "width": NaiveBayesClassifier(
        numeric="equal_width", smoothing="none", missing="category", calibration=None, **AS
    ),
    "gaussian": NaiveBayesClassifier(numeric="gaussian", missing="category", **AS),
    "points": NaiveBayesClassifier(
        numeric="gaussian", smoothing="none", missing="category", calibration=None, **AS
    ),
    "boosted": BoostedNaiveBayesClassifier(n_rounds=12, n_models=1, **AS),
    "real": AdaBoostNaiveBayesClassifier(method="real", n_rounds=3, **AS),
}
REGRESSORS = {
    "mean": NaiveBayesRegressor(grid_size=30, **AS),
    "median": NaiveBayesRegressor(statistic="median", grid_size=30, missing="category", **AS),
    "published": NaiveBayesRegressor(
        bandwidth="frank1998", statistic="median", grid_size=20, calibration=None, **AS
    ),
}
CLASSES = ["no", "yes's", '"maybe"', "ça"]
