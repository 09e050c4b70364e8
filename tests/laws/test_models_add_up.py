"""Explanations add up to scores, models of parts to models of the whole, counts to classes."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.base import clone

from tests.laws.tables import METHODS, draw_table, methods, missing_rules, seeds, smoothings
from tests.plain import plain_classifier, with_bins

pytestmark = pytest.mark.filterwarnings("ignore::bayfold.errors.DataWarning")


def add_weights(records, n_rows, n_scores):
    return records["weight"].reshape(n_rows, -1, n_scores).sum(axis=1)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@settings(deadline=None, derandomize=True, max_examples=25)
@given(seeds, methods, missing_rules)
def test_explanations_add_up_to_the_decision_function(n_classes, seed, numeric, missing):
    X, y, _ = draw_table(seed, n_classes=n_classes)
    model = plain_classifier(numeric=numeric, missing=missing).fit(X, y)
    new, _, _ = draw_table(seed + 1, n_classes=n_classes)
    n_scores = 1 if n_classes == 2 else n_classes
    with np.errstate(all="raise"):
        records = model.explain(new)
    scores = model.decision_function(new).reshape(len(new), n_scores)
    added = add_weights(records, len(new), n_scores)
    largest = np.abs(records["weight"]).max()  # large weights may cancel
    np.testing.assert_allclose(added, scores, rtol=1e-12, atol=1e-13 * largest)
    if n_classes > 2:
        np.testing.assert_allclose(scores.sum(axis=1), 0.0, atol=1e-12 * largest)
        assert records["class"].reshape(len(new), -1, n_classes)[0, 0].tolist() == list(
            range(n_classes)
        )
    odds = model.predict_log_proba(new)
    shown = scores if n_classes > 2 else np.c_[np.zeros(len(new)), scores]
    np.testing.assert_allclose(
        odds - odds[:, :1], shown - shown[:, :1], rtol=1e-9, atol=1e-9 * largest
    )


@settings(deadline=None, derandomize=True, max_examples=30)
@given(seeds, methods, missing_rules, smoothings)
def test_evidence_is_the_model(seed, numeric, missing, smoothing):
    X, y, _ = draw_table(seed, n_classes=3)
    model = plain_classifier(missing=missing, smoothing=smoothing, **with_bins(numeric, 4))
    model.fit(X, y)
    evidence = model.evidence_
    for column in X.columns:
        part = evidence.where(column=column)
        assert part["bin"][0] == "(missing)"
        counts = part["count"].reshape(-1, 3)
        np.testing.assert_array_equal(counts.sum(axis=0), model.class_count_)
        np.testing.assert_array_equal(counts.sum(axis=1), part["total"].reshape(-1, 3)[:, 0])
        assert counts[0].sum() == X[column].isna().sum()
    if numeric in ("gaussian", "kernel", "smooth"):  # a bin shows the curve at its middle
        return
    weight_of = dict(
        zip(
            zip(evidence["column"], evidence["bin"], evidence["class"], strict=True),
            evidence["weight"],
            strict=True,
        )
    )
    records = model.explain(X)
    for column, name, label, weight in zip(
        *(records[field] for field in ("column", "bin", "class", "weight")), strict=True
    ):
        if column != "(prior)":
            assert weight == weight_of[column, name, label]


def test_bounds_of_bins_hold_what_they_count():
    X, y, _ = draw_table(4, n_rows=300, missing=0.1)
    part = plain_classifier(n_bins=5).fit(X, y).evidence_.where(column="u")
    u = X["u"].to_numpy(float)
    for low, high, count, total in zip(
        *(part[name][1:] for name in ("lower", "upper", "count", "total")), strict=True
    ):
        inside = (u >= low) & (u < high)
        assert total == inside.sum()
        assert count == (inside & (y == 1)).sum()
    assert part["lower"][1] == -np.inf
    assert part["upper"][-1] == np.inf
    np.testing.assert_array_equal(part["lower"][2:], part["upper"][1:-1])


@settings(deadline=None, derandomize=True, max_examples=30)
@given(seeds, methods, missing_rules)
def test_parts_add_up_to_the_whole(seed, numeric, missing):
    X, y, rng = draw_table(seed, n_rows=60, n_classes=3)
    X.loc[:20, "w"] = X.loc[:20, "w"].map({"p": "only here"})
    schema = plain_classifier(numeric=numeric).fit(*draw_table(seed + 1, n_classes=3)[:2]).schema_
    parameters = {"numeric": numeric, "missing": missing, "schema": schema}
    whole = plain_classifier(**parameters).fit(X, y)
    cuts = np.sort(rng.choice(np.arange(1, 60), 3, replace=False))
    parts = [
        plain_classifier(**parameters).partial_fit(X.iloc[rows], y[rows])
        for rows in np.array_split(np.arange(60), cuts)
    ]
    stream = plain_classifier(**parameters)
    for rows in np.array_split(np.arange(60), cuts):
        stream.partial_fit(X.iloc[rows], y[rows])
    before = [part.class_count_.copy() for part in parts]
    sums = [sum(parts), sum(parts[::-1]), (parts[0] + parts[1]) + (parts[2] + parts[3]), stream]
    for total in sums:
        assert total.schema_ == whole.schema_
        assert total.classes_.tolist() == [0, 1, 2]
        assert total.class_count_.tolist() == whole.class_count_.tolist()
        np.testing.assert_allclose(
            total.predict_proba(X), whole.predict_proba(X), rtol=0, atol=1e-12
        )
        np.testing.assert_array_equal(
            total.statistics_.sample.hashes, whole.statistics_.sample.hashes
        )
    for part, count in zip(parts, before, strict=True):
        np.testing.assert_array_equal(part.class_count_, count)


@pytest.mark.parametrize("numeric", METHODS)
def test_the_number_of_threads_does_not_matter(numeric):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150_000, 6))
    y = rng.integers(0, 3, len(X))
    X[:, 0] += y
    weights = rng.random(len(X)) + 0.5
    one, two, five = (
        plain_classifier(numeric=numeric, n_jobs=n).fit(X, y, sample_weight=weights)
        for n in (1, 2, 5)
    )
    answers = one.predict_proba(X[:1000])
    for other in (two, five):
        assert other.class_count_.tolist() == one.class_count_.tolist()
        np.testing.assert_array_equal(other.predict_proba(X[:1000]), answers)
        np.testing.assert_array_equal(
            other.statistics_.sample.weights, one.statistics_.sample.weights
        )
    np.testing.assert_array_equal(two.predict_log_proba(X), one.predict_log_proba(X))
    # a row's answer does not depend on the rows around it
    np.testing.assert_array_equal(two.predict_log_proba(X)[-7:], one.predict_log_proba(X[-7:]))


@pytest.mark.parametrize("numeric", METHODS)
def test_pickled_models_are_the_same_and_go_on_learning(numeric):
    X, y, _ = draw_table(2, n_rows=80)
    fitted = plain_classifier(numeric=numeric).fit(X, y)
    stream = plain_classifier(numeric=numeric).partial_fit(X[:30], y[:30], classes=[0, 1])
    for model in (fitted, stream):
        copy = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(copy.predict_proba(X), model.predict_proba(X))
        assert copy.evidence_.to_dict()["bin"] == model.evidence_.to_dict()["bin"]
        for continued in (copy, model):
            continued.partial_fit(X[30:], y[30:])
        np.testing.assert_array_equal(copy.predict_proba(X), model.predict_proba(X))
    with pytest.raises(ValueError, match="Got 2"):
        pickle.loads(pickle.dumps(stream)).partial_fit(X, y + 1)


def test_clones_are_unfitted_and_fit_the_same():
    X, y, _ = draw_table(3)
    model = plain_classifier(
        numeric={"u": "gaussian", "v": "equal_width"}, n_bins={"v": 3}, priors={0: 0.3, 1: 0.7}
    )
    model.fit(X, y)
    copy = clone(model.set_params(schema=model.schema_))
    assert not hasattr(copy, "classes_")
    np.testing.assert_array_equal(copy.fit(X, y).predict_proba(X), model.predict_proba(X))
