"""What model files hold of averaged one-dependence estimators."""

from __future__ import annotations

import numpy as np

from bayfold.base.derived_file import OF_LEARNING, SUMMED_CLASSIFIER, check_summed_classifier
from bayfold.families.aode.counts import PairCounts, PairLayout, PairStatistics
from bayfold.families.aode.estimator import AveragedOneDependenceClassifier
from bayfold.families.aode.kernels.pairs import NOWHERE
from bayfold.families.aode.model import OneDependenceModel, OneDependencePredictor
from bayfold.persist import checks, expect, register, register_estimator
from bayfold.persist.schema_kinds import check_statistics


def check_pair_counts(counts: PairCounts) -> None:
    """Every value beside every value."""
    n_values = 0 if counts.schema is None else counts.layout.n_values
    checks.expect_counts(
        counts.table, (n_values, n_values, len(counts.groups)), "the counts of pairs"
    )


def check_pair_statistics(statistics: PairStatistics) -> None:
    """Pairs of the same rows."""
    check_statistics(statistics)
    expect(statistics.pairs.schema == statistics.schema, "the schema of pairs")
    expect(len(statistics.pairs.groups) == len(statistics.groups), "the groups of pairs")


def check_one_dependence(model: OneDependenceModel) -> None:
    """Codes that lead to places in the tables."""
    layout = model.layout
    n_groups = model.naive.n_groups
    n_values = model.is_parent.size
    n_columns = len(model.schema.columns)
    expect(layout.schema == model.schema, "the schema of pairs")
    expect(n_values <= layout.n_values, "the parents")  # fewer where bins were merged
    checks.expect_array(model.is_silent, checks.FLAG, (n_columns,), "the silent columns")
    expect(len(model.lookups) == len(layout.columns), "the places of pairs")
    for j, places in zip(layout.columns, model.lookups, strict=True):
        shape = (model.schema.n_codes[j],)
        checks.expect_places(places, shape, NOWHERE, n_values, "the places of pairs", places.dtype)
        expect(places.dtype in (checks.WHOLE, np.dtype(np.int32)), "the places of pairs")
    checks.expect_array(model.is_parent, checks.FLAG, (n_values,), "the parents")
    checks.expect_logs(model.log_joint, (n_values, n_groups), "the table of parents")
    checks.expect_logs(model.log_naive, (n_values, n_groups), "the table of values")
    checks.expect_logs(model.log_given, (n_values, n_values, n_groups), "the table of pairs")
    expect(len(model.naive.terms) == n_columns, "the terms")
    if model.calibration is not None:
        checks.expect_finite(model.calibration.weights, (None,), "the calibration")
        expect(len(model.calibration.weights) > 0, "the calibration")
        checks.expect_floats(
            model.calibration.intercept, (checks.count_scores(n_groups),), "the calibration"
        )


register(PairLayout)
register(PairCounts, check_pair_counts)
register(PairStatistics, check_pair_statistics)
register(OneDependenceModel, check_one_dependence)
register(OneDependencePredictor, model=OneDependenceModel)
register_estimator(
    AveragedOneDependenceClassifier,
    check_summed_classifier,
    dropped=OF_LEARNING,
    **SUMMED_CLASSIFIER | {"statistics_": PairStatistics},
    _predictor=OneDependencePredictor,
)
