"""AdaBoost on tables: coded rows, rounds, and what the ensemble answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logsumexp

from bayfold.core.counts import JointCounts
from bayfold.core.densities import TableTerm
from bayfold.core.densities.frequency import SHRINKAGE_ROWS
from bayfold.core.evidence import as_shares, share_evidence
from bayfold.core.frames import Table
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.core.schema import RowBlock
from bayfold.core.scoring import NaiveBayesModel, centre_groups
from bayfold.core.scoring.conformal import ConformalScores
from bayfold.core.scoring.errors import CountErrors
from bayfold.core.scoring.predictor import Predictor, Readout, score_table
from bayfold.core.scoring.score_scale import ScoreScale
from bayfold.core.stored import Stored
from bayfold.errors import ignore_warnings, no_statistics
from bayfold.families.adaboost import kernels
from bayfold.families.adaboost.m1 import (
    AdaBoostSettings,
    Round,
    TableBase,
    TableVoter,
    TreeBase,
    boost_m1,
    boost_real,
    collapse_voters,
    count_votes,
)
from bayfold.families.adaboost.row_weights import BoostedPart, RowWeights
from bayfold.families.trees.binning import BinnedRows, Binning, RowBinner
from bayfold.families.trees.explain import count_leaf_codes
from bayfold.families.trees.held_out import find_score_scale
from bayfold.families.trees.prepare import Coding, Prepared, make_grower

LEAST_VOTE_SHARE = 1e-10
"""What a group without a single vote gets: the logarithm of zero would be no score."""


def learn_m1(prepared: Prepared, settings: AdaBoostSettings) -> VoteEnsemble:
    """AdaBoost.M1 over naive Bayes or over trees with naive Bayes leaves."""
    rounds = []
    for made in _boost_m1(prepared, settings):
        rounds.append(made)
        if settings.callback is not None:
            settings.callback(len(rounds), settings.n_rounds, made.error)
    coding = prepared.coding
    scale = _find_vote_scale(coding, settings) if settings.calibrate else None
    return VoteEnsemble(rounds, coding.binner, coding.counts, scale)


def _boost_m1(prepared: Prepared, settings: AdaBoostSettings) -> Iterator[Round]:
    base = make_base(prepared, settings)
    rng = np.random.RandomState(settings.seed)
    weights = _find_weights(prepared)
    return boost_m1(weights, base, settings.n_rounds, rng, settings.restarts)


def _find_vote_scale(coding: Coding, settings: AdaBoostSettings) -> ScoreScale:
    """How far shares of votes are believed, by rows that did not vote."""

    def learn(others: Prepared) -> Callable[[BinnedRows], np.ndarray]:
        rounds = list(_boost_m1(others, settings))

        def score(rows: BinnedRows) -> np.ndarray:
            votes = count_votes(rounds, rows, others.coding.n_groups)
            return log_shares(votes, find_least_share(rounds))

        return score

    with ignore_warnings(Warning):  # what is wrong with the rounds was said of those of all rows
        return find_score_scale(coding, learn, settings.plan, BoostedPart)


def learn_real(prepared: Prepared, settings: AdaBoostSettings) -> CollapsedEnsemble:
    """Confidence-rated boosting of naive Bayes, collapsed into one naive Bayes."""
    binner = prepared.coding.binner
    base = TableBase(prepared.rows, binner.leaves, settings.tree.leaf)
    voters = []
    weights = _find_weights(prepared)
    for voter in boost_real(weights, base, settings.n_rounds, settings.learning_rate):
        voters.append(voter)
        if settings.callback is not None:
            settings.callback(len(voters), settings.n_rounds, np.nan)
    model = make_model(collapse_voters(voters), binner.leaves)
    shown = VoterRounds(voters, binner)
    return CollapsedEnsemble(model, prepared.coding.counts, len(voters), shown)


def make_base(prepared: Prepared, settings: AdaBoostSettings) -> TableBase | TreeBase:
    """What is boosted: one table, or trees."""
    tree = settings.tree
    if tree.max_depth == 0:
        return TableBase(prepared.rows, prepared.coding.binner.leaves, tree.leaf)
    return TreeBase(make_grower(prepared, tree))


def _find_weights(prepared: Prepared) -> RowWeights:
    return RowWeights(prepared.rows, prepared.total)


def _known(counts: JointCounts) -> dict[str, Any]:
    return {"schema_": counts.schema, "class_count_": counts.totals}


class VoteEnsemble(Stored):
    """Models that vote. Scores are the logarithms of their shares of the votes, on the scale of held-out rows.

    Parameters
    ----------
    rounds : list of Round
    binner : RowBinner
    counts : JointCounts
        Of the training rows.
    scale : ScoreScale, optional
        Without one the shares of the votes stand for probabilities.
    """

    model: NaiveBayesModel | None = None

    @property
    def conformal(self) -> ConformalScores | None:
        """Scores of the rows that the scale was fitted on."""
        return None if self.scale is None else self.scale.conformal

    def __init__(
        self,
        rounds: list[Round],
        binner: RowBinner,
        counts: JointCounts,
        scale: ScoreScale | None = None,
    ) -> None:
        self.rounds = rounds
        self.binner = binner
        self.counts = counts
        self.scale = scale
        self.log_prior = np.log(counts.totals / counts.totals.sum())
        self.learnt = _known(counts) | {
            "round_errors_": np.array([made.error for made in rounds]),
            "round_votes_": np.array([made.vote for made in rounds]),
            "round_restarts_": np.array([made.n_restarts for made in rounds]),
            "n_rounds_": len(rounds),
        }

    def find_importances(self) -> np.ndarray:
        """Shares of the columns in what the rounds go by, weighted by their votes."""
        leaves = self.binner.leaves
        brought = np.zeros(len(leaves.n_codes))
        seen = count_leaf_codes(leaves, self.counts)
        for made in self.rounds:
            brought += made.vote * made.voter.weigh_columns(leaves, seen)
        return as_shares(brought)

    def score(
        self, table: Table, *, readout: Readout | None = None, n_threads: int = 1
    ) -> np.ndarray:
        """Log shares of the votes, scaled."""
        n_groups = len(self.log_prior)

        def score(block: RowBlock) -> np.ndarray:
            rows = self.binner.bin_block(block)
            return self._scale_votes(count_votes(self.rounds, rows, n_groups), self.rounds)

        n_scores = 1 if n_groups == 2 else n_groups
        return score_table(self.binner.coder, table, score, n_scores, readout, n_threads)

    def staged_scores(self, table: Table, n_threads: int = 1) -> Iterator[np.ndarray]:
        """Log shares of the votes after each round."""
        rows = self.binner.bin_table(table, n_threads)
        votes = np.zeros((rows.n_rows, len(self.log_prior)))
        for made in self.rounds:
            kernels.add_votes(made.voter.score(rows), made.vote, votes)
            yield self._scale_votes(votes, self.rounds)

    def _scale_votes(self, votes: np.ndarray, rounds: list[Round]) -> np.ndarray:
        if self.scale is None:
            return log_shares(votes)
        return self.scale.apply(log_shares(votes, find_least_share(rounds)))


def log_shares(votes: np.ndarray, least: float = LEAST_VOTE_SHARE) -> np.ndarray:
    """Logarithms of the shares of votes: of two groups their difference, of more less the mean.

    >>> log_shares(np.array([[1.0, 3.0]])).round(4)
    array([[1.0986]])
    """
    total = np.maximum(votes.sum(axis=1, keepdims=True), 1e-300)
    return centre_groups(np.log(np.maximum(votes / total, least)))


def find_least_share(rounds: list[Round]) -> float:
    """Half a mean vote: what a group without a single vote is taken to have, so that unanimity is no certainty."""
    return 0.5 / len(rounds)


@dataclass(frozen=True, eq=False)
class VoterRounds:
    """What was added in each round."""

    voters: list[TableVoter]
    binner: RowBinner


class CollapsedEnsemble(Stored):
    """Rounds that add up to one naive Bayes model, which is what predicts.

    Parameters
    ----------
    model : NaiveBayesModel
    counts : JointCounts
        Of the training rows.
    n_rounds : int
    rounds : VoterRounds or None
        None in a model that was saved without them.
    """

    conformal: ConformalScores | None = None

    def __init__(
        self,
        model: NaiveBayesModel,
        counts: JointCounts,
        n_rounds: int,
        rounds: VoterRounds | None,
    ) -> None:
        self.counts = counts
        self.n_rounds = n_rounds
        self.rounds = rounds
        self.model: NaiveBayesModel | None = model
        self.log_prior = model.log_prior
        self.learnt = _known(counts) | {"n_rounds_": n_rounds}
        self._predictor = Predictor(model)

    def find_importances(self) -> np.ndarray:
        """Shares of the columns in the evidence."""
        assert self.model is not None
        return share_evidence(self.model, self.counts)

    def score(
        self, table: Table, *, readout: Readout | None = None, n_threads: int = 1
    ) -> np.ndarray:
        """Prior plus evidence of the collapsed model."""
        return self._predictor.score(table, readout=readout, n_threads=n_threads)

    def staged_scores(self, table: Table, n_threads: int = 1) -> Iterator[np.ndarray]:
        """Scores after each round."""
        if self.rounds is None:
            raise no_statistics("the scores of each round")
        rows = self.rounds.binner.bin_table(table, n_threads)
        total = np.zeros((rows.n_rows, len(self.rounds.voters[0].prior)))
        for voter in self.rounds.voters:
            total = total + voter.score(rows)
            yield total


def make_model(voter: TableVoter, binning: Binning) -> NaiveBayesModel:
    """One table over all columns as a model with a term for each."""
    terms = []
    for j, column_schema in enumerate(binning.schema.columns):
        merge = binning.merges.get(j, np.arange(column_schema.n_bins))
        codes = binning.starts[j] + np.concatenate([np.arange(FIRST_BIN), merge + FIRST_BIN])
        is_merged = j in binning.merges
        terms.append(TableTerm(j, _per_group(voter.evidence[codes]), merge if is_merged else None))
    log_prior = _per_group(voter.prior)
    log_prior -= logsumexp(log_prior)
    errors = CountErrors("m_estimate", SHRINKAGE_ROWS)
    return NaiveBayesModel(binning.schema, log_prior, tuple(terms), errors=errors)


def _per_group(scores: np.ndarray) -> np.ndarray:
    """One value per group from scores: a single one is the odds of the second group."""
    if scores.shape[-1] > 1:
        return scores
    return np.concatenate([np.zeros_like(scores), scores], axis=-1)
