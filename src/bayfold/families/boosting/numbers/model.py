"""A number as a sum of tables: its location and the log of its spread on a scale of the target, and their shape."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from bayfold import errors
from bayfold.core.densities import PairTerm
from bayfold.core.frames import Table
from bayfold.core.kernels.encode import MISSING, UNSEEN
from bayfold.core.scoring import NaiveBayesModel, Scorer
from bayfold.core.scoring.located import ErrorShape, LocatedDistribution, MeanReader
from bayfold.core.scoring.predictor import Predictor
from bayfold.core.scoring.target_scale import TargetScale
from bayfold.families.boosting.collapse import AddedTables
from bayfold.families.boosting.rounds.distinct_rows import DistinctRows

ROWS_READ_AT_ONCE = 4096
"""Rows whose scores stay in the core's cache until means are read off them."""

LOCATION = 0
LOG_SPREAD = 1
UNKNOWN = 2
COMMON = 3
"""The four scores of a row. What missing cells would have said of the location has the variance
``UNKNOWN + COMMON**2``: tables of columns that say alike vary together, by one common factor."""

CENTRAL = np.array([0.1, 0.9])
"""Quantiles of the shape that say how wide it is: no outlier decides how far a missing cell widens it."""

NORMAL_WIDTH = 2.5631
"""Between these quantiles of a normal distribution, in standard deviations."""

ROWS_OF_MISSING = 20.0
"""Rows with a missing cell of a column after which their own errors say half of how uncertain it makes them: a round
number."""

VARIANCE_ROWS = 1 << 14
"""Rows that variances of tables are taken of: within a hundredth of themselves."""

FACTOR_STEPS = 30
"""Of the search for the common factor, each half of the way: round number, 2^-30 is nothing beside a variance."""


class NumberPredictor(Predictor):
    """Tables of location and spread, ready to predict.

    Parameters
    ----------
    model : NaiveBayesModel
        Whose "groups" are the scores of a row: its location, the log of its spread, and two for what missing cells
        would have said of the location. Models of files may have the first two only.
    scale : TargetScale
    shape : ErrorShape
    spreads : ndarray of shape (2,)
        Least and largest spread of the training rows; no row has another.
    """

    def __init__(
        self, model: NaiveBayesModel, scale: TargetScale, shape: ErrorShape, spreads: np.ndarray
    ) -> None:
        super().__init__(model)
        self.scale = scale
        self.shape = shape
        self.spreads = spreads
        self.rows_per_block = min(self.rows_per_block, ROWS_READ_AT_ONCE)
        self.reader = MeanReader(scale, shape)
        low, high = shape.ppf(CENTRAL)
        self.shape_width = float(high - low) / NORMAL_WIDTH

    def _make_decision(self) -> Scorer:
        """Location and log-spread."""
        return Scorer(self.model, centred=False)

    def with_model(self, model: NaiveBayesModel) -> NumberPredictor:
        """The same scale and shape with other tables."""
        return NumberPredictor(model, self.scale, self.shape, self.spreads)

    def read_means(self, scores: np.ndarray) -> np.ndarray:
        """Means of rows with these scores."""
        return self.reader.read(*self._split(scores))

    def _split(self, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        spread = np.clip(np.exp(scores[:, LOG_SPREAD]), *self.spreads)
        if scores.shape[1] > UNKNOWN:
            unknown = scores[:, UNKNOWN] + scores[:, COMMON] ** 2
            variance = spread**2 + unknown / self.shape_width**2
            spread = np.sqrt(np.maximum(variance, self.spreads[0] ** 2))
        return np.clip(scores[:, LOCATION], self.scale.places[0], self.scale.places[-1]), spread

    def means(self, table: Table, n_threads: int) -> np.ndarray:
        """Mean of each row's distribution."""
        return self.score(table, readout=self.read_means, n_threads=n_threads)

    def distribution(self, table: Table, n_threads: int) -> LocatedDistribution:
        """The distribution of each row."""
        scores = self.score(table, n_threads=n_threads)
        return LocatedDistribution(self.scale, self.shape, *self._split(scores))


def join_tables(
    location: AddedTables, spread: AddedTables, times: float, rows: DistinctRows
) -> NaiveBayesModel:
    """The model of all scores; counts of pairs are multiplied, so that copies count as they were given."""
    unknown = find_missing_scores(location, rows)
    terms = []
    for j, scores in enumerate(unknown):
        table = np.concatenate([location.single[j], spread.single[j], scores], axis=1)
        terms.append(location.make_term(j, table))
    pairs = [_place_pair(pair, LOCATION, times) for pair in location.pairs]
    pairs += [_place_pair(pair, LOG_SPREAD, times) for pair in spread.pairs]
    start = np.concatenate([location.intercept, spread.intercept, np.zeros(2)])
    return NaiveBayesModel(location.schema, start, tuple(terms), pairs=tuple(pairs))


def find_missing_scores(location: AddedTables, rows: DistinctRows) -> list[np.ndarray]:
    """By column, of shape (n_codes, 2): the last two scores, which only missing and unseen cells have.

    Where training rows have missing cells, their errors have taught the table of the spread, and less is added.
    """
    schema = location.schema
    found = [np.zeros((len(table), 2)) for _, table in sorted(location.single.items())]
    columns = [*schema.narrow.tolist(), *schema.wide.tolist()]
    places = [k for k, j in enumerate(columns) if location.single[j].any()]
    if not places:
        return found
    weights = rows.weights[:VARIANCE_ROWS]  # in random order
    share = weights / weights.sum()
    codes = [rows.column(k)[:VARIANCE_ROWS] for k in places]
    together = np.zeros(len(share))
    for k, of_column in zip(places, codes, strict=True):
        together += location.single[columns[k]][of_column, 0]
    moments = np.empty((2, len(places)))
    for i, of_column in enumerate(codes):
        varied = location.single[columns[places[i]]][of_column, 0]
        varied -= share @ varied
        moments[:, i] = share @ varied**2, (share * varied) @ together
    for k, of_column, *scores in zip(places, codes, *split_variances(*moments), strict=True):
        known = ROWS_OF_MISSING / (ROWS_OF_MISSING + float(weights @ (of_column == MISSING)))
        found[columns[k]][UNSEEN] = scores
        found[columns[k]][MISSING] = known * scores[0], np.sqrt(known) * scores[1]
    return found


def split_variances(variance: np.ndarray, covariance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What numbers vary on their own, and with a common factor, from variances and covariances with their sum.

    The sum of any of them has the variance ``own.sum() + common.sum()**2``, which is exact for one and for all.

    >>> split_variances(np.array([1.0, 1.0, 1.0]), np.array([2.0, 2.0, 1.0]))
    (array([0., 0., 1.]), array([1., 1., 0.]))
    """
    with_others = covariance - variance
    most = np.sqrt(variance)
    common = with_others / np.sqrt(max(with_others.sum(), 1e-300))
    for _ in range(FACTOR_STEPS if with_others.sum() > 0 else 0):
        others = np.maximum(common.sum() - common, 1e-300)
        common = np.clip((common + with_others / others) / 2, -most, most)
    common *= with_others.sum() > 0
    return np.maximum(covariance - common * common.sum(), 0.0), common


def _place_pair(pair: PairTerm, score: int, times: float) -> PairTerm:
    """A table of one score as one of all; without evidence (bin 0) what a location would have varied is unknown."""
    table = np.zeros((*pair.shape, 4))
    table[..., score] = pair.log_table[..., 0]
    counts = times * pair.rows
    if score == LOCATION and counts.any():
        variance = float((counts * table[..., LOCATION] ** 2).sum() / counts.sum())
        table[..., UNKNOWN] = variance
        table[..., UNKNOWN][pair.known] = 0.0
    return replace(pair, log_table=table, counts=counts)


HALVINGS = 80
"""Of an interval of locations: beyond 60, doubles have no more digits."""


class ShiftReader:
    """What a bin alone does to the mean of a row of which nothing else is known; its spread stays as it is."""

    def __init__(self, predictor: NumberPredictor) -> None:
        self._predictor = predictor

    def show(self, model: NaiveBayesModel, entries: np.ndarray) -> np.ndarray:
        """Shifts of the mean."""
        start = model.log_prior
        means = self._predictor.read_means(np.append(start[None], start + entries, axis=0))
        return (means[1:] - means[0])[:, None]

    def write(self, model: NaiveBayesModel, entries: np.ndarray, shown: np.ndarray) -> np.ndarray:
        """Entries with these shifts."""
        start = model.log_prior
        wanted = shown[:, 0] + self.show_start(model)[0]

        def read(steps: np.ndarray) -> np.ndarray:
            scores = start + entries
            scores[:, LOCATION] = steps
            return self._predictor.read_means(scores)

        first = self.show_start(model)[0]
        located = self._solve(read, wanted, first)
        changed = entries.copy()
        changed[:, LOCATION] = located - start[LOCATION]
        return changed

    def show_start(self, model: NaiveBayesModel) -> np.ndarray:
        """The mean of a row of which nothing is known."""
        return self._predictor.read_means(model.log_prior[None])

    def move_start(self, model: NaiveBayesModel, step: np.ndarray) -> NaiveBayesModel:
        """The model with all locations moved."""
        return replace(model, log_prior=model.log_prior + step)

    def balance(self, scores: np.ndarray, target: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """The step of the start after which the mean of some rows is their mean target."""
        wanted = np.array([np.average(target, weights=weights)])

        def read(step: np.ndarray) -> np.ndarray:
            moved = scores.copy()
            moved[:, LOCATION] += step - np.median(scores[:, LOCATION])
            return np.array([np.average(self._predictor.read_means(moved), weights=weights)])

        found = self._solve(read, wanted, 0.0)
        step = np.zeros(scores.shape[1])
        step[LOCATION] = float(found[0]) - np.median(scores[:, LOCATION])
        return step

    def _solve(
        self, read: Callable[[np.ndarray], np.ndarray], wanted: np.ndarray, first: float
    ) -> np.ndarray:
        """The locations at which means are the wanted ones; means rise with the location."""
        places = self._predictor.scale.places
        low = np.full(len(wanted), float(places[0]))
        high = np.full(len(wanted), float(places[-1]))
        least = read(low)
        most = read(high)
        rounding = 1e-9 * max(abs(float(least.min())), abs(float(most.max())), 1e-300)
        if (wanted < least - rounding).any() or (wanted > most + rounding).any():
            k = int(np.argmax(np.maximum(least - wanted, wanted - most)))
            bounds = (float(each[k] - first) for each in (least, most, wanted))
            raise errors.shift_out_of_reach(*bounds)
        for _ in range(HALVINGS):
            middle = low / 2 + high / 2
            below = read(middle) < wanted
            low = np.where(below, middle, low)
            high = np.where(below, high, middle)
        return low / 2 + high / 2
