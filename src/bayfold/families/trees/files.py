"""What model files hold of trees with naive Bayes leaves."""

from __future__ import annotations

import numpy as np

from bayfold.core.schema import Schema
from bayfold.families.trees.binning import Binning, RowBinner
from bayfold.families.trees.estimator import NaiveBayesTreeClassifier
from bayfold.families.trees.model import NaiveBayesTree
from bayfold.persist import register, register_estimator

register(Binning)
register(RowBinner)
register(NaiveBayesTree)
register_estimator(
    NaiveBayesTreeClassifier,
    tree_=NaiveBayesTree,
    _binner=RowBinner,
    classes_=np.ndarray,
    class_count_=np.ndarray,
    schema_=Schema,
    depth_=int,
    n_leaves_=int,
)
