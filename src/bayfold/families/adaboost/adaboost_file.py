"""What model files hold of AdaBoost."""

from __future__ import annotations

import numpy as np

from bayfold.core.schema import Schema
from bayfold.core.scoring.score_scale import ScoreScale
from bayfold.families.adaboost.estimator import AdaBoostNaiveBayesClassifier
from bayfold.families.adaboost.learner import CollapsedEnsemble, VoteEnsemble, VoterRounds
from bayfold.families.adaboost.m1 import Round, TableVoter, TreeVoter
from bayfold.families.trees.binning import RowBinner
from bayfold.families.trees.trees_file import check_tree
from bayfold.persist import check_counted, checks, expect, register, register_estimator


def check_voter(voter: TableVoter, binner: RowBinner, n_groups: int) -> None:
    """A row of the table for each code of all columns."""
    leaves = binner.leaves
    n_scores = checks.count_scores(n_groups)
    checks.expect_array(voter.starts, checks.WHOLE, (len(leaves.starts),), "the columns of a round")
    expect(np.array_equal(voter.starts, leaves.starts), "the columns of a round")
    checks.expect_floats(voter.evidence, (leaves.total_codes, n_scores), "the evidence of a round")
    checks.expect_floats(voter.prior, (n_scores,), "the prior of a round")


def check_votes(ensemble: VoteEnsemble) -> None:
    """Rounds of the same columns and groups."""
    n_groups = len(ensemble.counts.groups)
    expect(ensemble.counts.schema == ensemble.binner.leaves.schema, "the schema of rounds")
    for made in ensemble.rounds:
        if isinstance(made.voter, TreeVoter):
            check_tree(made.voter.tree, ensemble.binner, n_groups)
        else:
            check_voter(made.voter, ensemble.binner, n_groups)  # type: ignore[arg-type]
    if ensemble.scale is not None:
        check_vote_scale(ensemble.scale, n_groups)


def check_vote_scale(scale: ScoreScale, n_groups: int) -> None:
    """A slope that turns no score around, and an intercept for each score."""
    expect(np.isfinite(scale.slope) and scale.slope >= 0, "the slope of votes")
    checks.expect_floats(
        scale.intercept, (checks.count_scores(n_groups),), "the intercepts of votes"
    )


def check_collapsed_ensemble(ensemble: CollapsedEnsemble) -> None:
    """Rounds of the model's columns and groups."""
    model = ensemble.model
    assert model is not None
    check_counted(model, ensemble.counts)
    if ensemble.rounds is not None:
        expect(len(ensemble.rounds.voters) > 0, "the rounds")
        expect(ensemble.rounds.binner.leaves.schema == model.schema, "the schema of rounds")
        for voter in ensemble.rounds.voters:
            check_voter(voter, ensemble.rounds.binner, model.n_groups)


def check_adaboost(model: AdaBoostNaiveBayesClassifier) -> None:
    """What the rounds say of themselves, and names of their groups."""
    ensemble = model._ensemble
    n_groups = len(ensemble.log_prior)
    checks.expect_labels(model.classes_, n_groups, "the classes")
    checks.expect_counts(model.class_count_, (n_groups,), "the counts of classes")
    schema = ensemble.counts.schema
    expect(schema is not None and schema == model.schema_, "the schema")
    expect(model.n_features_in_ == len(model.schema_.columns), "the number of columns")
    expect(ensemble.learnt.keys() <= vars(model).keys(), "the attributes")


register(TableVoter)
register(TreeVoter)
register(Round, voter=TableVoter | TreeVoter)
register(ScoreScale)
register(VoteEnsemble, check_votes)
register(VoterRounds)
register(CollapsedEnsemble, check_collapsed_ensemble, dropped=["rounds"])
register_estimator(
    AdaBoostNaiveBayesClassifier,
    check_adaboost,
    _ensemble=VoteEnsemble | CollapsedEnsemble,
    classes_=np.ndarray,
    schema_=Schema,
    class_count_=np.ndarray,
    round_errors_=np.ndarray,
    round_votes_=np.ndarray,
    round_restarts_=np.ndarray,
    n_rounds_=int,
)
