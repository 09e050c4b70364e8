"""How Table 2 and Figures 1 and 2 of Fernández, Nielsen and Salmerón (2008) are measured.

Table 2: a share of all cells, the target's included, is removed at random; then ten folds, the model learnt by
Algorithm 1 with four pieces and four intervals, test rows without a target left out, and the root mean squared error
of each fold averaged. The published cells are single runs, so many seeds give the spread they have to be read with.
Figures: the share is removed from the training part of random 70/30 splits only, and the test part is complete.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import KFold, train_test_split

from bayfold import BoostedNaiveBayesRegressor, MTERegressor
from papers.fernandez2008.network import draw_table
from papers.shared.experiment import Experiment, Row, Unit
from papers.shared.tables import read_dataset
from papers.shared.weka import M5, predict_folds

NAME = "fernandez2008"
SHARES = (0, 10, 20, 30, 40, 50)
SEEDS, FOLDS, SPLITS = 20, 10, 100
DEFAULT_SEEDS = 5
"""Default settings choose by cross-validation within every fold, which takes its time."""

STAND_IN = "stand-in for mte50"
DATASETS: dict[str, tuple[str, tuple[str, ...], str]] = {
    "boston": ("boston-452", (), "boston"),
    "cloud": ("cloud-statlib", (), "cloud"),
    "bodyfat without Density": ("bodyfat", ("Density",), "bodyfat"),
    "bodyfat": ("bodyfat", (), ""),
    STAND_IN: ("", (), ""),
}
"""The file, the columns left out, and the name in the published table (none: Density all but gives bodyfat away, and
mte50 is not to be had).
"""

ALGORITHM, SHARED, AVAILABLE = "algorithm 1", "algorithm 1, shared intervals", "available"
MODEL_TREE, DEFAULT, BOOSTED = "M5'", "bayfold default", "bayfold boosted"


def make_regressor(seed: int) -> MTERegressor:
    """Algorithm 1: four pieces of the target, and intervals for the densities of each piece, four at most."""
    return MTERegressor(
        n_pieces=4,
        max_intervals=4,
        intervals="own",
        bandwidth_factor=1.0,
        fit_method="ls",
        calibration=None,
        missing="impute",
        statistic="mean",
        selection=None,
        random_state=seed,
        n_jobs=1,
    )


MODELS: dict[str, Callable[[int], Any]] = {
    ALGORITHM: make_regressor,
    SHARED: lambda seed: make_regressor(seed).set_params(intervals="shared"),
    AVAILABLE: lambda seed: make_regressor(seed).set_params(missing="available"),
    DEFAULT: lambda seed: MTERegressor(n_jobs=1),
    BOOSTED: lambda seed: BoostedNaiveBayesRegressor(n_jobs=1),
}


def load(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """Predictors and target."""
    file, dropped, _ = DATASETS[name]
    if name == STAND_IN:
        return draw_table()
    frame, target = read_dataset(file, "regression")
    return frame.drop(columns=list(dropped)), target


def remove_cells(
    frame: pd.DataFrame, target: np.ndarray, share: int, rng: np.random.Generator
) -> tuple[pd.DataFrame, np.ndarray]:
    """The table with that many percent of all cells missing, those of the target too."""
    gone = rng.random((len(target), frame.shape[1] + 1)) < share / 100
    return frame.mask(gone[:, :-1]), np.where(gone[:, -1], np.nan, target)


def find_rmse(predicted: np.ndarray, truth: np.ndarray) -> float:
    """Root mean squared error, unknown where there is nothing to predict."""
    return float(np.sqrt(np.mean((predicted - truth) ** 2))) if len(truth) else np.nan


def measure_table(unit: Unit) -> list[Row]:
    """Root mean squared errors of folds; the parameter is the share of missing cells in %.

    Of a small table a fold may have no known target left: it has no error.
    """
    share = int(unit.parameters)
    rng = np.random.default_rng([unit.repeat, share])
    frame, target = remove_cells(*load(unit.dataset), share, rng)
    every = list(KFold(FOLDS, shuffle=True, random_state=unit.repeat).split(target))
    folds = [
        (train, test[~np.isnan(target[test])]) for train, test in (every[k] for k in unit.folds)
    ]
    if unit.method == MODEL_TREE:
        known = ~np.isnan(target)
        folds = [(train[known[train]], test) for train, test in folds]
        found = predict_folds(frame, target, folds, M5)
        return [
            {"rmse": find_rmse(p, target[test])} for p, (_, test) in zip(found, folds, strict=True)
        ]
    rows = []
    for train, test in folds:
        model = MODELS[unit.method](unit.repeat)
        if unit.method == BOOSTED:
            train = train[~np.isnan(target[train])]
        model.fit(frame.iloc[train], target[train])
        found = model.predict(frame.iloc[test]) if len(test) else np.array([])
        rows.append({"rmse": find_rmse(found, target[test])})
    return rows


def plan_table(quick: bool) -> Iterator[Unit]:
    """Seed by seed, so that a run cut short has some of everything."""
    methods = [ALGORITHM, AVAILABLE, MODEL_TREE, SHARED]
    folds = tuple(range(1 if quick else FOLDS))
    shares = SHARES[::5] if quick else SHARES
    for seed in range(1 if quick else SEEDS):
        for method in methods:
            for name in DATASETS:
                for share in shares:
                    yield Unit(name, method, seed, folds, str(share))
    for seed in range(1 if quick else DEFAULT_SEEDS):
        for method in (DEFAULT, BOOSTED):
            for name in DATASETS:
                for share in shares:
                    yield Unit(name, method, seed, folds, str(share))


TABLE = Experiment(NAME, "table2", ("rmse",), plan_table, measure_table)


def measure_split(unit: Unit) -> list[Row]:
    """Error and mean log joint density on the complete test part of one random split.

    A target beyond the training range is taken at its end: it has no density, and leaving such rows out would flatter
    models of few known targets.
    """
    share = int(unit.parameters)
    rng = np.random.default_rng([unit.repeat, share, 1])
    frame, target = load(unit.dataset)
    train, test = train_test_split(np.arange(len(target)), test_size=0.3, random_state=unit.repeat)
    kept, known = remove_cells(frame.iloc[train], target[train], share, rng)
    model = MODELS[unit.method](unit.repeat).fit(kept, known)
    inside = np.clip(target[test], *model.piece_edges_[[0, -1]])
    likelihood = model.score_samples(frame.iloc[test], inside).mean()
    error = find_rmse(model.predict(frame.iloc[test]), target[test])
    return [{"rmse": error, "log_likelihood": float(likelihood)}]


def plan_splits(quick: bool) -> Iterator[Unit]:
    """One split a seed."""
    for seed in range(3 if quick else SPLITS):
        for name in DATASETS:
            for share in SHARES:
                if name != "bodyfat":
                    yield Unit(name, ALGORITHM, seed, (0,), str(share))


FIGURES = Experiment(NAME, "figures", ("rmse", "log_likelihood"), plan_splits, measure_split)
