"""What model files hold of class decomposition."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayfold.core.evidence import Records
from bayfold.core.scoring.score_scale import ScoreScale
from bayfold.families.decomposition.estimator import ClassDecompositionClassifier
from bayfold.families.decomposition.splitter import Subclasses
from bayfold.persist import checks, expect, register, register_estimator


def check_subclasses(subclasses: Subclasses) -> None:
    """Subclasses in the order of their classes, each of which has one."""
    class_of = subclasses.class_of
    shape = (len(subclasses.class_of),)
    checks.expect_places(class_of, shape, 0, max(len(class_of), 1), "the subclasses")
    expect(len(class_of) > 0 and class_of[0] == 0, "the subclasses")
    expect(bool(np.isin(np.diff(class_of), (0, 1)).all()), "the subclasses")
    checks.expect_places(subclasses.cluster_of, shape, 0, len(class_of), "the subclasses")
    checks.expect_places(subclasses.of_row, (None,), 0, len(class_of), "the subclasses")


def check_decomposition(model: ClassDecompositionClassifier) -> None:
    """An estimator of the subclasses of the model's classes."""
    class_of = model._subclasses.class_of
    estimator = model.estimator_
    n_classes = int(class_of[-1]) + 1
    checks.expect_labels(model.classes_, n_classes, "the classes")
    checks.expect_array(model.n_clusters_, np.int64, (n_classes,), "the numbers of clusters")
    known = hasattr(estimator, "predict_proba") and hasattr(estimator, "classes_")
    labels = np.arange(len(class_of)) if model._subclasses.is_split else model.classes_
    expect(known and np.array_equal(estimator.classes_, labels), "the classes of the estimator")
    expect(estimator.n_features_in_ == model.n_features_in_, "the number of columns")
    scale = model._scale
    if scale is not None:
        expect(np.isfinite(scale.slope) and scale.slope >= 0, "the slope of classes")
        checks.expect_floats(
            scale.intercept, (checks.count_scores(n_classes),), "the intercepts of classes"
        )


register(Subclasses, check_subclasses)
register_estimator(
    ClassDecompositionClassifier,
    check_decomposition,
    search_=Records,
    _scale=ScoreScale | None,
    _subclasses=Subclasses,
    estimator_=Any,
    classes_=np.ndarray,
    n_clusters_=np.ndarray,
    subclasses_=Records,
)
