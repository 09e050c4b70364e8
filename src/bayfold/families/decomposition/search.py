"""The number of clusters of each class, chosen by the cross-validated accuracy of the classifier trained on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from bayfold.core.counts import LabelledRows, RowHashes
from bayfold.core.counts.copies import RowUnits, count_copies, find_units
from bayfold.core.counts.count_hashes import CountHashes
from bayfold.core.counts.equal_rows import EqualRows, collapse_equal_rows
from bayfold.core.counts.folds import Deal, DealtUnits, GivenUnits, shuffle_units
from bayfold.core.counts.layout import count_block
from bayfold.core.counts.units import mix_units
from bayfold.core.evidence import Records
from bayfold.core.schema import Coder, infer_schema
from bayfold.families.decomposition.splitter import Splitter, has_densities_of, make_rough


@dataclass(frozen=True, eq=False)
class DealtByClass:
    """Rows dealt to folds, with as many rows as it takes for each to be in one fold.

    Attributes
    ----------
    fold_of : ndarray of int
        The fold of each row; -1 for rows that are never held out, as nothing is earlier.
    unit_weights : ndarray
        The weight of all that is held out or kept together with each row: its copies.
    share : float
        Effective rows per weight: copies of a row tell no more than the row.
    source : ndarray of int or None
        Which row of the table each is; None if they are those of the table.
    weights : ndarray or None
        What each weighs; None if all are one.
    is_outside : ndarray of bool of shape (n_rows, n_folds) or None
        Which rows are learnt from where a fold is held out; None if these are the rows of the other folds.
    """

    fold_of: np.ndarray
    unit_weights: np.ndarray
    share: float
    source: np.ndarray | None = None
    weights: np.ndarray | None = None
    is_outside: np.ndarray | None = None

    def count_copies_once(self) -> DealtByClass:
        """The same with weights of effective rows: models that know no copies are then no surer by them."""
        if self.share == 1:
            return self
        n_rows = len(self.fold_of)
        source = np.arange(n_rows) if self.source is None else self.source
        weights = np.ones(n_rows) if self.weights is None else self.weights
        return replace(
            self,
            unit_weights=self.share * self.unit_weights,
            source=source,
            weights=self.share * weights,
            share=1.0,
        )

    def find_rest(self, fold: int) -> np.ndarray:
        """The rows that are learnt from where a fold is held out."""
        is_outside = self.fold_of != fold if self.is_outside is None else self.is_outside[:, fold]
        return np.flatnonzero(is_outside)


def deal_by_class(rows: LabelledRows, n_folds: int, rng: np.random.RandomState) -> DealtByClass:
    """Deal the rows of each class evenly, copies of a row together: any classifier may know it by heart."""
    schema = infer_schema(rows.table)
    group_of = rows.group_of
    coder = Coder(schema)
    ranges = coder.new_ranges()
    block = coder.open(rows.table).block(0, rows.n_rows, ranges)
    exact = schema.numeric.tolist()
    hashes = RowHashes(schema, rows.groups).hash_values(block, group_of, exact)
    said = GivenUnits.of_dependent(rows)
    if said is not None:
        hashes = mix_units(hashes, said.units, said.time)
    equal = collapse_equal_rows(hashes, rows.weights)
    distinct = block.take(equal.first)
    group_of = group_of[equal.first]
    counts = count_block(distinct, schema, rows.groups, group_of, equal.weights, ranges)
    found = find_units(counts, distinct, group_of, equal.weights, exact)
    row_hashes = CountHashes(counts, distinct, group_of, equal.weights)
    seed = rng.randint(np.iinfo(np.int32).max)
    if said is not None:
        keys = row_hashes.draw_keys(distinct, group_of, seed)
        deal = Deal(keys, group_of, row_hashes.rank_groups(), n_folds)
        return _hold_out_units(said.take(equal.first), deal, equal, rows.find_weights())
    order = row_hashes.shuffle_rows(distinct, group_of, seed)
    turns = row_hashes.sort_by_group(order, group_of)
    dealt = shuffle_units(turns, group_of, found.units, n_folds, rng)
    return _place_rows(equal, found, dealt, n_folds, rows.weights is not None)


def _hold_out_units(
    said: GivenUnits, deal: Deal, equal: EqualRows, weights: np.ndarray
) -> DealtByClass:
    """Rows of a unit together; with times, what is learnt from is earlier."""
    inside, outside = said.hold_out(deal, np.ones(len(equal.first)))
    fold_of = np.where(inside.any(axis=1), inside.argmax(axis=1), -1)[equal.inverse]
    units = np.arange(len(fold_of)) if said.units is None else said.units[equal.inverse]
    _, place = np.unique(units, return_inverse=True)
    # rows of a unit are right or wrong together
    unit_weights = np.bincount(place, weights)[place]
    return DealtByClass(fold_of, unit_weights, 1.0, is_outside=outside[equal.inverse] > 0)


def _place_rows(
    equal: EqualRows, found: RowUnits, dealt: DealtUnits, n_folds: int, weighted: bool
) -> DealtByClass:
    """Rows as units say: each row of the table in one fold, or a row for each fold that its weight is in."""
    n_units = found.units
    copies = count_copies(equal.weights)
    first = np.empty(len(n_units), np.int64)
    starts = np.flatnonzero(np.diff(dealt.row, prepend=-1))
    first[dealt.row[starts]] = starts
    turn = np.arange(len(dealt.row)) - first[dealt.row]
    # whole copies, as rows of the table would be dealt; what is left of a weight goes with the first of them
    each, left = np.divmod(copies, n_units)
    weights = (each[dealt.row] + (turn < left[dealt.row])).astype(np.float64)
    weights[starts] += (equal.weights - copies)[dealt.row[starts]]
    cells, cell = np.unique(dealt.row * n_folds + dealt.fold, return_inverse=True)
    of_cell = np.bincount(cell, weights)
    unit_weights = of_cell / np.bincount(cell)
    if weighted:
        row, fold = np.divmod(cells, n_folds)
        return DealtByClass(fold, unit_weights, found.share, equal.first[row], of_cell)
    copy = np.empty(len(equal.inverse), np.int64)
    order = np.argsort(equal.inverse, kind="stable")
    copy[order] = np.arange(len(copy)) - np.searchsorted(equal.inverse[order], equal.inverse[order])
    unit = first[equal.inverse] + copy % n_units[equal.inverse]
    return DealtByClass(dealt.fold[unit], unit_weights[cell[unit]], found.share)


Numbers = tuple[int, ...]
Evaluate = Callable[[Numbers], tuple[np.ndarray, np.ndarray]]
"""From the number of clusters of each class to whether each row, left out, is classified rightly, and the log of the
probability of its class."""

LOG_OF_A_MISS = np.log(1e-3)
"""A row whose class is less likely than one in a thousand counts as one where it is: few rows must not decide alone."""


def _say_nothing(numbers: Numbers) -> None:
    pass


@dataclass
class AccuracySearch:
    """A search over numbers of clusters that remembers what it tried.

    Attributes
    ----------
    evaluate : callable
    fold_of : ndarray of int
        The fold in which each row was left out.
    weights : ndarray
    unit_weights : ndarray
        The weight of all that is right or wrong together with each row: its copies.
    tried, logs : dict
        Whether each row was classified rightly, and the log-probability of its class, for everything tried.
    report : callable
        Called with what has just been tried.

    Notes
    -----
    Splitting one class alone tells little: its clusters are sharp while the other classes are still blurred. So all
    classes are split alike first. The best such split is taken if it beats no split by one standard error of the
    difference, and so that the choice among many does not flatter itself, each fold is judged by what is best in
    the others. Then each class is put together again unless that costs a standard error.

    A split whose probabilities are worse than those of whole classes, by a standard error of the log-loss, is not taken
    however often it is right: many small clusters of few rows are sure of themselves, and were right by luck.
    """

    evaluate: Evaluate
    fold_of: np.ndarray
    weights: np.ndarray
    unit_weights: np.ndarray
    tried: dict[Numbers, np.ndarray] = field(default_factory=dict)
    logs: dict[Numbers, np.ndarray] = field(default_factory=dict)
    report: Callable[[Numbers], None] = _say_nothing

    def right(self, numbers: Numbers) -> np.ndarray:
        """Whether each row left out is classified rightly with these numbers of clusters."""
        if numbers not in self.tried:
            right, log_p = self.evaluate(numbers)
            self.tried[numbers] = right.astype(np.float64)
            self.logs[numbers] = np.maximum(log_p, LOG_OF_A_MISS)
            self.report(numbers)
        return self.tried[numbers]

    def log(self, numbers: Numbers) -> np.ndarray:
        """The log-probability of the class of each row left out."""
        self.right(numbers)
        return self.logs[numbers]

    def choose(self, most: Sequence[int], levels: Sequence[int]) -> Numbers:
        """The number of clusters of each class.

        Parameters
        ----------
        most : sequence of int
            The largest number of clusters each class may have.
        levels : sequence of int
            Numbers of clusters to try for all classes at once, in increasing order, 1 first.
        """
        splits = [tuple(min(level, limit) for limit in most) for level in levels]
        splits = self._leave_sober(list(dict.fromkeys(splits)))
        if self.is_better(self._best_elsewhere(splits), self.right(splits[0])):
            chosen = self._put_together(self._best(splits, np.ones(len(self.weights), bool)))
            return self._leave_sober([splits[0], chosen])[-1]
        return splits[0]

    def accuracy(self, numbers: Numbers) -> float:
        """Share of rows left out that are classified rightly."""
        return float(np.average(self.right(numbers), weights=self.weights))

    def is_better(self, first: np.ndarray, second: np.ndarray, n_errors: float = 1.0) -> bool:
        """Whether the first is right more often by at least so many standard errors of the difference."""
        difference = first - second
        total = self.weights.sum()
        mean = float(self.weights @ difference) / total
        variance = float((self.weights * self.unit_weights) @ (difference - mean) ** 2) / total**2
        return mean > 0 and mean >= n_errors * np.sqrt(variance)

    def _leave_sober(self, splits: list[Numbers]) -> list[Numbers]:
        """The splits without those whose probabilities are worse than those of the first."""
        first = self.log(splits[0])
        return [split for split in splits if not self.is_better(first, self.log(split))]

    def _best(self, splits: list[Numbers], rows: np.ndarray) -> Numbers:
        """The split that is right most often on some rows; the first of equals."""
        weights = self.weights * rows
        return max(splits, key=lambda split: float(weights @ self.right(split)))

    def _best_elsewhere(self, splits: list[Numbers]) -> np.ndarray:
        """Whether each row is classified rightly by the split that is best in the other folds."""
        right = np.zeros(len(self.weights))
        for fold in np.unique(self.fold_of):
            inside = self.fold_of == fold
            right[inside] = self.right(self._best(splits, ~inside))[inside]
        return right

    def _put_together(self, chosen: Numbers) -> Numbers:
        for c in range(len(chosen)):
            without = (*chosen[:c], 1, *chosen[c + 1 :])
            if chosen[c] > 1 and not self.is_better(self.right(chosen), self.right(without)):
                chosen = without
        return chosen


Say = Callable[[str], None]

LEVELS = (1, 2, 3, 4, 6, 8, 12)
"""Numbers of clusters that ``n_clusters="accuracy"`` tries for all classes at once."""

LAST_WORD = 2.0
"""Standard errors of the log-loss by which the estimator must gain: the split was chosen on the same rows. With one it
kept splits that lost 2.5 points on autos (205 rows); where splits are worth it, as on vehicle and vowel, by three and
more. Of the accuracy, which says less of each row, a split worth five points was refused where one column was noise."""


def choose_by_accuracy(
    splitter: Splitter, dealt: DealtByClass, most: np.ndarray, seed: int, say: Say
) -> tuple[list[Any], Records]:
    """The number of clusters of each class, and what was tried.

    A search trains some hundred models, so splits are compared by a rough one where there is one. With other densities
    it gains more by a split than the estimator does, so the estimator has the last word: it is trained on whole classes
    and on the best split alone. With the same densities and no weights it gains as much: a last word lost eleven points
    on glass (214 rows) and three on ionosphere, and was worth nothing on three other tables.

    Parameters
    ----------
    splitter : Splitter
    dealt : DealtByClass
        The fold in which each row is left out.
    most : ndarray of int
        The largest number of clusters each class may have.
    seed : int
    say : callable
        Called with what has just been tried.
    """
    levels = [level for level in LEVELS if level == 1 or level <= most.max()]
    rough = make_rough(splitter.estimator)
    search = start_search(splitter, rough, dealt, seed, say)
    chosen = search.choose([int(limit) for limit in most], levels)
    if has_densities_of(rough, splitter.estimator):
        name = "estimator" if rough is splitter.estimator else "rough"
        return list(chosen), describe_searches({name: search})
    last = start_search(splitter, splitter.estimator, dealt, seed, say)
    whole = (1,) * len(most)
    if chosen != whole and not last.is_better(last.log(chosen), last.log(whole), LAST_WORD):
        chosen = whole
    return list(chosen), describe_searches({"rough": search, "estimator": last})


def start_search(
    splitter: Splitter, estimator: Any, dealt: DealtByClass, seed: int, say: Say
) -> AccuracySearch:
    """A search in which splits are judged by an estimator on rows left out."""
    group_of = splitter.rows.group_of

    def evaluate(numbers: Numbers) -> tuple[np.ndarray, np.ndarray]:
        probability = hold_out(splitter, estimator, dealt, list(numbers), seed)
        is_known = probability.any(axis=1)
        of_truth = probability[np.arange(len(group_of)), group_of]
        with np.errstate(divide="ignore"):
            return is_known & (probability.argmax(axis=1) == group_of), np.log(of_truth)

    weights = splitter.weights * (dealt.fold_of >= 0)
    search = AccuracySearch(evaluate, dealt.fold_of, weights, dealt.unit_weights)
    search.report = lambda numbers: say(
        f"clusters {numbers}: accuracy {search.accuracy(numbers):.4f}"
    )
    return search


def hold_out(
    splitter: Splitter, estimator: Any, dealt: DealtByClass, numbers: list[Any], seed: int
) -> np.ndarray:
    """The probability of each class for each row, from models of the other folds; zeros where these have one class."""
    group_of = splitter.rows.group_of
    fold_of = dealt.fold_of
    probability = np.zeros((len(fold_of), len(splitter.rows.groups)))
    for fold in np.unique(fold_of[fold_of >= 0]).tolist():
        train = dealt.find_rest(fold)
        test = np.flatnonzero(fold_of == fold)
        if len(np.unique(group_of[train])) > 1:
            subclasses = splitter.split(train, numbers, seed + fold, fold)
            model = splitter.train(estimator, train, subclasses, shared_schema=True)
            probability[test] = splitter.answer(model, subclasses, train, test)
    return probability


def describe_searches(searches: Mapping[str, AccuracySearch]) -> Records:
    """What was tried, with which model, and its accuracy."""
    tried = [
        (model, search, numbers) for model, search in searches.items() for numbers in search.tried
    ]
    return Records(
        {
            "clusters": np.array([" ".join(map(str, numbers)) for *_, numbers in tried], object),
            "accuracy": np.array([search.accuracy(numbers) for _, search, numbers in tried]),
            "model": np.array([model for model, *_ in tried], object),
        }
    )
