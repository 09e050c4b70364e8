"""MTERegressor: exact answers, incomplete data, selection, refusals."""

from __future__ import annotations

import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import quad
from sklearn.base import clone

from bayfold import MTERegressor, NaiveBayesClassifier, NaiveBayesRegressor
from bayfold.errors import DataWarning, MergeError, UnseenCategoryWarning

pytestmark = pytest.mark.filterwarnings("ignore::bayfold.errors.DataWarning")


def draw(seed=0, n=120, missing=0.0, missing_target=0.0):
    rng = np.random.default_rng(seed)
    y = rng.gamma(3.0, size=n)
    frame = pd.DataFrame(
        {
            "a": y + rng.normal(size=n),
            "b": np.round(rng.normal(size=n) - y),
            "c": np.where(rng.random(n) < 0.8, y > 3, rng.random(n) < 0.5).astype(str),
        }
    ).astype({"c": object})
    frame = frame.mask(rng.random(frame.shape) < missing)
    return frame, np.where(rng.random(n) < missing_target, np.nan, y)


def quick(**parameters):
    fixed = {"n_pieces": 5, "bandwidth_factor": 1.0, "calibration": None}
    return MTERegressor(**(fixed | parameters))


def within(function, edges):
    return sum(quad(function, a, b, epsrel=1e-12)[0] for a, b in pairwise(edges))


def test_the_mean_is_that_of_the_density():
    X, y = draw(missing=0.2)
    model = quick().fit(X, y)
    distribution = model.predict_distribution(X[:4])
    mean, variance = distribution.mean(), distribution.var()
    for row in range(4):
        edges = model.piece_edges_

        def density(v, row=row):
            return distribution.pdf(v)[row]

        assert within(density, edges) == pytest.approx(1.0, rel=1e-9)
        assert within(lambda v: v * density(v), edges) == pytest.approx(mean[row], rel=1e-9)
        square = within(lambda v: v**2 * density(v), edges)
        assert square - mean[row] ** 2 == pytest.approx(variance[row], rel=1e-8)
    np.testing.assert_allclose(model.predict(X[:4]), mean, rtol=1e-12)


def test_quantiles_invert_the_distribution():
    X, y = draw(missing=0.2)
    distribution = quick().fit(X, y).predict_distribution(X)
    q = np.linspace(0, 1, 11)
    np.testing.assert_allclose(distribution.cdf(distribution.ppf(q)), np.tile(q, (len(X), 1)))


def test_a_missing_cell_is_integrated_out():
    X, y = draw()
    model = quick().fit(X[["a", "b"]], y)
    density = model.densities("a")
    low, high = density[0].edges[[0, -1]]
    row = pd.DataFrame({"a": [np.nan], "b": X["b"][:1]})
    found = model.predict_distribution(row).mass[0]
    # p(k | b) = integral of p(k | a, b) p(a | b) over a, with p(a | b) = sum_k p(k | b) f(a | k)
    nodes = np.concatenate([np.linspace(a, b, 400) for a, b in pairwise(density[0].edges)])
    middles, lengths = (nodes[1:] + nodes[:-1]) / 2, np.diff(nodes)
    rows = pd.DataFrame({"a": middles, "b": np.full(len(middles), row["b"].iloc[0])})
    share = np.stack([d.pdf(middles) for d in density], axis=1) @ found
    integral = (share * lengths) @ model.predict_distribution(rows).mass
    assert low < high
    np.testing.assert_allclose(integral, found, atol=1e-4)


def test_predictions_are_those_of_naive_bayes_over_pieces():
    X, y = draw()
    X = X[["c"]].assign(d=np.where(X["a"] > 3, "p", "q"))
    model = quick().fit(X, y)
    piece = np.clip(np.searchsorted(model.piece_edges_, y, side="right") - 1, 0, 4)
    classifier = NaiveBayesClassifier(smoothing="laplace", priors="laplace", calibration=None)
    probability = classifier.fit(X, piece).predict_proba(X)
    means = np.array([y[piece == k].mean() for k in range(5)])
    np.testing.assert_allclose(model.predict(X), probability @ means, rtol=1e-9)


@pytest.mark.parametrize("method", ["ls", "ml"])
def test_units_do_not_matter(method):
    X, y = draw(missing=0.1)
    model = quick(fit_method=method).fit(X, y)
    other = X.assign(a=X["a"] * 1024 - 16, b=X["b"] * 0.25 + 2)
    moved = quick(fit_method=method).fit(other, 8 * y + 32)
    np.testing.assert_allclose(moved.predict(other), 8 * model.predict(X) + 32, rtol=1e-6)


def test_a_constant_column_changes_nothing():
    X, y = draw()
    plain = quick().fit(X, y).predict(X)
    constant = X.assign(k=3.0, e=np.nan)
    np.testing.assert_array_equal(quick().fit(constant, y).predict(constant), plain)


def test_one_piece_predicts_the_mean():
    X, y = draw(missing=0.1)
    np.testing.assert_allclose(quick(n_pieces=1).fit(X, y).predict(X), y.mean(), rtol=1e-9)


def test_nothing_strange_far_outside():
    X, y = draw()
    model = quick().fit(X, y)
    far = pd.DataFrame(
        {"a": [1e300, -1e300, np.nan], "b": [-1e300, 1e300, np.nan], "c": [None] * 3}
    )
    for answer in (model.predict(far), model.predict_interval(far), model.predict_quantiles(far)):
        assert np.isfinite(answer).all()
    assert model.predict(far).min() >= y.min()
    assert model.predict(far).max() <= y.max()


@pytest.mark.parametrize("target", [[1.0, 1.0, 1.0], [0.0, 1.0] * 20, [5.0], [1.0, 2.0]])
def test_strange_targets(target):
    y = np.array(target)
    X = np.linspace(0, 1, len(y))[:, None]
    model = MTERegressor().fit(X, y)
    assert model.predict(X).mean() == pytest.approx(y.mean(), abs=0.05)
    found = model.predict_distribution(X)
    assert found.mean() == pytest.approx(model.predict(X), abs=1e-9)
    levels = found.cdf(found.ppf([0.1, 0.9]))
    assert (levels > np.array([0.1, 0.9]) - 1e-6).all()
    if target != [0.0, 1.0] * 20:  # atoms, at which the levels jump
        np.testing.assert_allclose(levels, [[0.1, 0.9]] * len(y), atol=1e-6)


def test_explanations_add_up():
    X, y = draw(missing=0.2)
    model = quick().fit(X, y)
    records = model.explain(X[:10])
    shifts = np.array(records["shift"]).reshape(10, -1)
    np.testing.assert_allclose(shifts.sum(axis=1), model.predict(X[:10]), rtol=1e-9)
    variances = np.array(records["variance"]).reshape(10, -1).sum(axis=1)
    np.testing.assert_allclose(variances, model.predict_distribution(X[:10]).var(), rtol=1e-9)


def test_parts_add_up_to_the_whole():
    X, y = draw(missing=0.1)
    first = quick().fit(X[:50], y[:50])
    second = quick(schema=first.schema_).fit(X[50:], y[50:])
    whole = quick(schema=first.schema_).fit(X, y)
    np.testing.assert_allclose((first + second).predict(X), whole.predict(X), rtol=1e-12)
    np.testing.assert_allclose(sum([first, second]).predict(X), whole.predict(X), rtol=1e-12)


def test_models_that_need_rows_are_not_added():
    X, y = draw()
    first = quick(missing="em").fit(X, y)
    with pytest.raises(
        MergeError,
        match='`missing` must be "available" for models that are added or learn in batches',
    ):
        first + first
    with pytest.raises(AttributeError, match="has no attribute 'partial_fit'") as refused:
        quick(missing="impute").partial_fit(X, y)
    assert "Got 'impute', which needs all rows at once" in str(refused.value.__cause__)
    with pytest.raises(MergeError, match="n_pieces"):
        quick().fit(X, y) + quick(n_pieces=3).fit(X, y)


def test_batches_with_a_schema_are_the_whole():
    X, y = draw(missing=0.1)
    whole = quick().fit(X, y)
    stream = quick(schema=whole.schema_)
    for rows in np.array_split(np.arange(len(y)), [1, 2, 30]):
        stream.partial_fit(X.iloc[rows], y[rows])
        stream.predict(X[:2])  # an answer in between changes nothing
    np.testing.assert_allclose(stream.predict(X), whole.predict(X), rtol=1e-12)
    np.testing.assert_allclose(stream.mutual_information_, whole.mutual_information_, rtol=1e-9)
    assert len(stream.trace_["rmse"]) == 0


def test_batches_draw_their_own_bins_when_rows_have_doubled():
    X, y = draw(missing=0.1)
    half = len(y) // 2
    stream = (
        quick().partial_fit(X[:half], y[:half]).partial_fit(X[half : 2 * half], y[half : 2 * half])
    )
    whole = quick().fit(X[: 2 * half], y[: 2 * half])
    np.testing.assert_array_equal(stream.predict(X), whole.predict(X))
    with pytest.raises(ValueError, match="yet now missing:\n- c"):
        stream.partial_fit(X.iloc[:, :2], y)
    np.testing.assert_array_equal(stream.predict(X), whole.predict(X))


# incomplete data


@pytest.mark.parametrize("missing", ["impute", "em"])
def test_incomplete_rows_are_learnt_from(missing):
    X, y = draw(n=200, missing=0.2, missing_target=0.3)
    truth = draw(n=200)[1]
    model = quick(missing=missing, random_state=0).fit(X, y)
    error = np.sqrt(np.mean((model.predict(X) - truth) ** 2))
    assert error < 0.9 * truth.std()
    trace = model.trace_
    assert trace["iteration"].tolist() == list(range(len(trace["rmse"])))
    assert np.isfinite(trace["rmse"]).all()


def test_imputation_keeps_the_best_model():
    X, y = draw(missing=0.3, missing_target=0.3)
    model = quick(missing="impute", random_state=0).fit(X, y)
    rmse, kept = np.array(model.trace_["rmse"]), np.array(model.trace_["kept"])
    assert kept[0]
    assert (np.diff(rmse[kept]) < 0).all()
    known = ~np.isnan(y)
    error = np.sqrt(np.mean((model.predict(X[known]) - y[known]) ** 2))
    assert error == pytest.approx(rmse[kept].min(), rel=1e-9)


def test_complete_rows_need_no_imputation():
    X, y = draw()
    plain = quick().fit(X, y).predict(X)
    for missing in ("impute", "em"):
        np.testing.assert_allclose(quick(missing=missing).fit(X, y).predict(X), plain, rtol=1e-9)


def test_only_categories_that_occur_are_imputed():
    """The schema knows a category that no row has: gaps are filled with the one that rows have."""
    both = pd.DataFrame({"x": np.arange(60.0), "s": ["a", "b"] * 30})
    y = np.arange(60.0)
    schema = MTERegressor(n_pieces=4).fit(both, y).schema_
    gaps = both.assign(s=np.where(np.arange(60) % 3 == 0, None, "b"))
    for frame, known in ((gaps, "b"), (gaps.replace("b", "a"), "a")):
        model = quick(missing="impute", schema=schema, random_state=0).fit(frame, y)
        other = {"a": "b", "b": "a"}[known]
        says = [model.score_samples(both.assign(s=s)[:1]) for s in (known, other, None)]
        assert says[0] == says[1] == says[2]  # one certain, one unknown, one missing


def test_imputation_depends_on_the_seed_alone():
    X, y = draw(missing=0.3, missing_target=0.2)
    reference = quick(missing="impute", random_state=3, n_jobs=1).fit(X, y).predict(X)
    again = quick(missing="impute", random_state=3, n_jobs=2).fit(X, y).predict(X)
    np.testing.assert_array_equal(again, reference)
    turned = X[["c", "b", "a"]]
    swapped = quick(missing="impute", random_state=3).fit(turned, y).predict(turned)
    np.testing.assert_allclose(swapped, reference, rtol=1e-9)
    order = np.random.default_rng(0).permutation(len(X))
    shuffled = quick(missing="impute", random_state=3).fit(X.iloc[order], y[order])
    np.testing.assert_allclose(shuffled.predict(X), reference, rtol=1e-9)
    other = quick(missing="impute", random_state=4).fit(X, y).predict(X)
    assert np.abs(other - reference).max() > 1e-6


def test_equal_rows_with_gaps_are_filled_apart():
    group = np.repeat([0.0, 10.0], 300)
    x = pd.Series(np.where(np.arange(600) % 2, "a", "b"), dtype=object)
    x[np.arange(600) % 3 == 0] = None
    model = quick(n_pieces=2, missing="impute", random_state=0).fit(pd.DataFrame({"x": x}), group)
    # the gaps of a group, all rows of it equal, are not all filled with one category
    np.testing.assert_allclose(model.predict(pd.DataFrame({"x": ["a", "b"]})), 5.0, atol=0.7)


def test_rows_and_columns_without_anything_are_harmless():
    X, y = draw(missing=0.2, missing_target=0.2)
    model = quick(missing="impute", random_state=0).fit(X, y)
    more = pd.concat([X.assign(e=np.nan), pd.DataFrame({"a": [np.nan]})], ignore_index=True)
    with pytest.warns(DataWarning, match="Column 'e' has no known cell"):
        other = quick(missing="impute", random_state=0).fit(more, np.append(y, np.nan))
    np.testing.assert_allclose(other.predict(more[:-1]), model.predict(X), rtol=1e-9)


@pytest.mark.parametrize("missing", ["impute", "em"])
def test_categories_of_rows_without_a_target_are_known(missing):
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    frame = pd.DataFrame({"x": x, "s": np.where(np.arange(200) < 150, "early", "late")})
    y = np.where(np.arange(200) < 150, x, np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnseenCategoryWarning)
        model = MTERegressor(n_pieces=4, missing=missing, random_state=0).fit(frame, y)
        model.predict(frame)
    assert model.schema_.columns[1].categories == ("early", "late")


def test_missing_targets_are_left_out_with_a_warning():
    X, y = draw(missing_target=0.2)
    n = int(np.isnan(y).sum())
    with pytest.warns(DataWarning, match=rf"{n} row\(s\) have no target"):
        model = quick().fit(X, y)
    known = ~np.isnan(y)
    np.testing.assert_array_equal(model.predict(X), quick().fit(X[known], y[known]).predict(X))


# selection and choice


def test_selection_leaves_noise_out():
    X, y = draw(n=300)
    rng = np.random.default_rng(1)
    noisy = X.assign(**{f"n{k}": rng.normal(size=300) for k in range(4)})
    model = quick(selection="mi").fit(noisy, y)
    information = model.mutual_information_
    assert information[:3].min() > information[3:].max()
    kept = model.selection_["kept"]
    assert kept[0]
    left_out = np.flatnonzero(~kept)
    assert len(left_out)
    assert model.selection_["column"].tolist() == model.schema_.names
    other = noisy.copy()
    other.iloc[:, left_out] = other.iloc[::-1, left_out].to_numpy()
    np.testing.assert_array_equal(model.predict(other), model.predict(noisy))
    assert np.ptp(model.predict(noisy)) > 0


def test_mutual_information_is_a_divergence():
    X, y = draw()
    model = quick().fit(X, y)
    prior = np.exp(model._predictor.model.log_prior)
    densities = model.densities("a")

    def marginal(v):
        return sum(p * d.pdf(v) for p, d in zip(prior, densities, strict=True))

    expected = sum(
        p * within(lambda v, d=d: d.pdf(v) * np.log(d.pdf(v) / marginal(v)), d.edges)
        for p, d in zip(prior, densities, strict=True)
    )
    assert model.mutual_information_[0] == pytest.approx(expected, rel=1e-8)


def test_the_number_of_pieces_is_chosen():
    rng = np.random.default_rng(0)
    x = rng.random(400)
    smooth = MTERegressor().fit(x[:, None], x + 0.01 * rng.normal(size=400))
    assert len(smooth.piece_edges_) - 1 >= 20
    assert MTERegressor(n_pieces=4).fit(x[:, None], x).piece_edges_.shape == (5,)


# score_samples


def test_score_samples_is_the_log_joint_density():
    X, y = draw(missing=0.2)
    model = quick().fit(X, y)
    found = model.score_samples(X, y)
    assert found.shape == (len(X),)
    # p(x, y) = p(x) p(y | x): two rows with equal x differ by their conditional density alone
    twice = pd.concat([X[:1], X[:1]], ignore_index=True)
    values = np.array([np.quantile(y, 0.3), np.quantile(y, 0.8)])
    joint = model.score_samples(twice, values)
    # not ``log_score``, which mixes in a millionth of a wide distribution so that nothing is impossible
    densities = np.diagonal(model.predict_distribution(twice).pdf(values))
    conditional = np.log(densities)
    assert joint[1] - joint[0] == pytest.approx(conditional[1] - conditional[0], rel=1e-9)
    assert model.score_samples(X[:1], [y.max() + 1])[0] == -np.inf
    assert model.score_samples(X[:1])[0] == pytest.approx(joint[0] - conditional[0], rel=1e-9)


def test_the_joint_density_integrates_to_one():
    X, y = draw()
    model = quick().fit(X[["a"]], y)
    edges = model.densities("a")[0].edges
    a = np.concatenate([np.linspace(p, q, 80) for p, q in pairwise(edges)])
    total = 0.0
    for low, high in pairwise(model.piece_edges_):
        v = np.linspace(low, high, 62)
        v = (v[1:] + v[:-1]) / 2
        middles = (a[1:] + a[:-1]) / 2
        grid = np.repeat(middles, len(v))
        value = np.exp(model.score_samples(pd.DataFrame({"a": grid}), np.tile(v, len(middles))))
        area = np.repeat(np.diff(a), len(v)) * (high - low) / len(v)
        total += value @ area
    assert total == pytest.approx(1.0, abs=0.01)


# refusals


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_pieces": 0}, '`n_pieces` must be "cv" or a whole number from 1. Got 0.'),
        ({"n_pieces": 2.5}, '`n_pieces` must be "cv" or a whole number from 1. Got 2.5.'),
        ({"max_intervals": 0}, "`max_intervals` must be a whole number from 1 to 50. Got 0."),
        ({"intervals": "none"}, '`intervals` must be "shared" or "own". Got \'none\'.'),
        ({"bandwidth_factor": -1}, "`bandwidth_factor` must be a number above zero. Got -1."),
        (
            {"bandwidth_factor": "best"},
            "`bandwidth_factor` must be a number above zero. Got 'best'.",
        ),
        ({"fit_method": "map"}, "`fit_method` must be"),
        ({"missing": "drop"}, '`missing` must be "available", "impute" or "em". Got \'drop\'.'),
        ({"selection": "all"}, "`selection` must be \"mi\" or None. Got 'all'."),
        ({"statistic": "mode"}, '`statistic` must be "mean" or "median". Got \'mode\'.'),
    ],
)
def test_bad_parameters_are_refused(parameters, message):
    X, y = draw(n=20)
    with pytest.raises(ValueError) as caught:
        quick(**parameters).fit(X, y)
    assert message in str(caught.value)


def test_bad_questions_are_refused():
    X, y = draw(n=40)
    model = quick().fit(X, y)
    with pytest.raises(ValueError, match="`column` must be a numeric column"):
        model.densities("c")
    with pytest.raises(ValueError, match="`column` must be given by columns of the table"):
        model.densities("z")
    with pytest.raises(ValueError, match="`quantiles` must be a probability or a list"):
        model.predict_quantiles(X, "half")
    with pytest.raises(ValueError, match="`y` must have one entry per row"):
        quick().fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="`y` must be known for every row"):
        model.score_samples(X, np.where(np.arange(40) == 0, np.nan, y))


def test_columns_that_repeat_others_do_not_make_intervals_narrow():
    rng = np.random.default_rng(1)
    y = rng.normal(size=500)
    seen = y + rng.normal(size=500)
    X = np.c_[np.tile(seen[:, None], (1, 8)), rng.normal(size=500)]
    rates = {}
    for calibration in (None, "temperature", "weights"):
        model = MTERegressor(calibration=calibration).fit(X[:300], y[:300])
        low, high = model.predict_interval(X[300:], coverage=0.9).T
        rates[calibration] = np.mean((low <= y[300:]) & (y[300:] <= high))
    assert rates[None] < 0.82
    assert rates["temperature"] > 0.85
    assert rates["weights"] > 0.85
    assert model.column_weights_[:8].sum() < 5.0
    assert MTERegressor(calibration=None).fit(X, y).column_weights_.tolist() == [1.0] * 9


def test_intervals_of_a_target_of_few_values_hold_the_outermost():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 300).astype(float)
    X = (y + 0.3 * rng.normal(size=300))[:, None]
    low, high = MTERegressor(n_pieces=4).fit(X, y).predict_interval(X, coverage=0.9).T
    assert np.mean((low <= y) & (y <= high)) > 0.85


def test_a_column_that_names_rows_is_left_out():
    X, y = draw()
    named = X.assign(name=[f"row {i}" for i in range(len(X))])
    with pytest.warns(DataWarning, match="name"):
        model = quick().fit(named, y)
    assert 3 not in [term.column for term in model._fitted().model.terms]


@pytest.mark.parametrize("missing", ["impute", "em"])
def test_weights_are_equal_rows_where_gaps_are_filled(missing):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=80), "c": rng.choice(list("ab"), 80)})
    y = X["x"].to_numpy() + (X["c"] == "a") + 0.3 * rng.normal(size=80)
    X = X.mask(rng.random((80, 2)) < 0.2)
    y[rng.random(80) < 0.1] = np.nan
    weights = rng.integers(1, 4, 80)
    rows = rng.permutation(np.repeat(np.arange(80), weights))
    model = quick(missing=missing, **({"random_state": 0} if missing == "impute" else {}))
    weighted = model.fit(X, y, sample_weight=weights.astype(float)).predict(X)
    repeated = model.fit(X.iloc[rows], y[rows]).predict(X)
    np.testing.assert_allclose(weighted, repeated, rtol=1e-9)


def test_the_evidence_of_a_model_without_columns_is_an_empty_table():
    X = np.full((40, 1), np.nan)
    model = MTERegressor().fit(X, np.random.default_rng(0).normal(size=40))
    assert len(model.evidence_) == 0
    assert model.evidence_.names[:2] == ["column", "bin"]


def test_numbers_far_from_all_others_are_told_apart_from_them():
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    far = rng.random(300) < 0.2
    y = np.where(far, 0.0, 3 * x + 20)
    model = MTERegressor().fit(np.where(far, -999.0, x)[:, None], y)
    assert abs(model.predict([[-999.0]])[0]) < 2.0
    assert model.predict([[-2.0]])[0] > 10.0


@pytest.mark.parametrize(("value", "every"), [(-999.0, 20), (1e6, 150), (-999.0, 3)])
def test_numbers_far_from_all_others_do_not_hide_the_others(value, every):
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    y = 3 * x + 0.1 * rng.normal(size=300)
    far = np.arange(300) % every == 0
    model = MTERegressor().fit(np.where(far, value, x)[:, None], y)
    error = (model.predict(x[~far, None]) - y[~far]).std() / y.std()
    assert error < 0.4  # 1 is that of the mean


@pytest.mark.parametrize("model", [MTERegressor(), NaiveBayesRegressor()], ids=["mte", "kernel"])
def test_a_value_that_many_rows_share_is_in_the_distribution(model):
    """Zeros of claims, a cap, counts: the atom has its probability, and nothing lies beyond one at the bound."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(2000, 3))
    claims = (rng.random(2000) < 0.05) * np.exp(7 + rng.normal(size=2000))
    capped = np.minimum(table[:, 0] + rng.normal(size=2000), 0.5)
    for target, atom in [(claims, 0.0), (capped, 0.5), ((np.arange(2000) < 3) * 1.0, 0.0)]:
        found = clone(model).fit(table, target).predict_distribution(table)
        beside = np.nextafter(atom, [-np.inf, np.inf])
        jump = found.cdf(beside)
        assert (jump[:, 1] - jump[:, 0]).mean() == pytest.approx((target == atom).mean(), abs=0.02)
        low, high = found.interval(0.8).T
        assert ((low <= target) & (target <= high)).mean() > 0.78
        bound = found.ppf([0.0, 1.0])
        assert (bound[:, 0] == 0.0).all() or (bound[:, 1] == 0.5).all()


def test_no_atom_is_seen_in_measurements():
    """Rows that are alone in a cell of a continuous target are no atoms: the distribution goes on beyond them."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(2000, 2))
    target = table[:, 0] + rng.normal(size=2000)
    found = NaiveBayesRegressor().fit(table, target).predict_distribution(table[:1])
    assert found.ppf(1.0)[0] > target.max()
