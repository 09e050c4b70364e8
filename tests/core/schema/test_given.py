"""Given bins: exactly as given, with the counts of pandas.cut, in every estimator with codes."""

import numpy as np
import pandas as pd
import pytest

from bayfold import (
    AdaBoostNaiveBayesClassifier,
    AveragedOneDependenceClassifier,
    BoostedNaiveBayesClassifier,
    BoostedNaiveBayesRegressor,
    NaiveBayesClassifier,
    NaiveBayesRegressor,
    NaiveBayesTreeClassifier,
    load,
)
from bayfold.core.schema import Schema
from bayfold.errors import MergeError

CUTS = [18, 25, 40, 65]
BINS = {"age": CUTS, "region": [["north", "east"], ["south"]], "income": 5}
FAMILIES = [
    NaiveBayesClassifier(bins=BINS),
    AveragedOneDependenceClassifier(bins=BINS),
    AdaBoostNaiveBayesClassifier(method="real", bins=BINS),
    BoostedNaiveBayesClassifier(bins=BINS, n_rounds=5),
    BoostedNaiveBayesRegressor(bins=BINS, n_rounds=5),
    NaiveBayesRegressor(bins=BINS),
]


def make_table(seed=0, n=400):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(15, 80, n).astype(float),
            "income": rng.lognormal(3, 1, n),
            "region": rng.choice(["north", "east", "south", "west"], n),
        }
    )
    frame.loc[::17, "age"] = np.nan
    y = (frame["age"].fillna(40) + rng.normal(0, 20, n) > 45).to_numpy().astype(int)
    return frame, y


FRAME, Y = make_table()


def counts_of(model, column):
    shown = model.evidence_.to_frame("pandas")
    own = shown[(shown["column"] == column) & (shown["bin"] != "(missing)")]
    return own["total" if "total" in own else "count"].to_numpy()


@pytest.mark.parametrize("model", FAMILIES, ids=lambda model: type(model).__name__)
def test_bins_have_the_counts_of_pandas_cut(model):
    model.fit(FRAME, Y)
    ends = [-np.inf, *CUTS, np.inf]
    expected = pd.cut(FRAME["age"], ends, right=False).value_counts(sort=False)
    np.testing.assert_array_equal(counts_of(model, "age"), expected)
    expected = pd.cut(FRAME["income"], 5, right=False).value_counts(sort=False)
    np.testing.assert_array_equal(counts_of(model, "income"), expected)
    by_region = FRAME["region"].value_counts()
    expected = [by_region[["north", "east"]].sum(), by_region["south"], by_region["west"]]
    np.testing.assert_array_equal(counts_of(model, "region"), expected)
    assert model.schema_.columns[2].categories == ("north, east", "south", "west")


@pytest.mark.parametrize("model", FAMILIES, ids=lambda model: type(model).__name__)
def test_rows_of_the_same_bins_have_the_same_answer(model):
    model.fit(FRAME, Y)
    rows = pd.DataFrame({"age": [25, 39.99], "income": [5.0, 5.1], "region": ["north", "east"]})
    first, second = (
        model.predict_distribution(rows).mean()
        if hasattr(model, "predict_distribution")
        else model.predict_proba(rows)[:, 1]
    )
    assert first == second


def test_a_tree_splits_at_the_cuts():
    tree = NaiveBayesTreeClassifier(max_depth=1, bins={"age": CUTS}, pruning=None).fit(FRAME, Y)
    assert tree.schema_.columns[0].edges.tolist() == CUTS


def test_votes_of_adaboost_stand_on_ten_equal_bins():
    model = AdaBoostNaiveBayesClassifier(bins=10, n_rounds=3).fit(FRAME[["age", "income"]], Y)
    for column in model.schema_.columns:
        values = FRAME[column.name]
        edges = np.linspace(values.min(), values.max(), 11)[1:-1]
        np.testing.assert_array_equal(column.edges, edges)


def test_sources_batches_sums_and_files_have_the_same_bins(tmp_path):
    FRAME.assign(y=Y).to_parquet(tmp_path / "rows.parquet")
    whole = NaiveBayesClassifier(bins=BINS).fit(FRAME, Y)
    source = NaiveBayesClassifier(bins=BINS).fit_source(
        tmp_path / "rows.parquet", "y", progress=False
    )
    fixed = {name: BINS[name] for name in ("age", "region")}
    parts = [slice(0, 200), slice(200, 400)]
    halves = [
        NaiveBayesClassifier(bins=fixed).fit(FRAME[["age", "region"]][part], Y[part])
        for part in parts
    ]
    both = NaiveBayesClassifier(bins=fixed).fit(FRAME[["age", "region"]], Y)
    stream = NaiveBayesClassifier(bins=fixed)
    for part in parts:
        stream.partial_fit(FRAME[["age", "region"]][part], Y[part])
    expected = whole.predict_proba(FRAME)
    np.testing.assert_array_equal(source.predict_proba(FRAME), expected)
    short = both.predict_proba(FRAME[["age", "region"]])
    for model in (halves[0] + halves[1], stream):
        np.testing.assert_array_equal(model.predict_proba(FRAME[["age", "region"]]), short)
    whole.save(tmp_path / "model.bayfold")
    stored = load(tmp_path / "model.bayfold")
    np.testing.assert_array_equal(stored.predict_proba(FRAME), expected)
    assert stored.schema_ == whole.schema_
    again = Schema.from_dict(whole.schema_.to_dict())
    assert again == whole.schema_
    given = NaiveBayesClassifier(schema=again).fit(FRAME, Y)
    np.testing.assert_array_equal(given.predict_proba(FRAME), expected)
    with pytest.raises(MergeError, match="region"):
        halves[0] + NaiveBayesClassifier(bins={"age": CUTS, "region": [["north", "south"]]}).fit(
            FRAME[["age", "region"]], Y
        )


def test_rare_categories_share_a_bin_with_their_names():
    job = np.array(["a"] * 50 + ["b"] * 30 + ["c"] * 3 + ["d"] * 2 + ["e"])
    y = np.arange(len(job)) % 2
    model = NaiveBayesClassifier(bins={"x0": 3}).fit(job[:, None], y)
    assert model.schema_.columns[0].categories == ("a", "b", "c, d, e")
    assert counts_of(model, "x0").tolist() == [50, 30, 6]
    boosted = BoostedNaiveBayesClassifier(max_bins={"x0": 3}, n_rounds=3).fit(job[:, None], y)
    assert boosted.schema_.columns[0].categories == ("a", "b", "c, d, e")


def test_max_bins_by_column():
    X = FRAME[["age", "income"]]
    model = BoostedNaiveBayesRegressor(max_bins={"income": 7}, n_rounds=3).fit(X, Y)
    age, income = model.schema_.columns
    assert income.n_bins == 7
    assert age.n_bins == FRAME["age"].nunique()


@pytest.mark.parametrize(
    ("bins", "message"),
    [
        ({"region": [1.0, 2.0]}, "lists of categories for the nominal column 'region'"),
        ({"age": [["a"]]}, None),
        ({"age": {"a": 1}}, "lists of categories, or a whole number"),
    ],
)
def test_bins_of_the_wrong_kind_are_refused(bins, message):
    model = BoostedNaiveBayesClassifier(bins=bins, n_rounds=2)
    if message is None:  # labels are asked for: numbers are read as such
        assert model.fit(FRAME, Y).schema_.columns[0].kind == "nominal"
        return
    with pytest.raises(ValueError, match=message):
        model.fit(FRAME, Y)
    assert not hasattr(model, "schema_")


def test_what_bins_leave_without_effect_is_refused():
    with pytest.raises(ValueError, match="columns whose bins are not given"):
        NaiveBayesClassifier(bins={"age": CUTS}, numeric={"age": "gaussian"}).fit(FRAME, Y)
    with pytest.raises(ValueError, match="`bins` must be None with bandwidth='frank1998'"):
        NaiveBayesRegressor(bins=BINS, bandwidth="frank1998").fit(FRAME, Y)
    schema = NaiveBayesClassifier().fit(FRAME, Y).schema_
    with pytest.raises(ValueError, match="`bins` must be None with a schema"):
        NaiveBayesClassifier(bins=BINS, schema=schema).fit(FRAME, Y)
