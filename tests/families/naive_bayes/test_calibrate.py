"""Calibration: out-of-fold evidence against refitting, weights against an independent optimiser, and laws."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from bayfold import AveragedOneDependenceClassifier, NaiveBayesClassifier
from bayfold.core.counts.fold_counts import count_folds
from bayfold.core.scoring import centre_groups
from bayfold.core.scoring import held_out as held_out_module
from bayfold.core.scoring.held_out import HeldOut, find_held_out_evidence
from bayfold.families.naive_bayes.calibrate import RIDGE
from bayfold.families.naive_bayes.weights import INTERCEPT_PULL, TEMPERATURE_PULL, fit_weights


def dependent_table(seed=0, n_rows=3000, n_classes=2):
    """One informative column, copied several times with a little noise, one independent, one of noise."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n_rows)
    signal = rng.normal(size=n_rows) + y
    frame = {f"copy{k}": signal + 0.05 * rng.normal(size=n_rows) for k in range(5)}
    frame["other"] = np.where(rng.random(n_rows) < 0.3 + 0.2 * y / (n_classes - 1), "a", "b")
    frame["noise"] = rng.normal(size=n_rows)
    return pd.DataFrame(frame), y


@pytest.mark.parametrize("calibration", ["temperature", "weights"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities_of_dependent_columns_become_honest(calibration, n_classes):
    X, y = dependent_table(n_classes=n_classes)
    new, truth = dependent_table(seed=1, n_classes=n_classes)
    plain = NaiveBayesClassifier(calibration=None).fit(X, y)
    calibrated = NaiveBayesClassifier(calibration=calibration).fit(X, y)
    before, after = (log_loss(truth, m.predict_proba(new)) for m in (plain, calibrated))
    single = NaiveBayesClassifier(calibration=None).fit(X[["copy0", "other"]], y)
    reachable = log_loss(truth, single.predict_proba(new[["copy0", "other"]]))
    assert after < 0.75 * before
    assert after < reachable + 0.02


def test_a_temperature_is_one_weight_and_weights_tell_columns_apart():
    X, y = dependent_table()
    temperature = NaiveBayesClassifier(calibration="temperature").fit(X, y).column_weights_
    weights = NaiveBayesClassifier(calibration="weights").fit(X, y).column_weights_
    assert len(set(temperature.tolist())) == 1
    assert 0.1 < temperature[0] < 0.4  # five copies say once what they say five times
    assert (weights >= 0).all()
    assert weights[5] > 2 * weights[:5].max(), "the column that repeats nothing is believed most"


def test_independent_columns_are_believed():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 5000)
    X = rng.normal(size=(5000, 4)) + 0.7 * y[:, None]
    weights = NaiveBayesClassifier(calibration="weights").fit(X, y).column_weights_
    np.testing.assert_allclose(weights, 1.0, atol=0.15)


@pytest.mark.parametrize("numeric", ["equal_frequency", "mdl", "gaussian", "smooth"])
def test_held_out_evidence_is_that_of_a_model_refitted_without_the_fold(numeric):
    X, y = dependent_table(n_rows=400)
    X = X.round(1)  # few values, each its own fine bin: the middle of a bin is the value itself
    model = NaiveBayesClassifier(numeric=numeric, calibration=None).fit(X, y)
    statistics = model.statistics_
    sample, schema = statistics.sample, statistics.schema
    settings = model._settings(schema)
    folds = count_folds(sample, statistics.counts)
    held_out = find_held_out_evidence(folds, settings)
    codes = list(sample.block().columns())
    weights = folds.weights_outside(0)
    outside, inside = weights > 0, folds.in_fold[:, 0] > 0
    rows = decode(schema, [column[outside] for column in codes])
    refitted = NaiveBayesClassifier(numeric=numeric, schema=schema, calibration=None)
    refitted.fit(rows, sample.group_of[outside], sample_weight=weights[outside])
    records = refitted.explain(decode(schema, [column[inside] for column in codes]))
    for j, name in enumerate(schema.names):
        expected = records.where(column=name)["weight"]
        np.testing.assert_allclose(held_out.cells[: inside.sum(), j, 0], expected, atol=1e-9)


def decode(schema, codes):
    """Rows from codes, where every value has its own fine bin."""
    columns = {}
    for described, column in zip(schema.columns, codes, strict=True):
        values = np.array(getattr(described, "categories", None) or described.values)
        columns[described.name] = values[column.astype(int) - 2]
    return pd.DataFrame(columns)


@pytest.mark.parametrize("n_groups", [2, 4])
@pytest.mark.parametrize("ridge", [None, RIDGE])
def test_weights_are_where_a_derivative_free_search_ends(n_groups, ridge):
    rng = np.random.default_rng(0)
    n, n_columns, n_scores = 300, 2, 1 if n_groups == 2 else n_groups
    group_of = rng.integers(0, n_groups, n)
    log_p = rng.normal(size=(n, n_columns, n_groups))
    log_p[np.arange(n), :, group_of] += [1.0, 0.2]
    evidence, weights = centre_groups(log_p), rng.integers(1, 4, n).astype(float)
    prior = np.linspace(-0.2, 0.2, n_scores)
    found = fit_weights(HeldOut.of_cells(evidence, group_of, weights), prior, ridge)

    def loss(parameters, centre=None):
        slope = np.full(n_columns, parameters[0]) if centre is None else parameters[:n_columns]
        start = parameters[-n_scores:]
        scores = np.einsum("ijs,j->is", evidence, slope) + start
        scores = np.hstack([np.zeros((n, 1)), scores]) if n_scores == 1 else scores
        chosen = scores[np.arange(n), group_of] - np.log(np.exp(scores).sum(axis=1))
        penalty = INTERCEPT_PULL * ((start - prior) ** 2).sum()
        if centre is None:
            penalty += TEMPERATURE_PULL * (parameters[0] - 1) ** 2
        else:
            penalty += RIDGE * ((slope - centre) ** 2).sum()
        return -(weights @ chosen) + penalty

    options = {"xatol": 1e-8, "fatol": 1e-10, "maxiter": 20_000, "maxfev": 20_000}
    temperature = minimize(loss, np.ones(1 + n_scores), method="Nelder-Mead", options=options)
    if ridge is None:
        best, ours = temperature.fun, loss(np.append(found.weights[0], found.intercept))
    else:
        centre = temperature.x[0]
        begin = np.append([centre] * n_columns, temperature.x[1:])
        search = minimize(loss, begin, (centre,), method="Nelder-Mead", options=options)
        best, ours = search.fun, loss(np.append(found.weights, found.intercept), centre)
    assert ours <= best + 1e-4


def test_weight_two_is_the_row_twice():
    X, y = dependent_table(n_rows=400)
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    weighted = NaiveBayesClassifier(calibration="weights").fit(X, y, sample_weight=weights)
    rows = np.repeat(np.arange(len(y)), weights)
    repeated = NaiveBayesClassifier(calibration="weights").fit(X.iloc[rows], y[rows])
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-9)


def test_the_order_of_rows_does_not_matter():
    X, y = dependent_table(n_rows=600)
    order = np.random.default_rng(0).permutation(len(y))
    a = NaiveBayesClassifier(calibration="weights").fit(X, y)
    b = NaiveBayesClassifier(calibration="weights").fit(X.iloc[order], y[order])
    np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(X), atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("numeric", ["equal_frequency", "gaussian"])
def test_evidence_still_adds_up(n_classes, numeric):
    X, y = dependent_table(n_rows=500, n_classes=n_classes)
    model = NaiveBayesClassifier(calibration="weights", numeric=numeric).fit(X, y)
    weights = model.explain(X)["weight"].reshape(len(X), X.shape[1] + 1, -1).sum(axis=1)
    scores = model.decision_function(X).reshape(len(X), -1)
    np.testing.assert_allclose(weights, scores, rtol=1e-10, atol=1e-10)
    shown = model.evidence_.where(column="other", bin="a")["weight"]
    row = model.explain(X).where(column="other", bin="a")["weight"][: len(shown)]
    np.testing.assert_allclose(shown, row, rtol=1e-12)


def test_priors_shift_a_calibrated_model_by_their_log_odds():
    X, y = dependent_table()
    model = NaiveBayesClassifier(calibration="weights").fit(X, y)
    share = np.bincount(y) / len(y)
    shifted = model.with_priors([0.9, 0.1])
    moved = np.log(0.1 / 0.9) - np.log(share[1] / share[0])
    difference = shifted.decision_function(X) - model.decision_function(X)
    np.testing.assert_allclose(difference, moved, atol=1e-9)


def test_log_density_is_not_touched():
    X, y = dependent_table(n_rows=500)
    plain, calibrated = (NaiveBayesClassifier(calibration=c).fit(X, y) for c in (None, "weights"))
    np.testing.assert_array_equal(plain.score_samples(X), calibrated.score_samples(X))


def test_tiny_tables_stay_as_they_are():
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 1]
    plain, calibrated = (NaiveBayesClassifier(calibration=c).fit(X, y) for c in (None, "weights"))
    np.testing.assert_array_equal(plain.predict_proba(X), calibrated.predict_proba(X))


def test_real_data_gain():
    X, y = load_breast_cancer(return_X_y=True)
    train, test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)
    losses = {}
    for calibration in (None, "temperature", "weights"):
        model = NaiveBayesClassifier(calibration=calibration).fit(train, y_train)
        losses[calibration] = log_loss(y_test, model.predict_proba(test))
    assert losses["weights"] < losses["temperature"] < losses[None]


def test_few_rows_told_apart_without_a_mistake_do_not_make_probabilities_certain():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 3)) + 6.0 * y[:, None]
    p = NaiveBayesClassifier().fit(X, y).predict_proba(X).max(axis=1)
    assert NaiveBayesClassifier().fit(X, y).column_weights_.max() < 3
    assert (p < 1 - 1e-8).all()


def test_a_class_of_one_row_does_not_stop_calibration():
    X, y = dependent_table(n_rows=300)
    y = y.copy()
    y[:3] = [2, 3, 4]
    model = NaiveBayesClassifier().fit(X, y)
    assert model.column_weights_[:5].max() < 0.9


def test_columns_that_repeat_others_or_say_nothing_are_dropped_with_a_trace():
    X, y = dependent_table()
    model = NaiveBayesClassifier(select=True).fit(X, y)
    trace = model.selection_
    assert "noise" in trace["column"].tolist()
    assert "other" not in trace["column"].tolist()
    assert len(trace) >= 3
    assert trace["step"].tolist() == list(range(1, len(trace) + 1))
    for name, weight in zip(model.feature_names_in_, model.column_weights_, strict=True):
        assert (weight == 0) == (name in trace["column"].tolist())
    new, truth = dependent_table(seed=1)
    losses = [
        log_loss(truth, m.predict_proba(new)) for m in (model, NaiveBayesClassifier().fit(X, y))
    ]
    assert losses[0] < losses[1] + 0.01
    assert len(NaiveBayesClassifier().fit(X, y).selection_) == 0


def test_importances_are_shares_of_the_evidence():
    X, y = dependent_table()
    model = NaiveBayesClassifier(select=True).fit(X, y)
    shares = dict(zip(X.columns, model.feature_importances_, strict=True))
    assert sum(shares.values()) == pytest.approx(1.0)
    assert shares["noise"] == 0.0
    weight = np.abs(model.explain(X).where(column="other")["weight"]).mean()
    total = sum(np.abs(model.explain(X).where(column=c)["weight"]).mean() for c in X.columns)
    assert shares["other"] == pytest.approx(weight / total, rel=1e-6)


def test_automatic_bandwidths_suit_the_column():
    rng = np.random.default_rng(0)
    n = 4000
    y = rng.integers(0, 2, n)
    smooth = rng.normal(size=n) + 0.5 * y
    wave = rng.random(n)
    y_of_wave = (np.sin(40 * wave) > 0) ^ (rng.random(n) < 0.2)
    target = np.where(rng.random(n) < 0.5, y, y_of_wave)
    model = NaiveBayesClassifier(calibration=None).fit(np.c_[smooth, wave], target)
    wide, narrow = (model._fitted().model.widths[j] for j in (0, 1))
    assert narrow < wide


def test_auto_finds_that_every_value_speaks_for_itself():
    """Odd and even numbers are neighbours in rank: any smoothing would mix them."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 100, (4000, 1)).astype(float)
    y = X[:, 0].astype(int) % 2
    model = NaiveBayesClassifier().fit(X, y)
    assert log_loss(y, model.predict_proba(X)) < 0.01


def test_of_many_groups_rows_are_held_out_of_few_folds(monkeypatch):
    """Enough rows of whole folds: the tables of every other fold need not be made."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 40, 900)
    X = rng.normal(size=(900, 3)) + rng.normal(size=(40, 3))[y]
    model = NaiveBayesClassifier(calibration=None, numeric="smooth").fit(X, y)
    statistics, settings = model.statistics_, model._settings(model.schema_)
    folds = count_folds(statistics.sample, statistics.counts)
    everything = find_held_out_evidence(folds, settings)
    monkeypatch.setattr(held_out_module, "HELD_OUT_CELLS", 40 * 3 * 200)
    monkeypatch.setattr(held_out_module, "FEWEST_HELD_OUT_ROWS", 100)
    folds = count_folds(statistics.sample, statistics.counts)
    some = find_held_out_evidence(folds, settings)
    n_rows = len(some.places)
    assert 150 < n_rows <= 200
    assert sum("outside" in vars(fold) for fold in folds.folds) == 2
    assert some.evidence.dtype == np.float32
    np.testing.assert_array_equal(some.cells, everything.cells[:n_rows])
    np.testing.assert_array_equal(some.group_of, everything.group_of[:n_rows])


def test_copies_of_a_column_are_calibrated_however_few_distinct_rows_there_are():
    """Eight distinct rows: .0003, .07, .92 and .9998 where evidence was believed six times."""
    rng = np.random.default_rng(0)
    truth = np.array([0.2, 0.4, 0.6, 0.8])
    category = rng.integers(0, 4, 50_000)
    y = rng.random(50_000) < truth[category]
    table = pd.DataFrame({f"copy{k}": np.array(list("abcd"))[category] for k in range(6)})
    each = table.iloc[[np.flatnonzero(category == k)[0] for k in range(4)]]
    for model in (NaiveBayesClassifier(), AveragedOneDependenceClassifier()):
        found = model.fit(table, y).predict_proba(each)[:, 1]
        np.testing.assert_allclose(found, truth, atol=0.01)


def test_rare_categories_do_no_harm():
    """Ten rows in a hundred have one of 800 meaningless categories: log-loss .60 before, truth .544."""
    rng = np.random.default_rng(0)

    def draw(n_rows):
        useful = rng.integers(0, 4, n_rows)
        is_rare = rng.random(n_rows) < 0.1
        names = np.where(is_rare, rng.integers(4, 804, n_rows), useful).astype(str)
        log_odds = np.where(is_rare, 0.0, np.array([-1.2, -0.6, 0.6, 1.2])[useful])
        other = rng.normal(size=n_rows)
        y = rng.random(n_rows) < 1 / (1 + np.exp(-log_odds - other))
        return pd.DataFrame({"name": names, "other": other}), y

    X, y = draw(4_000)
    X_test, y_test = draw(10_000)
    losses = {}
    for smoothing in ("shrinkage", "laplace", "m_estimate"):
        model = NaiveBayesClassifier(smoothing=smoothing).fit(X, y)
        losses[smoothing] = log_loss(y_test, model.predict_proba(X_test)[:, 1])
    assert losses["shrinkage"] < losses["laplace"] < losses["m_estimate"]


@pytest.mark.parametrize(("n_rows", "n_columns", "most"), [(50, 100, 0.1), (30, 500, 0.05)])
def test_noise_in_many_columns_does_little_harm(n_rows, n_columns, most):
    """Log-losses of 1.3 and 4.7 before; knowing nothing has .70."""
    excess = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        y, y_test = rng.integers(0, 2, n_rows), rng.integers(0, 2, 300)
        model = NaiveBayesClassifier().fit(rng.normal(size=(n_rows, n_columns)), y)
        found = model.predict_proba(rng.normal(size=(300, n_columns)))[:, 1]
        excess.append(log_loss(y_test, found) - log_loss(y_test, np.full(300, y.mean())))
    assert np.mean(excess) < most


def test_rows_of_a_rare_class_are_all_held_out_whatever_its_name():
    """Of 25,000 rows 40 have the class; a sample of 20,000 or half of it would leave it a handful."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(25_000, 2))
    y = np.zeros(25_000, int)
    y[np.argsort(X[:, 0] + rng.gumbel(size=25_000))[-40:]] = 1
    model = NaiveBayesClassifier().fit(X, y)
    sample = model.statistics_.sample
    assert (sample.group_of == 1).sum() == 40
    assert sample.even.n_rows == 20_000 <= sample.n_rows
    found = model.predict_proba(X)
    np.testing.assert_allclose(found[:, 1].mean(), 40 / 25_000, rtol=0.1)
    other = NaiveBayesClassifier().fit(X, np.array(["z", "a"])[y])
    np.testing.assert_allclose(other.predict_proba(X)[:, ::-1], found, atol=1e-12)


def test_scores_of_training_rows_have_classes_in_their_shares():
    """Of a class of one row in a hundred the sample keeps three times its share: scores are weighed without."""
    rng = np.random.default_rng(6)
    y = (np.arange(60_000) % 100 == 0).astype(int)
    X = rng.normal(size=(60_000, 5)) + y[:, None]
    model = NaiveBayesClassifier().fit(X, y)
    sample = model.statistics_.sample
    assert sample.weights[sample.group_of == 1].sum() == 600
    known = model._known_scores()
    found = np.average(known.values, weights=known.weights)
    np.testing.assert_allclose(found, 0.01, rtol=0.25)
