"""Bias and variance from stored predictions."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from bayfold.evaluate import CrossValidation
from bayfold.evaluate import find_bias_and_variance as decompose
from papers.shared.tables import read_frame
from papers.ting2003.protocol import DIGITS, FILES, FOLDS


def find_bias_and_variance(rows: pd.DataFrame) -> pd.DataFrame:
    """Means over domains, in %, by model; of domains and models that have at least two whole repeats."""
    found = []
    for (dataset, method), group in rows.groupby(["dataset", "method"], sort=False):
        whole = group.groupby("repeat").filter(lambda repeat: len(repeat) == FOLDS)
        if whole.repeat.nunique() >= 2:
            parts = decompose(read_result(str(dataset), str(method), whole))
            cells = {key: 100 * float(parts[key][0]) for key in ("bias", "variance")}
            found.append({"dataset": dataset, "method": method, **cells})
    table = pd.DataFrame(found, columns=["dataset", "method", "bias", "variance"])
    return table.groupby("method")[["bias", "variance"]].mean()


def read_result(dataset: str, method: str, rows: pd.DataFrame) -> CrossValidation:
    """The stored predictions as the cross-validation they came from."""
    _, target = read_frame(FILES[dataset], "classification")
    classes, truth = np.unique(target, return_inverse=True)
    repeats = sorted(rows.repeat.unique())
    fold_of = np.empty((len(repeats), len(truth)), np.int64)
    predicted = np.empty((1, len(repeats), len(truth)), np.int64)
    by_key = rows.set_index(["repeat", "fold"]).predicted
    for r, repeat in enumerate(repeats):
        splits = StratifiedKFold(FOLDS, shuffle=True, random_state=repeat)
        for fold, (_, test) in enumerate(splits.split(target, target)):
            fold_of[r, test] = fold
            predicted[0, r, test] = [DIGITS.index(digit) for digit in by_key[repeat, fold]]
    unknown = np.full(predicted.shape, np.nan)
    seconds = np.full((1, len(repeats), FOLDS), np.nan)
    return CrossValidation([method], classes, truth, fold_of, predicted, unknown, seconds)
