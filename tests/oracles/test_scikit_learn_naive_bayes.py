"""Oracles: scikit-learn's naive Bayes, scipy's distributions and plain NumPy."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.special import logsumexp
from sklearn.naive_bayes import CategoricalNB, GaussianNB

from bayfold import NaiveBayesClassifier
from tests.plain import plain_classifier

METHODS = ["equal_frequency", "equal_width", "gaussian"]


def gaussian_data(n_classes, n_rows=400, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % n_classes
    centres, spreads = rng.normal(size=(n_classes, 3)) * 2, rng.uniform(0.5, 2, (n_classes, 3))
    X = rng.normal(centres[y], spreads[y]) * [1.0, 1e3, 1e-2] + [0.0, 1e6, -5.0]
    return X, y, rng


# scikit-learn adds var_smoothing times the largest variance of any column to every variance, bayfold
# takes the larger of variance and floor, per column: the two agree where both are zero.
@pytest.mark.parametrize("n_classes", [2, 3, 17])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("priors", [None, "uniform"])
def test_gaussian_columns(n_classes, weighted, priors):
    X, y, rng = gaussian_data(n_classes)
    weights = rng.integers(0, 4, len(y)).astype(float) if weighted else None
    given = None if priors is None else np.full(n_classes, 1 / n_classes)
    theirs = GaussianNB(var_smoothing=0, priors=given).fit(X, y, sample_weight=weights)
    ours = plain_classifier(numeric="gaussian", variance_floor=0, priors=priors)
    ours.fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(ours.class_count_, theirs.class_count_, rtol=1e-12)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=0, atol=1e-10)
    np.testing.assert_allclose(
        ours.predict_log_proba(X), theirs.predict_log_proba(X), rtol=1e-9, atol=1e-9
    )
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    terms = ours._fitted().model.terms
    np.testing.assert_allclose([term.mean for term in terms], theirs.theta_.T, rtol=1e-10)
    np.testing.assert_allclose([term.inverse_sd**-2.0 for term in terms], theirs.var_.T, rtol=1e-9)


def test_gaussian_columns_with_equal_floors():
    # standardised columns have the same floor in both; one class is constant, so that it matters:
    # there the variance is floor + 0 in scikit-learn and max(floor, 0) here
    X, y, _ = gaussian_data(3)
    X[y == 1, 0] = X[y == 1, 0].mean()
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    floor = 1e-9
    theirs = GaussianNB(var_smoothing=floor).fit(X, y)
    ours = plain_classifier(numeric="gaussian", variance_floor=floor).fit(X, y)
    variance = ours._fitted().model.terms[0].inverse_sd[1] ** -2.0
    assert variance == pytest.approx(floor, rel=1e-6)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=0, atol=1e-6)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_one_wide_column_does_not_drown_the_others():
    X, y, _ = gaussian_data(2)
    narrow = plain_classifier(numeric="gaussian").fit(X, y).predict_proba(X)
    wide = plain_classifier(numeric="gaussian").fit(X * [1, 1, 1e7], y)
    np.testing.assert_allclose(wide.predict_proba(X * [1, 1, 1e7]), narrow, rtol=0, atol=1e-10)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("alpha", [1.0, 0.25, 10.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_nominal_columns(n_classes, alpha, weighted):
    rng = np.random.default_rng(1)
    y = np.arange(300) % n_classes
    codes = (rng.integers(0, 4, (300, 3)) + y[:, None] * rng.integers(0, 2, (300, 3))) % 6
    weights = rng.integers(0, 3, 300).astype(float) if weighted else None
    words = pd.DataFrame(np.array(list("fbdace"), object)[codes], columns=list("xyz"))
    prior = rng.dirichlet(np.ones(n_classes))
    for given in (None, prior):
        theirs = CategoricalNB(alpha=alpha, class_prior=given).fit(codes, y, sample_weight=weights)
        ours = plain_classifier(smoothing=alpha, priors=given)
        ours.fit(words, y, sample_weight=weights)
        np.testing.assert_allclose(
            ours.predict_log_proba(words), theirs.predict_log_proba(codes), rtol=1e-10, atol=1e-12
        )
    laplace = plain_classifier().fit(words, y).predict_proba(words)
    np.testing.assert_array_equal(
        laplace, plain_classifier(smoothing=1).fit(words, y).predict_proba(words)
    )


def test_without_calibration_copies_are_counted_as_they_are_written():
    rng = np.random.default_rng(0)
    codes, y = rng.integers(0, 6, (60, 8)).repeat(3, axis=0), rng.integers(0, 2, 60).repeat(3)
    words = np.array(list("fbdace"), object)[codes]
    ours = NaiveBayesClassifier(calibration=None, smoothing="laplace").fit(words, y)
    theirs = CategoricalNB(alpha=1).fit(codes, y)
    np.testing.assert_allclose(ours.predict_proba(words), theirs.predict_proba(codes), rtol=1e-10)


def twin(X, y, new, cuts_of, alpha):
    """Naive Bayes on bins in a few lines: numbers cut at ``cuts_of(column)``, Laplace, no missing cells."""
    classes = np.unique(y)
    log_p = np.tile(np.log([np.mean(y == c) for c in classes]), (len(new), 1))
    for j in range(X.shape[1]):
        cuts = cuts_of(X[:, j])
        bins, wanted = (
            np.searchsorted(cuts, X[:, j], "right"),
            np.searchsorted(cuts, new[:, j], "right"),
        )
        occur = np.unique(bins)
        for k, c in enumerate(classes):
            counts = np.array([np.sum((bins == b) & (y == c)) for b in range(len(cuts) + 1)])
            share = np.log((counts + alpha) / (counts.sum() + alpha * len(occur)))
            log_p[:, k] += np.where(np.isin(wanted, occur), share[wanted], 0.0)
    return np.exp(log_p - logsumexp(log_p, axis=1, keepdims=True))


def width_cuts(n_bins):
    return lambda x: x.min() + (x.max() - x.min()) * np.arange(1, n_bins) / n_bins


def frequency_cuts(n_bins):
    def find(x):
        ordered = np.sort(x)  # all values differ and n_bins divides their number
        at = len(x) * np.arange(1, n_bins) // n_bins
        return (ordered[at - 1] + ordered[at]) / 2

    return find


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    ("numeric", "cuts_of"), [("equal_width", width_cuts), ("equal_frequency", frequency_cuts)]
)
def test_binned_columns_match_a_plain_twin(numeric, cuts_of, n_classes):
    rng = np.random.default_rng(2)
    y = np.arange(200) % n_classes
    X = rng.normal(y[:, None], 1.0, (200, 3))
    model = plain_classifier(numeric=numeric, n_bins=5, smoothing=0.5).fit(X, y)
    expected = twin(X, y, X, cuts_of(5), 0.5)
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-12, atol=1e-14)


def test_more_values_than_fine_bins_come_close_to_the_twin():
    rng = np.random.default_rng(3)
    y = np.arange(3000) % 2
    X = rng.normal(y[:, None], 1.0, (3000, 2))
    width = plain_classifier(numeric="equal_width").fit(X, y)
    np.testing.assert_allclose(
        width.predict_proba(X), twin(X, y, X, width_cuts(10), 1.0), rtol=1e-10, atol=1e-12
    )
    frequency = plain_classifier().fit(X, y).predict_proba(X)
    difference = np.abs(frequency - twin(X, y, X, frequency_cuts(10), 1.0))
    assert difference.mean() < 0.005  # cuts at the nearest of 254 fine edges


def test_m_estimates_by_hand():
    table = pd.DataFrame({"w": list("aaabbc"), "v": list("xyxyxy")})
    y = [0, 0, 1, 1, 1, 1]
    model = plain_classifier(smoothing="m_estimate", m=2.0).fit(table, y)
    share = {"a": 4 / 9, "b": 3 / 9, "c": 2 / 9}  # Laplace over the whole column
    counts = {"a": (2, 1), "b": (0, 2), "c": (0, 1)}
    weights = model.evidence_.where(column="w")
    for name, weight in zip(weights["bin"][1:], weights["weight"][1:], strict=True):
        zero, one = counts[name]
        expected = np.log((one + 2 * share[name]) / (4 + 2)) - np.log(
            (zero + 2 * share[name]) / (2 + 2)
        )
        assert weight == pytest.approx(expected, rel=1e-12)


# log p(x)


def test_score_samples_of_gaussian_columns():
    X, y, _ = gaussian_data(3)
    model = plain_classifier(numeric="gaussian").fit(X, y)
    by_class = [
        np.log(np.mean(y == c))
        + stats.norm(X[y == c].mean(axis=0), X[y == c].std(axis=0)).logpdf(X).sum(axis=1)
        for c in range(3)
    ]
    np.testing.assert_allclose(
        model.score_samples(X), logsumexp(by_class, axis=0), rtol=1e-10, atol=1e-10
    )


def test_score_samples_of_binned_columns():
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=150), np.arange(150) % 3
    model = plain_classifier(numeric="equal_width", n_bins=6, smoothing="none").fit(x[:, None], y)
    new = np.linspace(x.min(), x.max(), 50)[1:-1]
    edges = np.append(np.append(x.min(), model.evidence_["upper"].reshape(-1, 3)[1:-1, 0]), x.max())
    # every class has the same share of rows, so p(x) is the histogram of all rows
    histogram = stats.rv_histogram(np.histogram(x, edges), density=False)
    np.testing.assert_allclose(model.score_samples(new[:, None]), histogram.logpdf(new), rtol=1e-10)


@pytest.mark.parametrize("numeric", METHODS)
def test_densities_integrate_to_one(numeric):
    rng = np.random.default_rng(5)
    x = rng.normal(size=300)
    model = plain_classifier(numeric=numeric).fit(x[:, None], np.arange(300) % 2)
    low, high = (-12, 12) if numeric == "gaussian" else (x.min(), x.max())
    grid = low + (np.arange(200_000) + 0.5) * ((high - low) / 200_000)
    total = np.exp(model.score_samples(grid[:, None])).sum() * ((high - low) / 200_000)
    assert total == pytest.approx(1.0, abs=1e-3)


def test_unknown_cells_are_left_out_of_log_p():
    X, y, _ = gaussian_data(2)
    whole = plain_classifier(numeric="gaussian").fit(X, y)
    alone = plain_classifier(numeric="gaussian").fit(X[:, :1], y)
    holed = X.copy()
    holed[:, 1:] = np.nan
    np.testing.assert_allclose(
        whole.score_samples(holed), alone.score_samples(X[:, :1]), rtol=1e-12
    )


# prior shift


@pytest.mark.parametrize("numeric", METHODS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_prior_shift_follows_the_formula(numeric, n_classes):
    X, y, rng = gaussian_data(n_classes)
    X, y = X[: -n_classes // 2], y[: -n_classes // 2]
    model = plain_classifier(numeric=numeric).fit(X, y)
    old, new = np.bincount(y) / len(y), rng.dirichlet(np.ones(n_classes))
    p = model.predict_proba(X) * (new / old)
    p /= p.sum(axis=1, keepdims=True)
    for given in (new, new.tolist(), dict(enumerate(new))):
        np.testing.assert_allclose(
            model.with_priors(given).predict_proba(X), p, rtol=1e-9, atol=1e-12
        )
    trained = plain_classifier(numeric=numeric, priors=new).fit(X, y)
    np.testing.assert_array_equal(trained.predict_proba(X), model.with_priors(new).predict_proba(X))


def test_laplace_priors():
    model = plain_classifier(priors="laplace").fit([[0.0], [0.0], [0.0], [1.0]], [0, 0, 0, 1])
    p = model.predict_proba([[np.nan]])
    np.testing.assert_allclose(p, [[4 / 6, 2 / 6]], rtol=1e-14)
