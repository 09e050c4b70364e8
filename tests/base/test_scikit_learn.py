"""Citizenship: scikit-learn's own checks, none of them expected to fail."""

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from bayfold import (
    AdaBoostNaiveBayesClassifier,
    AveragedOneDependenceClassifier,
    BoostedNaiveBayesClassifier,
    BoostedNaiveBayesRegressor,
    ClassDecompositionClassifier,
    MDLDiscretizer,
    MTERegressor,
    NaiveBayesClassifier,
    NaiveBayesImputer,
    NaiveBayesMixture,
    NaiveBayesRegressor,
    NaiveBayesTreeClassifier,
    ViaRegressionClassifier,
)

FIRST = [
    NaiveBayesClassifier(),
    MDLDiscretizer(),
    NaiveBayesRegressor(),
    MTERegressor(),
    NaiveBayesImputer(),
    ViaRegressionClassifier(),
    NaiveBayesMixture(2),
    ClassDecompositionClassifier(n_clusters=2),
    AveragedOneDependenceClassifier(),
    AdaBoostNaiveBayesClassifier(n_rounds=10),
    NaiveBayesTreeClassifier(),
    BoostedNaiveBayesClassifier(),
    BoostedNaiveBayesRegressor(),
]
"""One configuration of each class, for all checks."""

OTHERS = [
    NaiveBayesClassifier(numeric="equal_width", smoothing="m_estimate"),
    NaiveBayesClassifier(numeric="gaussian", missing="category"),
    NaiveBayesClassifier(numeric="mdl", missing_target="em"),
    NaiveBayesClassifier(calibration="weights"),
    NaiveBayesClassifier(calibration="temperature", numeric="gaussian"),
    NaiveBayesRegressor(bandwidth="frank1998", calibration=None),
    NaiveBayesRegressor(bandwidth=0.1, missing="category", statistic="median"),
    NaiveBayesImputer(strategy="draw", random_state=0),
    MTERegressor(n_pieces=4, bandwidth_factor=1.0, missing="impute", random_state=0),
    MTERegressor(n_pieces=4, bandwidth_factor=1.0, fit_method="ml", missing="em"),
    NaiveBayesMixture([1, 2], numeric="equal_frequency"),
    ClassDecompositionClassifier(n_clusters="accuracy"),
    AveragedOneDependenceClassifier(numeric="mdl", calibration=None, smoothing="laplace"),
    AdaBoostNaiveBayesClassifier(max_depth=1, n_rounds=5),
    AdaBoostNaiveBayesClassifier(method="real"),
    NaiveBayesTreeClassifier(3, split="threshold", utility="leave_one_out", denominator="all"),
    BoostedNaiveBayesClassifier(interactions=1),
    BoostedNaiveBayesRegressor(interactions=1, statistic="median"),
]
"""Configurations in which parameters can break weights, the order and choice of rows, repeated fits, or copies."""

CHECKS_OF_OTHERS = {
    "check_sample_weight_equivalence_on_dense_data",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_fit_idempotent",
    "check_dict_unchanged",
    "check_estimators_pickle",
    "check_classifiers_train",
    "check_classifiers_classes",
    "check_regressors_train",
    "check_transformer_general",
}


def name_check(check):
    """The name of a check of scikit-learn, which comes with some of its arguments filled in."""
    return getattr(check, "func", check).__name__


@parametrize_with_checks(FIRST)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


OF_OTHERS = [
    pytest.param(estimator, check, id=f"{estimator!r}-{name_check(check)}".replace("\n", ""))
    for configuration in OTHERS
    for estimator, check in estimator_checks_generator(configuration)
    if name_check(check) in CHECKS_OF_OTHERS
]


def test_the_checks_of_other_configurations_are_those_of_scikit_learn():
    assert {name_check(param.values[1]) for param in OF_OTHERS} == CHECKS_OF_OTHERS


@pytest.mark.parametrize(("estimator", "check"), OF_OTHERS)
def test_some_checks_of_other_configurations(estimator, check):
    check(estimator)
