"""Law 2: copies of a row (weights, bootstrap, oversampling, joins) change no choice for the worse.

The tables are those on which copies in other folds ruined the models of version 0.1.0.
"""

from __future__ import annotations

import numpy as np
import pytest

from bayfold import (
    AdaBoostNaiveBayesClassifier,
    AveragedOneDependenceClassifier,
    BoostedNaiveBayesClassifier,
    ClassDecompositionClassifier,
    MTERegressor,
    NaiveBayesClassifier,
    NaiveBayesMixture,
    NaiveBayesRegressor,
    NaiveBayesTreeClassifier,
)

pytestmark = pytest.mark.filterwarnings("ignore")

N_ROWS = 300
CLASSIFIERS = {
    "calibrated": NaiveBayesClassifier,
    "selected": lambda: NaiveBayesClassifier(select=True),
    "one-dependence": AveragedOneDependenceClassifier,
    "boosted": lambda: BoostedNaiveBayesClassifier(random_state=0),
    "boosted, single columns": lambda: BoostedNaiveBayesClassifier(random_state=0, interactions=1),
    "tree": lambda: NaiveBayesTreeClassifier(max_depth=2),
    "tree by left-out rows": lambda: NaiveBayesTreeClassifier(2, utility="leave_one_out"),
    "AdaBoost": lambda: AdaBoostNaiveBayesClassifier(max_depth=1, n_rounds=10),
    "decomposed": lambda: ClassDecompositionClassifier(random_state=0, n_folds=3),
}
REGRESSORS = {"MTE": MTERegressor, "kernels": NaiveBayesRegressor}


def draw_rows(seed=0, n_new=2000):
    """Ten normal columns and x0 + x1 * x2 + noise; training rows and new rows."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N_ROWS + n_new, 10))
    y = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=len(X))
    return (X[:N_ROWS], y[:N_ROWS]), (X[N_ROWS:], y[N_ROWS:])


def find_loss(model, train, new, weights):
    """Log-loss or root mean squared error of new rows."""
    kept = weights > 0
    model.fit(train[0][kept], train[1][kept], sample_weight=weights[kept].astype(float))
    if not hasattr(model, "predict_proba"):
        return np.sqrt(np.mean((model.predict(new[0]) - new[1]) ** 2))
    p = model.predict_proba(new[0])
    return -np.log(p[np.arange(len(p)), new[1].astype(int)]).mean()


def as_classes(rows):
    return rows[0], (rows[1] > 0).astype(int)


@pytest.mark.parametrize("weight", [2, 10, 1000])
@pytest.mark.parametrize("name", [*CLASSIFIERS, *REGRESSORS])
def test_copying_every_row_changes_next_to_nothing(name, weight):
    train, new = draw_rows()
    if name in CLASSIFIERS:
        train, new = as_classes(train), as_classes(new)
    make = {**CLASSIFIERS, **REGRESSORS}[name]
    ones = np.ones(N_ROWS)
    once = find_loss(make(), train, new, ones)
    # AdaBoost's weights are multiples of 2^-50 of their sum, which makes sums the same in any partition of the rows: a
    # weight of 1,000 takes ten of those bits from a row
    rel = 1e-6 if name == "AdaBoost" else 1e-9
    assert find_loss(make(), train, new, weight * ones) == pytest.approx(once, rel=rel)


@pytest.mark.parametrize("name", ["calibrated", "one-dependence", "boosted", "MTE", "kernels"])
def test_a_bootstrap_is_as_good_as_its_distinct_rows(name):
    """On average over a few of them: weights that differ make rows worth a little less."""
    make = {**CLASSIFIERS, **REGRESSORS}[name]
    with_copies, distinct = 0.0, 0.0
    for seed in range(3):
        train, new = draw_rows(seed)
        if name in CLASSIFIERS:
            train, new = as_classes(train), as_classes(new)
        drawn = np.random.default_rng(seed).integers(0, N_ROWS, N_ROWS)
        copies = np.bincount(drawn, minlength=N_ROWS)
        with_copies += find_loss(make(), train, new, copies)
        distinct += find_loss(make(), train, new, (copies > 0).astype(int))
    assert with_copies < 1.03 * distinct


def test_noise_that_is_copied_is_still_noise():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 10)), rng.integers(0, 2, 60)
    copies = np.repeat(np.arange(60), 10)
    model = BoostedNaiveBayesClassifier(random_state=0).fit(X[copies], y[copies])
    assert model.validation_loss_.min() > 0.6
    p = model.predict_proba(rng.normal(size=(500, 10)))
    assert -np.log(p).mean() < 0.8  # classes of new rows are as likely as not


def test_a_mixture_chooses_the_same_number_of_components():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)) + 4.0 * rng.integers(0, 3, 200)[:, None]
    once, often = (
        NaiveBayesMixture("cv", random_state=0).fit(X, sample_weight=np.full(200, weight))
        for weight in (1.0, 10.0)
    )
    assert once.n_components_ == often.n_components_


def test_exclusive_or_is_still_found_from_four_distinct_rows():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (1000, 2))
    y = X[:, 0] ^ X[:, 1]
    model = BoostedNaiveBayesClassifier(random_state=0).fit(X.astype(str), y)
    assert model.predict_proba(X.astype(str))[np.arange(1000), y].min() > 0.95


def test_exclusive_or_is_split_into_its_four_distinct_rows():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (300, 2))
    y = X[:, 0] ^ X[:, 1]
    model = ClassDecompositionClassifier(random_state=0).fit(X.astype(str), y)
    assert model.n_clusters_.max() == 2
    assert model.score(X.astype(str), y) == 1.0


def test_equality_is_found_by_rows_left_out_one_at_a_time():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (1000, 2))
    equal = X[:, 0] == X[:, 1]
    y = rng.random(1000) < np.where(equal, 0.9, 0.2)
    model = NaiveBayesTreeClassifier(2, utility="leave_one_out").fit(X.astype(str), y)
    assert np.array_equal(model.predict(X.astype(str)), equal)


def test_latent_classes_are_found_in_a_table_of_few_distinct_rows():
    """All rows of a kind in one fold would leave none like them outside."""
    rng = np.random.default_rng(0)
    shares = np.array([[0.7, 0.2, 0.1], [0.1, 0.2, 0.7]])[rng.integers(0, 2, 400)]
    X = (rng.random((400, 3, 1)) > shares.cumsum(axis=1)[:, None]).sum(axis=2).astype(str)
    assert NaiveBayesMixture("cv", random_state=0).fit(X).n_components_ == 2


def test_none_is_found_where_there_is_none():
    """Rows of each kind dealt evenly would make every fold a small copy of the table, and flatter any number."""
    X = (np.random.default_rng(0).random((400, 4)) < 0.4).astype(str)
    assert NaiveBayesMixture("cv", random_state=0).fit(X).n_components_ == 1


@pytest.mark.parametrize(
    "make",
    [NaiveBayesTreeClassifier, lambda: AdaBoostNaiveBayesClassifier(max_depth=1, n_rounds=5)],
)
def test_an_identifier_whose_rows_are_copied_is_still_one(make):
    rng = np.random.default_rng(0)
    x = rng.normal(size=700)
    y = (x + 0.7 * rng.normal(size=700) > 0).astype(int)
    X = np.stack([np.array([f"row {k}" for k in range(700)], object), x.astype(object)], axis=1)
    model = make().fit(X[:200], y[:200], sample_weight=np.full(200, 2.0))
    assert model.score(X[200:], y[200:]) > 0.7


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    "make",
    [
        lambda: BoostedNaiveBayesClassifier(n_rounds=5),
        lambda: AdaBoostNaiveBayesClassifier(n_rounds=5),
        NaiveBayesTreeClassifier,
    ],
)
def test_an_identifier_whose_rows_are_copied_is_named(make):
    rng = np.random.default_rng(0)
    names = np.array([f"row {k}" for k in range(100)], object)
    x, y = rng.normal(size=100), rng.integers(0, 2, 100)
    X = np.stack([names, x.astype(object)], axis=1)
    with pytest.warns(UserWarning, match="an identifier"):
        make().fit(X, y, sample_weight=np.full(100, 5.0))


def test_trees_count_rows_as_they_were_given():
    train, _ = draw_rows()
    X, y = as_classes(train)
    tree = NaiveBayesTreeClassifier(max_depth=1).fit(X, y, sample_weight=np.full(N_ROWS, 4.0))
    assert tree.tree_.totals[0].sum() == pytest.approx(4 * N_ROWS)
