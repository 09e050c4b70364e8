"""Citizenship: scikit-learn's own checks, none of them expected to fail."""

from sklearn.utils.estimator_checks import parametrize_with_checks

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


@parametrize_with_checks(
    [
        NaiveBayesClassifier(),
        NaiveBayesClassifier(numeric="equal_width", smoothing="m_estimate"),
        NaiveBayesClassifier(numeric="gaussian", missing="category"),
        NaiveBayesClassifier(numeric="mdl", missing_target="em"),
        NaiveBayesClassifier(calibration="weights"),
        NaiveBayesClassifier(calibration="temperature", numeric="gaussian"),
        MDLDiscretizer(),
        NaiveBayesRegressor(),
        NaiveBayesRegressor(bandwidth="frank1998", calibration=None),
        NaiveBayesRegressor(bandwidth=0.1, missing="category", statistic="median"),
        MTERegressor(),
        NaiveBayesImputer(),
        NaiveBayesImputer(strategy="draw", random_state=0),
        MTERegressor(n_pieces=4, bandwidth_factor=1.0, missing="impute", random_state=0),
        MTERegressor(n_pieces=4, bandwidth_factor=1.0, fit_method="ml", missing="em"),
        ViaRegressionClassifier(),
        NaiveBayesMixture(2),
        NaiveBayesMixture([1, 2], numeric="equal_frequency"),
        ClassDecompositionClassifier(n_clusters=2),
        ClassDecompositionClassifier(n_clusters="accuracy"),
        AveragedOneDependenceClassifier(),
        AveragedOneDependenceClassifier(numeric="mdl", calibration=None, smoothing="laplace"),
        AdaBoostNaiveBayesClassifier(n_rounds=10),
        AdaBoostNaiveBayesClassifier(max_depth=1, n_rounds=5),
        AdaBoostNaiveBayesClassifier(method="real"),
        NaiveBayesTreeClassifier(),
        NaiveBayesTreeClassifier(3, split="threshold", utility="leave_one_out", denominator="all"),
        BoostedNaiveBayesClassifier(),
        BoostedNaiveBayesClassifier(interactions=1),
        BoostedNaiveBayesRegressor(),
        BoostedNaiveBayesRegressor(interactions=1, statistic="median"),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
