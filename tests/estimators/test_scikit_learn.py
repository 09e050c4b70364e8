"""Citizenship: scikit-learn's own checks, none of them expected to fail."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from bayfold import (
    AveragedOneDependenceClassifier,
    MDLDiscretizer,
    MTERegressor,
    NaiveBayesClassifier,
    NaiveBayesImputer,
    NaiveBayesRegressor,
    ViaRegressionClassifier,
)


@parametrize_with_checks(
    [
        NaiveBayesClassifier(),
        NaiveBayesClassifier(numeric="equal_width", smoothing="m_estimate"),
        NaiveBayesClassifier(numeric="gaussian", missing="category"),
        NaiveBayesClassifier(numeric="mdl"),
        NaiveBayesClassifier(calibration="weights"),
        NaiveBayesClassifier(calibration="temperature", numeric="gaussian"),
        MDLDiscretizer(),
        NaiveBayesRegressor(),
        NaiveBayesRegressor(bandwidth="frank1998", weights=None),
        NaiveBayesRegressor(bandwidth=0.1, missing="category", statistic="median"),
        MTERegressor(),
        NaiveBayesImputer(),
        NaiveBayesImputer(strategy="draw", random_state=0),
        MTERegressor(n_pieces=4, bandwidth_factor=1.0, missing="impute", random_state=0),
        MTERegressor(n_pieces=4, bandwidth_factor=1.0, fit_method="ml", missing="em"),
        ViaRegressionClassifier(),
        AveragedOneDependenceClassifier(),
        AveragedOneDependenceClassifier(numeric="mdl", calibration=None, smoothing="laplace"),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
