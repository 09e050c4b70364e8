"""What model files hold of class decomposition."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayfold.core.evidence import Records
from bayfold.families.decomposition.estimator import ClassDecompositionClassifier
from bayfold.families.decomposition.subclasses import Subclasses
from bayfold.persist import register, register_estimator

register(Subclasses)
register_estimator(
    ClassDecompositionClassifier,
    search_=Records,
    _subclasses=Subclasses,
    estimator_=Any,
    classes_=np.ndarray,
    n_clusters_=np.ndarray,
    subclasses_=Records,
)
