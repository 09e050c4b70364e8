"""Citizenship: scikit-learn's own checks, none of them expected to fail."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from bayfold import (
    AveragedOneDependenceClassifier,
    BoostedNaiveBayesClassifier,
    MDLDiscretizer,
    NaiveBayesClassifier,
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
        AveragedOneDependenceClassifier(),
        AveragedOneDependenceClassifier(numeric="mdl", calibration=None, smoothing="laplace"),
        BoostedNaiveBayesClassifier(),
        BoostedNaiveBayesClassifier(interactions=1),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
