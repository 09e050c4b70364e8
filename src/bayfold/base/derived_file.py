"""What model files hold of every estimator that is derived from statistics, and of collapsed ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayfold.base.collapsed import CollapsedClassifier
from bayfold.base.stream import Stream
from bayfold.core.counts import JointCounts, Statistics
from bayfold.core.schema import Schema
from bayfold.core.scoring import NaiveBayesModel
from bayfold.core.scoring.conformal import ConformalScores
from bayfold.core.scoring.quality import HeldOutScore
from bayfold.persist import check_counted, expect, register, register_estimator
from bayfold.persist.checks import expect_counts, expect_labels

SUMMED: dict[str, Any] = {"statistics_": Statistics, "schema_": Schema, "_stream": Stream}
SUMMED_CLASSIFIER = SUMMED | {"classes_": np.ndarray, "class_count_": np.ndarray}

OF_LEARNING = ("statistics_", "_stream")
"""What only sums and further batches need."""


def check_stream(stream: Stream) -> None:
    """Batches of as many rows as are counted."""
    expect(stream.n_rows == sum(batch.n_rows for batch in stream.batches), "the batches so far")
    expect(stream.classes is None or stream.classes.ndim == 1, "the classes announced")


def check_summed(model: Any) -> None:
    """Everything about the columns of one schema."""
    schema = model._predictor.model.schema
    expect(model.schema_ == schema, "the schema")
    expect(model.n_features_in_ == schema.n_features, "the number of columns")
    if hasattr(model, "statistics_"):
        expect(model.statistics_.schema == schema, "the schema of statistics")
        expect(hasattr(model, "_stream"), "the batches so far")


def check_summed_classifier(model: Any) -> None:
    """A name and a count for each group."""
    check_summed(model)
    n_groups = len(model._predictor.model.log_prior)
    expect_labels(model.classes_, n_groups, "the classes")
    expect_counts(model.class_count_, (n_groups,), "the counts of classes")
    if hasattr(model, "statistics_"):
        expect(len(model.statistics_.groups) == n_groups, "the groups of statistics")


def check_collapsed(collapsed: CollapsedClassifier) -> None:
    """Counts and names of the model's groups."""
    model = collapsed.model_
    check_counted(model, collapsed.counts_)
    expect(collapsed.schema_ == model.schema, "the schema")
    expect(collapsed.n_features_in_ == len(model.schema.columns), "the number of columns")
    expect_labels(collapsed.classes_, model.n_groups, "the classes")


register(Stream, check_stream)
register_estimator(
    CollapsedClassifier,
    check_collapsed,
    model_=NaiveBayesModel,
    counts_=JointCounts,
    schema_=Schema,
    classes_=np.ndarray,
    _held_out=HeldOutScore | None,
    _conformal=ConformalScores | None,
)
