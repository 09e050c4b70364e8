"""What model files hold of every estimator that is derived from statistics."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayfold.base.collapsed import CollapsedClassifier
from bayfold.base.stream import Stream
from bayfold.core.counts import JointCounts, Statistics
from bayfold.core.schema import Schema
from bayfold.core.scoring import NaiveBayesModel
from bayfold.persist import register, register_estimator

register(Stream)
register_estimator(
    CollapsedClassifier,
    model_=NaiveBayesModel,
    counts_=JointCounts,
    schema_=Schema,
    classes_=np.ndarray,
)

FOLDED: dict[str, Any] = {"statistics_": Statistics, "schema_": Schema, "_stream": Stream}
FOLDED_CLASSIFIER = FOLDED | {"classes_": np.ndarray, "class_count_": np.ndarray}

OF_LEARNING = ("statistics_", "_stream")
"""What only sums and further batches need."""
