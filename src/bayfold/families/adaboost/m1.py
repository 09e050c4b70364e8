"""AdaBoost.M1 over naive Bayes or trees with naive Bayes leaves, as Ting & Zheng (2003) run it, and confidence-rated
boosting of naive Bayes, with its exact collapse into one naive Bayes.

When every round adds a multiple of naive Bayes log-odds, the sum of the rounds is the sum of their tables and
priors (Elkan 1997; Ting & Zheng 2003, Section 6).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from bayfold.base.progress import Callback
from bayfold.core import kernels as bayfold_kernels
from bayfold.core.engine.kept_rows import KeptRows
from bayfold.errors import boosting_gave_up, warn
from bayfold.families.adaboost import kernels as adaboost_kernels
from bayfold.families.adaboost.kernels.votes import SCORES_AT_ONCE
from bayfold.families.adaboost.row_weights import RowWeights
from bayfold.families.trees.binning import BinnedRows, Binning
from bayfold.families.trees.explain import weigh_tree_columns
from bayfold.families.trees.grower import TreeGrower, TreeSettings
from bayfold.families.trees.model import LeafSettings, NaiveBayesTree, estimate_evidence
from bayfold.families.trees.prepare import CodingPlan
from bayfold.families.trees.rows import WeightedRows


@dataclass(frozen=True)
class AdaBoostSettings:
    """The parameters of ``AdaBoostNaiveBayesClassifier``, checked.

    Attributes
    ----------
    tree : TreeSettings
        What is boosted; a tree of depth 0 is plain naive Bayes.
    n_rounds : int
    learning_rate : float
        Of the confidence-rated kind.
    restarts : bool
        Of AdaBoost.M1.
    calibrate : bool
        Whether votes of AdaBoost.M1 are scaled by rows that are held out.
    group_weights : object
        As ``class_weight`` of the estimator.
    seed : int
    callback : callable or None
    """

    tree: TreeSettings = field(default_factory=lambda: TreeSettings(max_depth=0))
    n_rounds: int = 100
    learning_rate: float = 0.1
    restarts: bool = True
    calibrate: bool = False
    group_weights: object = None
    seed: int = 0
    callback: Callback | None = None

    @property
    def plan(self) -> CodingPlan:
        """How columns are coded."""
        tree = self.tree
        copies_count = not tree.prune and not self.calibrate
        fine_splits = tree.threshold and tree.max_depth > 0
        return CodingPlan(fine_splits, tree.prune, copies_count, self.group_weights)


PERFECT_VOTE = float(np.log(1e10))
"""The vote of a model without an error, whose own would be infinite."""

CHANCE = 0.5 * (1 - 1e-9)
"""A model that is the last one again is wrong on one half of the weight, up to rounding."""

MAX_FAILURES = 50
"""Models in a row that are worse than chance before boosting gives up."""


class Voter(Protocol):
    """A model of one round."""

    def score(self, rows: BinnedRows) -> np.ndarray:
        """Scores of rows: one column for two groups, one per group for more."""

    def mark_wrong(self, data: WeightedRows, weights: np.ndarray, wrong: np.ndarray) -> float:
        """Mark the rows that are not put into their group, and give their weight."""

    def weigh_columns(self, binning: Binning, seen: np.ndarray) -> np.ndarray:
        """How far each column moves rows on average, in units of evidence, where so many have each code."""


class Base(Protocol):
    """What is boosted."""

    def fit(self) -> Voter:
        """The model of the rows, as they are weighted now."""


@dataclass(frozen=True, eq=False)
class TableVoter:
    """Naive Bayes: one table over the codes of all columns, numbered through."""

    starts: np.ndarray
    evidence: np.ndarray
    prior: np.ndarray

    def score(self, rows: BinnedRows) -> np.ndarray:
        """Prior plus evidence."""
        scores = np.tile(self.prior, (rows.n_rows, 1))
        offsets = self.starts * len(self.prior)
        bayfold_kernels.score_tables(rows.codes, offsets, self.evidence.ravel(), scores)
        return scores

    def weigh_columns(self, binning: Binning, seen: np.ndarray) -> np.ndarray:
        """Mean absolute weight of each column's codes."""
        return np.add.reduceat(seen * np.abs(self.evidence).mean(axis=1), binning.starts)

    def mark_wrong(self, data: WeightedRows, weights: np.ndarray, wrong: np.ndarray) -> float:
        """Score and compare without writing the scores down."""
        truth = data.group_of, weights, wrong
        if len(self.prior) == 1:
            odds = self.evidence[:, 0], float(self.prior[0])
            return adaboost_kernels.mark_wrong_odds(data.rows.codes, self.starts, *odds, *truth)
        width = -(-len(self.prior) // SCORES_AT_ONCE) * SCORES_AT_ONCE
        evidence = np.zeros((len(self.evidence), width))
        evidence[:, : len(self.prior)] = self.evidence
        start = np.full(width, -np.inf)  # a group that is none never wins
        start[: len(self.prior)] = self.prior
        tables = self.starts * width, evidence.ravel(), start
        return adaboost_kernels.mark_wrong_tables(data.rows.codes, *tables, *truth)


@dataclass(frozen=True, eq=False)
class TreeVoter:
    """A tree with naive Bayes leaves."""

    tree: NaiveBayesTree

    def score(self, rows: BinnedRows) -> np.ndarray:
        """Scores by the leaves."""
        return self.tree.score(rows.split_codes, rows.codes)

    def weigh_columns(self, binning: Binning, seen: np.ndarray) -> np.ndarray:
        """What splits and leaves go by."""
        return weigh_tree_columns(self.tree, binning, seen)

    def mark_wrong(self, data: WeightedRows, weights: np.ndarray, wrong: np.ndarray) -> float:
        """Compare the best group with the row's own."""
        return adaboost_kernels.mark_wrong_scores(
            self.score(data.rows), data.group_of, weights, wrong
        )


class TableBase:
    """Naive Bayes as what is boosted: one count over the rows per round.

    Parameters
    ----------
    rows : KeptRows
        Of ``BoostedPart``.
    binning : Binning
    settings : LeafSettings
    """

    def __init__(self, rows: KeptRows, binning: Binning, settings: LeafSettings) -> None:
        self.rows = rows
        self.binning = binning
        self.settings = settings
        self.is_silent = binning.is_silent[None]

    def fit(self) -> TableVoter:
        """Count and estimate."""
        binning = self.binning
        counts = self.rows.reduce("count", binning.places)
        evidence, prior = estimate_evidence(
            counts, binning.starts, binning.n_codes, self.is_silent, self.settings
        )
        return TableVoter(binning.starts, evidence[0], prior[0])


class TreeBase:
    """Trees as what is boosted. Under weights, 30 rows mean a weight of 30."""

    def __init__(self, grower: TreeGrower) -> None:
        self.grower = grower

    def fit(self) -> TreeVoter:
        """Grow a tree."""
        return TreeVoter(self.grower.grow(compact=True))


@dataclass(frozen=True, eq=False)
class Round:
    """What one round of boosting made.

    Attributes
    ----------
    voter : Voter
    error : float
        Share of the weight that the model gets wrong.
    vote : float
        Weight of the model in the sum of votes.
    n_restarts : int
        How often weights were drawn anew for this round or after it: models worse than chance, or perfect ones.
    """

    voter: Voter
    error: float
    vote: float
    n_restarts: int


def boost_m1(
    weights: RowWeights,
    base: Base,
    n_rounds: int,
    rng: np.random.RandomState,
    restarts: bool = True,
) -> Iterator[Round]:
    """Rounds of AdaBoost.M1, one at a time.

    Weights start as given and always sum to the number of rows. After a round the rows it got wrong weigh as much as
    those it got right. A model that is wrong on half of the weight or more is thrown away and one that is never wrong
    is kept with a large vote; both are followed by weights drawn as a bootstrap sample of the rows. Without
    ``restarts`` either is the last round, and the first kind only counts if there is no other.
    """
    n_made = 0
    n_failed = 0
    n_restarts = 0
    while n_made < n_rounds:
        voter = base.fit()
        error = weights.find_error(voter)
        if error >= CHANCE:
            n_failed += 1
            if not restarts or n_failed > MAX_FAILURES:
                yield from _last_resort(voter, error, n_made, n_restarts)
                if restarts:
                    warn(boosting_gave_up(n_failed, n_made, n_rounds))
                return
            weights.draw(rng)
            n_restarts += 1
            continue
        n_made = n_made + 1
        n_failed = 0
        if error > 0:
            yield Round(voter, error, float(np.log((1 - error) / error)), n_restarts)
            weights.update(error)
            n_restarts = 0
            continue
        yield Round(voter, 0.0, PERFECT_VOTE, n_restarts)
        if not restarts:
            return
        weights.draw(rng)
        n_restarts = 1


def _last_resort(voter: Voter, error: float, n_made: int, n_restarts: int) -> Iterator[Round]:
    """A model worse than chance, if there is no other."""
    if n_made == 0:
        yield Round(voter, error, 1.0, n_restarts)


def count_votes(rounds: list[Round], rows: BinnedRows, n_groups: int) -> np.ndarray:
    """Sum of the votes for each group."""
    votes = np.zeros((rows.n_rows, n_groups))
    for made in rounds:
        adaboost_kernels.add_votes(made.voter.score(rows), made.vote, votes)
    return votes


def boost_real(
    weights: RowWeights, base: Base, n_rounds: int, learning_rate: float
) -> Iterator[TableVoter]:
    """Rounds of confidence-rated boosting, each scaled by the learning rate.

    A row's weight is multiplied by ``exp(-h)``, where h is the scaled score of the row's own group, centred over
    groups: for two groups half the log-odds (Real AdaBoost), for more the same as SAMME.R.
    """
    for k in range(n_rounds):
        voter = base.fit()
        assert isinstance(voter, TableVoter)
        voter = TableVoter(
            voter.starts, learning_rate * voter.evidence, learning_rate * voter.prior
        )
        yield voter
        if k + 1 < n_rounds:
            weights.lower(voter)


def collapse_voters(voters: list[TableVoter]) -> TableVoter:
    """One naive Bayes with the same scores as all of them together."""
    evidence = np.sum([voter.evidence for voter in voters], axis=0)
    return TableVoter(voters[0].starts, evidence, np.sum([v.prior for v in voters], axis=0))
