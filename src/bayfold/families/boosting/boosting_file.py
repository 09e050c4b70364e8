"""What model files hold of additive boosting."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.schema import Schema
from bayfold.core.scoring.located import ErrorShape
from bayfold.core.scoring.quality import HeldOutScore
from bayfold.core.scoring.rates import AmountShape, CountShape
from bayfold.core.scoring.target_scale import TargetScale
from bayfold.families.boosting.ensembles import NumberEnsemble, TreeRounds
from bayfold.families.boosting.estimator import BoostedNaiveBayesClassifier
from bayfold.families.boosting.kernels.routes import N_LEAVES, N_NODES
from bayfold.families.boosting.learner import AdditiveEnsemble
from bayfold.families.boosting.numbers.answers import CollapsedRegressor
from bayfold.families.boosting.numbers.model import NumberPredictor
from bayfold.families.boosting.numbers.start import NumberStart
from bayfold.families.boosting.rates.model import RatePredictor
from bayfold.families.boosting.rates.rows import POISSON
from bayfold.families.boosting.regressor import BoostedNaiveBayesRegressor
from bayfold.families.boosting.rounds.cross_fit import CrossFit
from bayfold.families.boosting.settings import BoostedTables
from bayfold.families.boosting.starts.categories import Belief, PairedStart, Start
from bayfold.families.boosting.starts.tables import CurvedTables, LinearTables, PairTable
from bayfold.persist import check_counted, checks, expect, register, register_estimator


def check_trees(trees: CrossFit) -> None:
    """Three levels of splits in each tree, and a step for each leaf."""
    checks.expect_array(trees.splits, checks.WHOLE, (None, None, N_NODES, 3), "the splits")
    n_models, n_rounds = trees.splits.shape[:2]
    checks.expect_finite(trees.values, (n_models, n_rounds, N_LEAVES, None), "the steps")
    checks.expect_finite(trees.losses, (None,), "the losses")
    expect(isinstance(trees.start, (Start, NumberStart)), "the start")


def check_start(start: Start) -> None:
    """Every group may occur."""
    checks.expect_finite(start.prior, (None,), "the prior")
    expect(bool((start.prior > 0).all()), "the prior")


def check_pair_table(pair: PairTable) -> None:
    """An entry for every two bins."""
    checks.expect_finite(pair.table, (None, None, None), "the pairs")
    for merge, n_bins in zip(pair.merges, pair.table.shape, strict=False):
        checks.expect_places(merge, (None,), 0, n_bins, "the pairs")


def check_known_pair(pair: PairTable, schema: Schema, n_scores: int) -> None:
    """Two one-byte columns, a bin for each of their codes, and an entry per score."""
    expect(pair.table.shape[2] == n_scores, "the pairs")
    expect(pair.columns[0] < pair.columns[1], "the pairs")
    for k, merge in zip(pair.columns, pair.merges, strict=True):
        checks.expect_whole(k, 0, len(schema.narrow), "the pairs")
        expect(len(merge) == schema.columns[schema.narrow[k]].n_codes, "the pairs")


def check_number_start(start: NumberStart) -> None:
    """One number."""
    checks.expect_finite(start.first, (1,), "the start")
    for table in start.known.values():
        checks.expect_finite(table, (None, 1), "the start")


def check_splits(rounds: TreeRounds, n_scores: int) -> Schema:
    """Refuse trees of other columns or scores; returns the schema of the columns."""
    trees = rounds.trees
    schema = rounds.counts.schema
    expect(schema is not None, "the counts of rounds")
    assert schema is not None
    expect(trees.values.shape[3] == n_scores, "the steps")
    n_columns = max(len(schema.narrow), 1)
    checks.expect_places(trees.splits[..., 0], (None, None, N_NODES), 0, n_columns, "the splits")
    linear = getattr(trees.start, "linear", None)
    if linear is not None:
        check_slopes(linear, schema, n_scores)
    return schema


def check_rounds(rounds: TreeRounds, n_groups: int) -> None:
    """Refuse trees of other columns or groups than those that were counted."""
    start = rounds.trees.start
    schema = check_splits(rounds, checks.count_scores(n_groups))
    expect(len(rounds.counts.groups) == n_groups, "the counts of rounds")
    expect(isinstance(start, Start) and len(start.prior) == n_groups, "the prior")
    assert isinstance(start, Start)
    for belief in start.beliefs:
        checks.expect_whole(belief.position, 0, len(schema.columns), "the categories")
    expect(len(start.texts) == len(schema.text), "the texts")
    for pair in getattr(start, "pairs", ()):
        check_known_pair(pair, schema, checks.count_scores(n_groups))


def check_number_rounds(rounds: TreeRounds) -> None:
    """Refuse trees of other columns than those that were counted, and categories that were not."""
    start = rounds.trees.start
    schema = check_splits(rounds, 1)
    expect(isinstance(start, NumberStart), "the start")
    assert isinstance(start, NumberStart)
    places = [*schema.narrow, *schema.wide]
    for pair in start.pairs:
        check_known_pair(pair, schema, 1)
    for position, table in start.known.items():
        checks.expect_whole(position, 0, len(places), "the categories")
        expect(len(table) == schema.columns[places[position]].n_codes, "the categories")


LEAST_NODES = 4  # two tails and a part between them


def check_scale(scale: TargetScale) -> None:
    """Increasing values at increasing places; none at more than two."""
    checks.expect_finite(scale.values, (None,), "the values of a target")
    rises = np.diff(scale.values)
    expect(bool((rises >= 0).all()), "the values of a target")
    expect(bool((rises[1:] + rises[:-1] > 0).all()), "the values of a target")
    expect(not scale.is_discrete or bool((rises > 0).all()), "the values of a target")
    checks.expect_increasing(scale.places, (len(scale.values),), "the places of a target")
    expect(len(scale.values) > 0, "the values of a target")


def check_shape(shape: ErrorShape) -> None:
    """Increasing quantiles at increasing levels from 0 to 1."""
    checks.expect_increasing(shape.nodes, (None,), "the shape of errors")
    expect(len(shape.nodes) >= LEAST_NODES, "the shape of errors")
    checks.expect_increasing(shape.levels, (len(shape.nodes),), "the shape of errors")
    expect(shape.levels[0] == 0 and shape.levels[-1] == 1, "the shape of errors")


def check_predictor(predictor: NumberPredictor) -> None:
    """Two scores or four, and spreads above zero."""
    expect(predictor.model.n_groups in (2, 4), "the scores")
    checks.expect_finite(predictor.spreads, (2,), "the spreads")
    expect(bool(0 < predictor.spreads[0] <= predictor.spreads[1]), "the spreads")


LARGEST_PARAMETER = 1e6  # of a shape, e^12 and more


def check_count_shape(shape: CountShape) -> None:
    """A dispersion above zero, a probability below one, and a spread of at most one."""
    expect(0 < shape.dispersion < LARGEST_PARAMETER, "the dispersion")
    expect(1 / LARGEST_PARAMETER < shape.spread <= 1, "the spread of counts")
    expect(0 <= shape.extra_zeros < 1, "the extra zeros")


def check_amount_shape(shape: AmountShape) -> None:
    """Parameters of a generalised gamma distribution, and two of the chance of more than zero."""
    expect(0 < shape.form < LARGEST_PARAMETER, "the form of amounts")
    expect(1 / LARGEST_PARAMETER < shape.exponent < LARGEST_PARAMETER, "the form of amounts")
    checks.expect_finite(np.array(shape.chances or (0.0, 0.0)), (2,), "the chance of amounts")


def check_rate_predictor(predictor: RatePredictor) -> None:
    """One score, a power, and the exposure of the model's columns."""
    expect(predictor.model.n_groups == 1, "the scores")
    expect(POISSON <= predictor.power <= 2.0, "the power")
    check_number_counts(predictor, predictor.exposed)
    expect(len(predictor.exposed.groups) == 1, "the exposure")


def check_number_counts(predictor: NumberPredictor | RatePredictor, counts: JointCounts) -> None:
    """Counts of the model's columns."""
    expect(counts.schema == predictor.model.schema, "the counts")


def check_number_ensemble(ensemble: NumberEnsemble) -> None:
    """Counts and rounds of the model's columns."""
    check_number_counts(ensemble.predictor, ensemble.counts)
    checks.expect_finite(ensemble.blend_weights, (3,), "the weights of the blend")
    if ensemble.rounds is not None:
        same = ensemble.rounds.counts.schema == ensemble.predictor.model.schema
        expect(same, "the schema of rounds")
        check_number_rounds(ensemble.rounds)


def check_slopes(linear: LinearTables, schema: Schema, n_scores: int) -> None:
    """An intercept, and a table for each one-byte column."""
    checks.expect_finite(linear.intercept, (n_scores,), "the intercept")
    expect(len(linear.tables) == len(schema.narrow), "the slopes")
    for j, table in zip(schema.narrow.tolist(), linear.tables, strict=True):
        checks.expect_finite(table, (schema.columns[j].n_codes, n_scores), "the slopes")


def check_ensemble(ensemble: AdditiveEnsemble) -> None:
    """Counts and rounds of the model's columns and groups."""
    check_counted(ensemble.model, ensemble.counts)
    checks.expect_finite(ensemble.blend_weights, (3,), "the weights of the blend")
    if ensemble.rounds is not None:
        expect(ensemble.rounds.counts.schema == ensemble.model.schema, "the schema of rounds")
        check_rounds(ensemble.rounds, ensemble.model.n_groups)


def check_learnt(model: BoostedTables, schema: Schema) -> None:
    """The columns of one schema, and all that was learnt of them."""
    expect(model.schema_ == schema, "the schema")
    expect(model.n_features_in_ == len(schema.columns), "the number of columns")
    expect(model._ensemble.learnt.keys() <= vars(model).keys(), "the attributes")
    n_run = len(model.validation_loss_)
    checks.expect_whole(
        model.n_rounds_, 0, n_run + 1 if n_run else int(checks.LARGEST_SUM), "the number of rounds"
    )


def check_boosted(model: BoostedNaiveBayesClassifier) -> None:
    """What the rounds say of themselves, and names of their groups."""
    ensemble = model._ensemble
    checks.expect_labels(model.classes_, ensemble.model.n_groups, "the classes")
    check_learnt(model, ensemble.model.schema)


def check_boosted_number(model: BoostedNaiveBayesRegressor) -> None:
    """What the rounds say of themselves."""
    check_learnt(model, model._ensemble.predictor.model.schema)


def check_collapsed_number(model: CollapsedRegressor) -> None:
    """Counts of the model's columns."""
    check_number_counts(model._predictor, model.counts_)
    expect(model.schema_ == model._predictor.model.schema, "the schema")
    expect(model.n_features_in_ == len(model.schema_.columns), "the number of columns")


LEARNT: dict[str, Any] = {
    "schema_": Schema,
    "n_rounds_": int,
    "validation_loss_": np.ndarray,
    "left_out_share_": float,
    "blend_weights_": np.ndarray,
}
"""What both estimators learn."""

register(Belief)
register(LinearTables)
register(CurvedTables)
register(PairTable, check_pair_table)
register(Start, check_start)
register(PairedStart, check_start)
register(NumberStart, check_number_start)
register(TargetScale, check_scale)
register(ErrorShape, check_shape)
register(NumberPredictor, check_predictor)
register(CountShape, check_count_shape)
register(AmountShape, check_amount_shape)
register(RatePredictor, check_rate_predictor)
register(NumberEnsemble, check_number_ensemble, dropped=["rounds"])
register(CrossFit, check_trees)
register(TreeRounds)
register(AdditiveEnsemble, check_ensemble, dropped=["rounds"])
register_estimator(
    BoostedNaiveBayesClassifier,
    check_boosted,
    _ensemble=AdditiveEnsemble,
    classes_=np.ndarray,
    **LEARNT,
)
register_estimator(
    BoostedNaiveBayesRegressor,
    check_boosted_number,
    _ensemble=NumberEnsemble,
    **LEARNT,
)
register_estimator(
    CollapsedRegressor,
    check_collapsed_number,
    _predictor=NumberPredictor | RatePredictor,
    counts_=JointCounts,
    schema_=Schema,
    _held_out=HeldOutScore | None,
    _target=dict[str, float] | None,
)
