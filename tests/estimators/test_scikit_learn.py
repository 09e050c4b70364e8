"""Citizenship: scikit-learn's own checks, none of them expected to fail."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from bayfold import (
    AveragedOneDependenceClassifier,
    BoostedNaiveBayesClassifier,
    MDLDiscretizer,
    NaiveBayesClassifier,
    NaiveBayesTreeClassifier,
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
        BoostedNaiveBayesClassifier(method="adaboost.m1", n_rounds=10),
        BoostedNaiveBayesClassifier(method="adaboost.m1", max_depth=1, n_rounds=5),
        BoostedNaiveBayesClassifier(method="real"),
        NaiveBayesTreeClassifier(),
        NaiveBayesTreeClassifier(3, split="threshold", utility="leave_one_out", denominator="all"),
        BoostedNaiveBayesClassifier(),
        BoostedNaiveBayesClassifier(interactions=1),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
