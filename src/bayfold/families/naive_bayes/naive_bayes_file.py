"""What model files hold of the naive Bayes classifier and of the MDL transformer."""

from __future__ import annotations

import numpy as np

from bayfold.base.derived_file import OF_LEARNING, SUMMED_CLASSIFIER, check_summed_classifier
from bayfold.core.counts import JointCounts
from bayfold.core.schema import Coder
from bayfold.core.scoring.predictor import Predictor
from bayfold.families.naive_bayes.discretizer import MDLDiscretizer
from bayfold.families.naive_bayes.estimator import NaiveBayesClassifier
from bayfold.persist import check_counted, expect, register_estimator
from bayfold.persist.checks import FLOAT, WHOLE, expect_array, expect_increasing


def check_naive_bayes(model: NaiveBayesClassifier) -> None:
    """Counts of the model's groups, and a term for each column."""
    check_summed_classifier(model)
    naive = model._predictor.model
    check_counted(naive, model._counts)
    expect(len(naive.terms) == len(naive.schema.columns), "the terms")


def check_discretizer(model: MDLDiscretizer) -> None:
    """A bin for each code of each column."""
    columns = model._coder.schema.columns
    expect(model.n_features_in_ == len(columns), "the number of columns")
    expect(len(model._bin_of_code) == len(model.bin_edges_) == len(columns), "the bins")
    expect_array(model.n_bins_, WHOLE, (len(columns),), "the bins")
    for column, bins, edges in zip(columns, model._bin_of_code, model.bin_edges_, strict=True):
        expect_array(bins, FLOAT, (column.n_codes,), "the bins")
        expect_increasing(edges, (None,), "the edges of bins")


register_estimator(
    NaiveBayesClassifier,
    check_naive_bayes,
    dropped=OF_LEARNING,
    **SUMMED_CLASSIFIER,
    _predictor=Predictor,
    _counts=JointCounts,
)
register_estimator(
    MDLDiscretizer,
    check_discretizer,
    bin_edges_=list[np.ndarray],
    n_bins_=np.ndarray,
    _coder=Coder,
    _bin_of_code=list[np.ndarray],
)
