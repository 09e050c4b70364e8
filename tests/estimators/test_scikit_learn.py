"""Citizenship: scikit-learn's own checks, none of them expected to fail."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from bayfold import (
    AveragedOneDependenceClassifier,
    BoostedNaiveBayesClassifier,
    ClassDecompositionClassifier,
    MDLDiscretizer,
    NaiveBayesClassifier,
    NaiveBayesMixture,
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
        ViaRegressionClassifier(),
        NaiveBayesMixture(2),
        NaiveBayesMixture([1, 2], numeric="equal_frequency", n_folds=3),
        ClassDecompositionClassifier(n_clusters=2),
        ClassDecompositionClassifier(n_clusters="accuracy", n_folds=2),
        AveragedOneDependenceClassifier(),
        AveragedOneDependenceClassifier(numeric="mdl", calibration=None, smoothing="laplace"),
        BoostedNaiveBayesClassifier(),
        BoostedNaiveBayesClassifier(interactions=1),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
