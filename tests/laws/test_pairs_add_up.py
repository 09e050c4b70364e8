"""Counts of pairs and the models derived from them obey the laws of the other statistics."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayfold import AveragedOneDependenceClassifier as Classifier
from bayfold.families.aode.counts import PairCounts
from tests.laws.tables import draw_table, seeds, smoothings
from tests.plain import with_bins

pytestmark = pytest.mark.filterwarnings("ignore::bayfold.errors.DataWarning")

methods = st.sampled_from(["mdl", "equal_frequency"])
calibrations = st.sampled_from([None, "temperature"])


def assert_same(one, other, X, tolerance=1e-12):
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), rtol=0, atol=tolerance)


@settings(max_examples=25)
@given(seeds, methods)
def test_parts_add_up_to_the_whole(seed, numeric):
    X, y, rng = draw_table(seed, n_rows=60, n_classes=3)
    X.loc[:20, "w"] = X.loc[:20, "w"].map({"p": "only here"})
    schema = Classifier(numeric=numeric).fit(*draw_table(seed + 1, n_classes=3)[:2]).schema_
    parameters = {"numeric": numeric, "schema": schema}
    whole = Classifier(**parameters).fit(X, y)
    parts = np.array_split(rng.permutation(60), np.sort(rng.choice(np.arange(1, 60), 3, False)))
    models = [Classifier(**parameters).partial_fit(X.iloc[rows], y[rows]) for rows in parts]
    stream = Classifier(**parameters)
    for rows in parts:
        stream.partial_fit(X.iloc[rows], y[rows])
    for total in (sum(models), sum(models[::-1]), stream):
        assert total.schema_ == whole.schema_
        found, expected = total.statistics_.pairs, whole.statistics_.pairs
        np.testing.assert_array_equal(found.table, expected.table)
        assert_same(total, whole, X)


@settings(max_examples=25)
@given(seeds, methods, smoothings, calibrations)
def test_weights_are_repetitions(seed, numeric, smoothing, calibration):
    X, y, rng = draw_table(seed, n_classes=2 + seed % 2)
    weights = rng.integers(0, 4, len(y))
    weights[: 2 * (y.max() + 1)] = 1
    repeated = rng.permutation(np.repeat(np.arange(len(y)), weights))
    parameters = {
        **with_bins(numeric, 4),
        "smoothing": smoothing,
        "calibration": calibration,
    }
    weighted = Classifier(**parameters).fit(X, y, sample_weight=weights.astype(float))
    twice = Classifier(**parameters).fit(X.iloc[repeated], y[repeated])
    assert_same(weighted, twice, X, 1e-6 if calibration else 1e-12)


@settings(max_examples=25)
@given(seeds, methods, smoothings, st.sampled_from([0, 1, 5]), calibrations)
def test_probabilities_are_probabilities(seed, numeric, smoothing, min_parent_count, calibration):
    X, y, _ = draw_table(seed, n_classes=2 + seed % 3, missing=0.4)
    model = Classifier(
        numeric=numeric,
        smoothing=smoothing,
        min_parent_count=min_parent_count,
        calibration=calibration,
    ).fit(X, y)
    new, _, _ = draw_table(seed + 1, n_classes=4)
    for rows in (X, new):
        probability = model.predict_proba(rows)
        assert (probability >= 0).all()
        np.testing.assert_allclose(probability.sum(axis=1), 1.0)
        np.testing.assert_allclose(np.exp(model.predict_log_proba(rows)), probability, atol=1e-12)


@settings(max_examples=15)
@given(seeds, methods)
def test_columns_that_tell_nothing_change_nothing(seed, numeric):
    X, y, _ = draw_table(seed, n_classes=3)
    plain = Classifier(numeric=numeric, calibration=None).fit(X, y)
    wider = X.assign(nothing=np.nan, constant="same")
    model = Classifier(numeric=numeric, calibration=None).fit(wider, y)
    np.testing.assert_allclose(
        model.predict_proba(wider), plain.predict_proba(X), rtol=0, atol=1e-12
    )


@settings(max_examples=15)
@given(seeds, methods)
def test_the_order_of_columns_and_the_names_of_categories_do_not_matter(seed, numeric):
    X, y, rng = draw_table(seed, n_classes=3)
    order = rng.permutation(X.columns)
    renamed = X.assign(w=X["w"].map({"p": "z", "q": "y", "r": "x"}), u=4.0 * X["u"])
    plain = Classifier(numeric=numeric, calibration=None).fit(X, y).predict_proba(X)
    other = (
        Classifier(numeric=numeric, calibration=None)
        .fit(renamed[order], y)
        .predict_proba(renamed[order])
    )
    np.testing.assert_allclose(other, plain, rtol=0, atol=1e-12)


def test_zero_is_the_identity():
    X, y, _ = draw_table(1)
    pairs = Classifier().fit(X, y).statistics_.pairs
    assert (PairCounts.zero() + pairs) is pairs
    assert (pairs + PairCounts.zero()) is pairs
    assert sum([pairs]) is pairs
    with pytest.raises(TypeError):
        pairs + 1


def test_the_number_of_threads_does_not_matter():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 120_000)
    X = rng.normal(y[:, None] * 0.3, 1.0, (len(y), 4))
    weights = rng.random(len(y)) + 0.5
    one, two = (Classifier(n_jobs=n).fit(X, y, sample_weight=weights) for n in (1, 2))
    np.testing.assert_array_equal(one.statistics_.pairs.table, two.statistics_.pairs.table)
    np.testing.assert_array_equal(one.predict_proba(X[:500]), two.predict_proba(X[:500]))


def test_a_category_that_grows_too_wide_leaves_the_pairs_in_any_order():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 900)
    labels = np.array([f"c{k}" for k in range(300)], object)
    X = np.stack([labels[np.arange(900) % 300], labels[rng.integers(0, 3, 900)]], axis=1)
    schema = Classifier().fit(X[:4], [0, 1, 0, 1]).schema_
    models = [Classifier(schema=schema).partial_fit(X[k::3], y[k::3]) for k in range(3)]
    thirds = [model.statistics_.pairs.layout.columns for model in models]
    assert thirds == [[0, 1]] * 3
    whole = Classifier(schema=schema).fit(X, y)
    assert whole.statistics_.pairs.layout.columns == [1]
    for total in (sum(models), sum(models[::-1])):
        np.testing.assert_array_equal(total.statistics_.pairs.table, whole.statistics_.pairs.table)
        np.testing.assert_array_equal(total.predict_proba(X), whole.predict_proba(X))


def test_a_schema_of_fine_bins_shares_candidates():
    from bayfold import NaiveBayesClassifier

    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 5000)
    X = rng.normal(y[:, None], 1.0, (5000, 2))
    fine = NaiveBayesClassifier().fit(X, y)
    assert fine.schema_.columns[0].n_bins == 254
    given_fine = Classifier(schema=fine.schema_).fit(X, y)
    assert given_fine.statistics_.pairs.layout.n_values == 64
    assert Classifier().fit(X, y).schema_.columns[0].n_bins <= 24
    assert abs(given_fine.score(X, y) - Classifier().fit(X, y).score(X, y)) < 0.01


def test_a_pickled_model_goes_on_learning():
    X, y, _ = draw_table(2, n_rows=80)
    model = Classifier().partial_fit(X[:30], y[:30], classes=[0, 1])
    copy = pickle.loads(pickle.dumps(model))
    for each in (copy, model):
        each.partial_fit(X[30:], y[30:])
    np.testing.assert_array_equal(copy.predict_proba(X), model.predict_proba(X))


def test_few_values_and_rare_classes_are_calibrated_too():
    rng = np.random.default_rng(6)
    y = rng.integers(0, 2, 4000)
    X = rng.normal(1.5 * y[:, None], 1.0, (4000, 2))  # 100 pairs of bins: most rows are equal
    y[:1] = 2  # a class with one row: some fold has not seen it
    plain, calibrated = (Classifier(calibration=c).fit(X, y) for c in (None, "temperature"))
    factor = calibrated._fitted().model.calibration.weights[0]
    assert 0.7 < factor < 1.3  # two independent columns: nothing is counted twice
    agreement = np.mean(plain.predict(X) == calibrated.predict(X))
    assert agreement > 0.98
