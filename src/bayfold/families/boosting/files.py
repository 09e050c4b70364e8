"""What model files hold of additive boosting."""

from __future__ import annotations

import numpy as np

from bayfold.core.schema import Schema
from bayfold.families.boosting.categories import Belief, LinearTables, Start
from bayfold.families.boosting.cross_fit import CrossFit
from bayfold.families.boosting.estimator import BoostedNaiveBayesClassifier
from bayfold.families.boosting.kernels.routes import N_LEAVES, N_NODES
from bayfold.families.boosting.learner import AdditiveEnsemble, TreeRounds
from bayfold.persist import check_counted, expect, register, register_estimator
from bayfold.persist.checks import (
    WHOLE,
    count_scores,
    expect_array,
    expect_finite,
    expect_labels,
    expect_places,
    expect_whole,
)


def check_trees(trees: CrossFit) -> None:
    """Three levels of splits in each tree, and a step for each leaf."""
    expect_array(trees.splits, WHOLE, (None, None, N_NODES, 3), "the splits")
    n_models, n_rounds = trees.splits.shape[:2]
    expect_finite(trees.values, (n_models, n_rounds, N_LEAVES, None), "the steps")
    expect_finite(trees.losses, (None,), "the losses")
    expect_finite(trees.start.prior, (None,), "the prior")
    expect(bool((trees.start.prior > 0).all()), "the prior")


def check_rounds(rounds: TreeRounds, n_groups: int) -> None:
    """Refuse trees of other columns or groups than those that were counted."""
    trees, schema = rounds.trees, rounds.counts.schema
    expect(schema is not None and len(rounds.counts.groups) == n_groups, "the counts of rounds")
    assert schema is not None
    expect(len(trees.start.prior) == n_groups, "the prior")
    expect(trees.values.shape[3] == count_scores(n_groups), "the steps")
    n_columns = max(len(schema.narrow), 1)
    expect_places(trees.splits[..., 0], (None, None, N_NODES), 0, n_columns, "the splits")
    if trees.start.linear is not None:
        check_slopes(trees.start.linear, schema, trees.values.shape[3])
    for belief in trees.start.beliefs:
        expect_whole(belief.position, 0, len(schema.columns), "the categories")


def check_slopes(linear: LinearTables, schema: Schema, n_scores: int) -> None:
    """An intercept, and a table for each one-byte column."""
    expect_finite(linear.intercept, (n_scores,), "the intercept")
    expect(len(linear.tables) == len(schema.narrow), "the slopes")
    for j, table in zip(schema.narrow.tolist(), linear.tables, strict=True):
        expect_finite(table, (schema.columns[j].n_codes, n_scores), "the slopes")


def check_ensemble(ensemble: AdditiveEnsemble) -> None:
    """Counts and rounds of the model's columns and groups."""
    check_counted(ensemble.model, ensemble.counts)
    expect_finite(ensemble.blend_weights, (3,), "the weights of the blend")
    if ensemble.rounds is not None:
        expect(ensemble.rounds.counts.schema == ensemble.model.schema, "the schema of rounds")
        check_rounds(ensemble.rounds, ensemble.model.n_groups)


def check_boosted(model: BoostedNaiveBayesClassifier) -> None:
    """What the rounds say of themselves, and names of their groups."""
    ensemble = model._ensemble
    expect_labels(model.classes_, ensemble.model.n_groups, "the classes")
    expect(model.schema_ == ensemble.model.schema, "the schema")
    expect(model.n_features_in_ == len(model.schema_.columns), "the number of columns")
    expect(ensemble.learnt.keys() <= vars(model).keys(), "the attributes")


register(Belief)
register(LinearTables)
register(Start)
register(CrossFit, check_trees)
register(TreeRounds)
register(AdditiveEnsemble, check_ensemble, dropped=["rounds"])
register_estimator(
    BoostedNaiveBayesClassifier,
    check_boosted,
    _ensemble=AdditiveEnsemble,
    classes_=np.ndarray,
    schema_=Schema,
    n_rounds_=int,
    validation_loss_=np.ndarray,
    left_out_share_=float,
    blend_weights_=np.ndarray,
)
