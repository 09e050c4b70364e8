"""Harms: what a default model gets wrong in a world whose truth is known, beyond three standard errors.

Losses are expectations under the truth and not of one drawn target, so only the rows that are fitted are left to
chance. What chance may do is counted as one parameter that is three standard errors off.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, QuantileTransformer

import bayfold
from benchmarks.world_tables import World

ERRORS = 3.0
"""Standard errors that chance may explain."""

SHORT_OF_LEVEL = 0.03
"""Law 10: intervals hold their level within three points."""

BEYOND_LEVEL = 0.10
"""Intervals that hold ten points more than they say are too wide."""

FAR = 0.2
"""Far behind a peer: by this share of what the truth gains over knowing nothing."""

SLOW = 60.0
"""CPU seconds of a fit that nobody waits for in a table of 100,000 rows at most."""

INTERVALS = (0.5, 0.8, 0.95)
GRID = np.arange(1, 20) / 20
"""Quantiles whose mean pinball loss stands for a distribution."""

PEER_ROWS = 20_000
SMALLEST_PROBABILITY = 1e-15

NAIVE = {"one", "naive"}
ADDED = {"one", "naive", "sum", "pairs"}
REACH: dict[str, dict[str, set[str]]] = {
    "classes": {
        "NaiveBayesClassifier": NAIVE,
        "AveragedOneDependenceClassifier": NAIVE,
        "BoostedNaiveBayesClassifier": ADDED,
        "NaiveBayesTreeClassifier": NAIVE,
        "AdaBoostNaiveBayesClassifier": NAIVE,
        "ClassDecompositionClassifier": NAIVE,
        "ViaRegressionClassifier": NAIVE,
    },
    "numbers": {
        "NaiveBayesRegressor": {"one"},
        "BoostedNaiveBayesRegressor": ADDED,
        "MTERegressor": {"one"},
    },
}
"""Structures whose truth a model can represent; only there it is compared with peers."""


@dataclass(frozen=True)
class Harm:
    """One thing that a model got wrong."""

    seed: int
    model: str
    kind: str
    amount: str

    def __str__(self) -> str:
        """A line."""
        return f"{self.seed:6d}  {self.model:32s} {self.kind:28s} {self.amount}"


class Judge:
    """Everything about a world that its models are compared with."""

    def __init__(self, world: World) -> None:
        self.world = world
        n_train = world.n_train
        self.X = world.X.iloc[:n_train]
        self.y = world.y[:n_train]
        self.rows = world.X.iloc[n_train:].reset_index(drop=True)
        self.weights = np.ones(n_train) if world.weights is None else world.weights
        self.n_rows = self.weights.sum() ** 2 / (self.weights**2).sum()
        self._peers: dict[str, np.ndarray] | None = None

    def judge(self, name: str) -> tuple[list[Harm], float]:
        """The harms of a default model, and the CPU seconds of its fit and its answers."""
        begin = time.process_time()
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                answer = self.ask(make_default(name))
        except Exception as error:  # every world is a valid table: any error is a harm
            text = str(error).strip().split("\n")[0][:150]
            return [self._harm(name, "error", f"{type(error).__name__}: {text}")], 0.0
        seconds = time.process_time() - begin
        found = self.compare(
            answer, self.world.structure in REACH[self.world.task].get(name, ADDED)
        )
        if seconds > SLOW:
            found.append(("slow", f"{seconds:.0f} CPU seconds"))
        return [self._harm(name, kind, amount) for kind, amount in found], seconds

    def _harm(self, name: str, kind: str, amount: str) -> Harm:
        return Harm(self.world.seed, name, kind, amount)

    def _fit(self, model: Any) -> Any:
        if self.world.weights is None:
            return model.fit(self.X, self.y)
        return model.fit(self.X, self.y, sample_weight=self.weights)

    def ask(self, model: Any) -> Any:
        """What ``compare`` wants of a model."""
        raise NotImplementedError

    def compare(self, answer: Any, in_reach: bool) -> list[tuple[str, str]]:
        """Kinds and amounts of harms of an answer."""
        raise NotImplementedError

    def find_peer_losses(self) -> dict[str, np.ndarray]:
        """The losses of every peer, one per row."""
        raise NotImplementedError

    def compare_with_peers(
        self, losses: np.ndarray, gain: float, chance: float
    ) -> list[tuple[str, str]]:
        """Harms against peers, where the truth gains so much over knowing nothing."""
        if self._peers is None:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                self._peers = self.find_peer_losses()
        for name, others in self._peers.items():
            worse = losses - others
            if worse.mean() - ERRORS * find_error(worse) > FAR * gain + chance:
                return [
                    (f"far behind {name}", f"by {worse.mean() / gain:.0%} of what can be known")
                ]
        return []

    def fit_peer(self, model: Any) -> Any:
        """A peer, fitted to the first rows of a shuffled table."""
        rows = np.random.default_rng(self.world.seed).permutation(len(self.y))[:PEER_ROWS]
        step = model.steps[-1][0]
        return model.fit(
            self.X.iloc[rows], self.y[rows], **{f"{step}__sample_weight": self.weights[rows]}
        )

    def judge_balance(self, found: float, truth: float, noise: float, deviation: float) -> float:
        """Standard errors by which a mean lies off the truth and off what the rows that were fitted say."""
        low, high = min(truth, truth + noise), max(truth, truth + noise)
        return max(low - found, found - high, 0.0) / max(deviation, 1e-300)


class ClassJudge(Judge):
    """Of classes: expected log-loss, and the mean probability of every class."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        assert world.probabilities is not None
        self.truth = world.probabilities[world.n_train :]
        self.n_classes = self.truth.shape[1]
        shares = np.bincount(self.y, self.weights, self.n_classes) / self.weights.sum()
        self.prior = self.find_losses(np.tile(shares, (len(self.truth), 1)))
        self.best = self.find_losses(self.truth)

    def find_losses(self, probabilities: np.ndarray) -> np.ndarray:
        """Expected log-loss of every row."""
        return -(self.truth * np.log(np.maximum(probabilities, SMALLEST_PROBABILITY))).sum(axis=1)

    def ask(self, model: Any) -> np.ndarray:
        """Probabilities, whose columns are the classes 0, 1, ..."""
        fitted = self._fit(model)
        probabilities = np.zeros(self.truth.shape)
        probabilities[:, np.asarray(fitted.classes_, int)] = fitted.predict_proba(self.rows)
        return probabilities

    def compare(self, answer: np.ndarray, in_reach: bool) -> list[tuple[str, str]]:
        """Kinds and amounts of harms of these probabilities."""
        if not np.isfinite(answer).all():
            return [("not finite", f"{(~np.isfinite(answer)).any(axis=1).mean():.1%} of rows")]
        losses = self.find_losses(answer)
        chance = ERRORS**2 / 2 * (self.n_classes - 1) / self.n_rows
        harms = []
        worse = losses - self.prior
        if worse.mean() - ERRORS * find_error(worse) > chance:
            figures = f"log-loss {losses.mean():.4f}, prior {self.prior.mean():.4f}, truth {self.best.mean():.4f}"
            harms.append(("worse than the prior", figures))
        gain = float((self.prior - self.best).mean())
        if in_reach and gain > 0:
            harms += self.compare_with_peers(losses, gain, chance)
        return harms + self._compare_means(answer)

    def _compare_means(self, answer: np.ndarray) -> list[tuple[str, str]]:
        """The class whose mean probability is furthest off."""
        assert self.world.probabilities is not None
        before = self.world.probabilities[: self.world.n_train]
        worst, text = ERRORS, ""
        for k in range(self.n_classes):
            truth = float(self.truth[:, k].mean())
            noise = np.average((self.y == k) - before[:, k], weights=self.weights)
            variance = truth * (1 - truth) / self.n_rows + self.truth[:, k].var() / len(self.truth)
            found = float(answer[:, k].mean())
            off = self.judge_balance(found, truth, noise, np.sqrt(variance))
            if off > worst:
                worst, text = (
                    off,
                    f"class {k}: mean {found:.4g}, true {truth:.4g}, {off:.1f} standard errors",
                )
        return [("biased mean", text)] if text else []

    def find_peer_losses(self) -> dict[str, np.ndarray]:
        """Logistic regression and histogram boosting."""
        makers: dict[str, Callable[[], Any]] = {
            "logistic regression": lambda: make_smooth(self.X, LogisticRegression(max_iter=200)),
            "histogram boosting": lambda: make_coded(
                self.X, HistGradientBoostingClassifier(early_stopping=False)
            ),
        }
        return {name: self.find_losses(self.ask_peer(make())) for name, make in makers.items()}

    def ask_peer(self, model: Any) -> np.ndarray:
        """Probabilities of a peer."""
        fitted = self.fit_peer(model)
        probabilities = np.zeros(self.truth.shape)
        probabilities[:, fitted.classes_] = fitted.predict_proba(self.rows)
        return probabilities


@dataclass
class NumberAnswer:
    """What a regressor says of every row."""

    means: np.ndarray
    quantiles: np.ndarray
    bounds: np.ndarray
    log_scores: np.ndarray


class NumberJudge(Judge):
    """Of numbers: squared errors of means, pinball losses of quantiles, what intervals hold."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        assert world.means is not None
        assert world.quantiles is not None
        self.truth = world.means[world.n_train :]
        self.quantiles = world.quantiles
        self.variance = max(float(self.y.var()), float(self.quantiles.var()))
        mean = np.average(self.y, weights=self.weights)
        self.prior = (mean - self.truth) ** 2
        marginal = np.quantile(np.repeat(self.y, self.weights.astype(int)), GRID)
        self.prior_pinball = self.find_pinball(np.tile(marginal, (len(self.truth), 1)))

    def find_pinball(self, quantiles: np.ndarray) -> np.ndarray:
        """Expected pinball loss of the quantiles of ``GRID``, one number per row."""
        total = np.zeros(len(quantiles))
        for k, level in enumerate(GRID):
            off = self.quantiles - quantiles[:, k, None]
            total += np.maximum(level * off, (level - 1) * off).mean(axis=1)
        return total / len(GRID)

    def ask(self, model: Any) -> NumberAnswer:
        """Means, quantiles, bounds of intervals, log-densities of the drawn targets."""
        fitted = self._fit(model)
        levels = np.concatenate([[(1 - level) / 2, (1 + level) / 2] for level in INTERVALS])
        found = np.asarray(fitted.predict_quantiles(self.rows, np.concatenate([GRID, levels])))
        distribution = fitted.predict_distribution(self.rows)
        scores = distribution.log_score(self.world.y[self.world.n_train :])
        return NumberAnswer(
            fitted.predict(self.rows), found[:, : len(GRID)], found[:, len(GRID) :], scores
        )

    def compare(self, answer: NumberAnswer, in_reach: bool) -> list[tuple[str, str]]:
        """Kinds and amounts of harms of these means and quantiles."""
        broken = ~np.isfinite(answer.means) | ~np.isfinite(answer.bounds).all(axis=1)
        if broken.any():
            return [("not finite", f"{broken.mean():.1%} of rows")]
        harms = []
        impossible = np.isnan(answer.log_scores) | (answer.log_scores == -np.inf)
        if impossible.any():
            harms.append(("log-density not finite", f"{impossible.mean():.1%} of rows"))
        losses = (answer.means - self.truth) ** 2
        chance = ERRORS**2 * self.variance / self.n_rows
        worse = losses - self.prior
        if worse.mean() - ERRORS * find_error(worse) > chance:
            ratio = np.sqrt(losses.mean() / self.prior.mean())
            harms.append(
                ("worse than the mean", f"distance from the true mean {ratio:.2f} times as large")
            )
        pinball = self.find_pinball(answer.quantiles)
        worse = pinball - self.prior_pinball
        if (
            worse.mean() - ERRORS * find_error(worse)
            > ERRORS**2 / 2 * self.prior_pinball.mean() / self.n_rows
        ):
            ratio = pinball.mean() / self.prior_pinball.mean()
            harms.append(("worse than all rows' quantiles", f"CRPS {ratio:.3f} times as large"))
        gain = float(self.prior.mean())
        if in_reach and gain > chance:
            harms += self.compare_with_peers(losses, gain, chance)
        return harms + self._compare_means(answer.means) + self._compare_bounds(answer.bounds)

    def _compare_means(self, means: np.ndarray) -> list[tuple[str, str]]:
        assert self.world.means is not None
        truth = float(self.truth.mean())
        noise = np.average(self.y - self.world.means[: self.world.n_train], weights=self.weights)
        variance = self.variance / self.n_rows + self.truth.var() / len(self.truth)
        off = self.judge_balance(float(means.mean()), truth, noise, np.sqrt(variance))
        if off <= ERRORS:
            return []
        return [
            ("biased mean", f"mean {means.mean():.5g}, true {truth:.5g}, {off:.1f} standard errors")
        ]

    def _compare_bounds(self, bounds: np.ndarray) -> list[tuple[str, str]]:
        """The interval that holds least of its level, and the one that holds most beyond it."""
        rounding = 1e-9 * (np.abs(bounds).max() + 1)
        short, beyond = [], []
        for k, level in enumerate(INTERVALS):
            low, high = bounds[:, 2 * k, None], bounds[:, 2 * k + 1, None]
            closed = (self.quantiles >= low - rounding) & (self.quantiles <= high + rounding)
            inside = (self.quantiles > low + rounding) & (self.quantiles < high - rounding)
            chance = ERRORS * np.sqrt(level * (1 - level) / self.n_rows)
            if level - closed.mean() > max(SHORT_OF_LEVEL, chance):
                short.append(
                    (closed.mean() - level, f"{level:.0%} interval holds {closed.mean():.1%}")
                )
            if inside.mean() - level > max(BEYOND_LEVEL, chance):
                beyond.append(
                    (level - inside.mean(), f"{level:.0%} interval holds {inside.mean():.1%}")
                )
        harms = [("interval too narrow", min(short)[1])] if short else []
        return harms + ([("interval too wide", min(beyond)[1])] if beyond else [])

    def find_peer_losses(self) -> dict[str, np.ndarray]:
        """Ridge regression and histogram boosting."""
        peers = {
            "ridge": make_smooth(self.X, Ridge()),
            "histogram boosting": make_coded(
                self.X, HistGradientBoostingRegressor(early_stopping=False)
            ),
        }
        return {
            name: (self.fit_peer(peer).predict(self.rows) - self.truth) ** 2
            for name, peer in peers.items()
        }


def make_judge(world: World) -> Judge:
    """The judge of a world."""
    return ClassJudge(world) if world.task == "classes" else NumberJudge(world)


def make_default(name: str) -> Any:
    """A model with its defaults, and a seed."""
    model = getattr(bayfold, name)()
    return model.set_params(random_state=0) if "random_state" in model.get_params() else model


def find_error(values: np.ndarray) -> float:
    """Standard error of a mean."""
    return float(values.std() / np.sqrt(len(values)))


def split_columns(X: pd.DataFrame) -> tuple[list[str], list[str], list[str]]:
    """Names of numbers, timestamps, and all others."""
    numbers = [
        name for name in X if pd.api.types.is_numeric_dtype(X[name]) and X[name].dtype != bool
    ]
    times = [name for name in X if pd.api.types.is_datetime64_any_dtype(X[name])]
    return numbers, times, [name for name in X if name not in {*numbers, *times}]


def count_seconds(X: pd.DataFrame) -> pd.DataFrame:
    """Timestamps as numbers, missing ones as NaN."""
    return X.apply(lambda column: (column - pd.Timestamp("2024-01-01")).dt.total_seconds())


def as_text(X: pd.DataFrame) -> pd.DataFrame:
    """Categories and booleans as strings, missing ones too."""
    return X.astype(object).where(X.notna(), "missing").astype(str)


def find_codes(X: pd.DataFrame) -> pd.DataFrame:
    """Hashes of strings within 250 codes, for histograms."""
    return X.apply(lambda column: pd.util.hash_array(column.to_numpy(object)) % 250)


def make_smooth(X: pd.DataFrame, model: Any) -> Any:
    """A linear model of ranks and of one column per category."""
    from sklearn.preprocessing import FunctionTransformer

    numbers, times, others = split_columns(X)
    ranks = QuantileTransformer(
        n_quantiles=min(100, len(X)),
        output_distribution="normal",
        subsample=PEER_ROWS,
        random_state=0,
    )
    as_ranks = make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True), ranks)
    seconds = make_pipeline(FunctionTransformer(count_seconds), as_ranks)
    names = make_pipeline(FunctionTransformer(as_text), OneHotEncoder(handle_unknown="ignore"))
    columns = make_column_transformer((as_ranks, numbers), (seconds, times), (names, others))
    return make_pipeline(columns, model)


def make_coded(X: pd.DataFrame, model: Any) -> Any:
    """Histogram boosting of numbers and of the codes of categories."""
    from sklearn.preprocessing import FunctionTransformer

    numbers, times, others = split_columns(X)
    names = make_pipeline(FunctionTransformer(as_text), FunctionTransformer(find_codes))
    columns = make_column_transformer(
        ("passthrough", numbers), (FunctionTransformer(count_seconds), times), (names, others)
    )
    return make_pipeline(columns, model)
