"""NaiveBayesImputer: better than a constant, reproducible, and the table stays what it was."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bayfold import NaiveBayesImputer
from bayfold.errors import UnseenCategoryWarning

pytestmark = pytest.mark.filterwarnings("ignore::bayfold.errors.DataWarning")


def draw(seed=0, n=150, missing=0.2):
    rng = np.random.default_rng(seed)
    t = rng.normal(size=n)
    full = pd.DataFrame(
        {
            "number": t + 0.3 * rng.normal(size=n),
            "whole": pd.array(np.round(5 * t), dtype="Int64"),
            "category": pd.Categorical(np.where(t > 0, "high", "low"), ["low", "high", "never"]),
            "string": np.where(t + 0.5 * rng.normal(size=n) > 0, "p", "q"),
            "boolean": pd.array(t > 0.5, dtype="boolean"),
            "time": pd.Timestamp("2020-01-01") + pd.to_timedelta(np.round(1000 * t), unit="h"),
        }
    )
    gone = pd.DataFrame(rng.random(full.shape) < missing, columns=full.columns)
    return full, full.mask(gone), gone


KINDS = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "arrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
}


def describe(table):
    if isinstance(table, pd.DataFrame):
        return table.dtypes.to_dict()
    return (
        dict(zip(table.columns, table.dtypes, strict=True))
        if hasattr(table, "dtypes")
        else table.schema
    )


@pytest.mark.parametrize("strategy", ["expected", "draw"])
@pytest.mark.parametrize("kind", list(KINDS))
def test_types_names_and_known_cells_stay(kind, strategy):
    _, frame, gone = draw()
    table = KINDS[kind](frame)
    filled = NaiveBayesImputer(strategy=strategy, random_state=0).fit_transform(table)
    assert type(filled) is type(table)
    assert describe(filled) == describe(table)
    back = filled if kind == "pandas" else filled.to_pandas()
    assert not back.isna().any().any()
    for name in frame:
        known = ~gone[name].to_numpy()
        assert back[name][known].astype(str).tolist() == frame[name][known].astype(str).tolist()


def test_libraries_agree():
    _, frame, _ = draw()
    filled = {kind: NaiveBayesImputer().fit_transform(make(frame)) for kind, make in KINDS.items()}
    for kind in ("polars", "arrow"):
        other = filled[kind].to_pandas()
        for name in ("number", "whole"):
            np.testing.assert_allclose(
                other[name].astype(float), filled["pandas"][name].astype(float), rtol=1e-9
            )
        for name in ("category", "string", "boolean"):
            assert other[name].astype(str).tolist() == filled["pandas"][name].astype(str).tolist()


def test_gaps_are_filled_better_than_by_a_constant():
    full, frame, gone = draw(n=400)
    filled = NaiveBayesImputer().fit_transform(frame)
    for name in ("number", "whole"):
        gap = gone[name].to_numpy()
        truth = full[name][gap].astype(float)
        error = np.sqrt(np.mean((filled[name][gap].astype(float) - truth) ** 2))
        assert error < 0.6 * truth.std()
    gap = gone["category"].to_numpy()
    assert (filled["category"][gap] == full["category"][gap]).mean() > 0.8


def test_draws_keep_the_spread():
    rng = np.random.default_rng(0)
    x = rng.normal(size=800)
    y = 0.5 * x + rng.normal(size=800)
    table = np.column_stack([x, np.where(rng.random(800) < 0.5, np.nan, y)])
    expected = NaiveBayesImputer().fit_transform(table)[:, 1]
    drawn = NaiveBayesImputer(strategy="draw", random_state=0).fit_transform(table)[:, 1]
    gap = np.isnan(table[:, 1])
    assert expected[gap].std() < 0.8 * y.std()
    assert drawn[gap].std() == pytest.approx(y.std(), rel=0.15)
    assert np.corrcoef(x[gap], drawn[gap])[0, 1] > 0.25


def test_gaps_of_a_row_are_drawn_one_given_the_other():
    rng = np.random.default_rng(0)
    x = rng.normal(size=600)
    table = np.column_stack([x, x + 0.1 * rng.normal(size=600)])
    table[:300] = np.nan
    filled = NaiveBayesImputer(strategy="draw", random_state=0).fit_transform(table)
    assert np.corrcoef(filled[:300].T)[0, 1] > 0.8


def test_many_imputations_are_reproducible():
    _, frame, gone = draw()
    imputer = NaiveBayesImputer().fit(frame)
    first, second = imputer.draw(frame, 2, random_state=1)
    again = imputer.set_params(n_jobs=2).draw(frame, 2, random_state=1)
    pd.testing.assert_frame_equal(first, again[0])
    gap = gone["number"].to_numpy()
    assert (first["number"][gap] != second["number"][gap]).all()
    assert (first["number"][~gap] == second["number"][~gap]).all()
    one = NaiveBayesImputer(strategy="draw", random_state=5).fit_transform(frame)
    pd.testing.assert_frame_equal(
        one, NaiveBayesImputer(strategy="draw", random_state=5).fit(frame).transform(frame)
    )


def test_the_order_of_columns_does_not_matter():
    _, frame, _ = draw(missing=0.3)
    turned = frame[frame.columns[::-1]]
    filled = NaiveBayesImputer().fit_transform(frame)
    other = NaiveBayesImputer().fit_transform(turned)[frame.columns]
    np.testing.assert_allclose(filled["number"], other["number"], rtol=1e-9)
    assert filled["string"].tolist() == other["string"].tolist()


def test_the_order_of_rows_does_not_matter():
    _, frame, _ = draw(missing=0.3)
    order = np.random.default_rng(0).permutation(len(frame))
    filled = NaiveBayesImputer(strategy="draw", random_state=1).fit_transform(frame)
    turned = NaiveBayesImputer(strategy="draw", random_state=1).fit_transform(frame.iloc[order])
    # equal rows may have changed places
    found, expected = (np.sort(table["number"].to_numpy()) for table in (turned, filled))
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    assert sorted(turned["string"]) == sorted(filled["string"])


def test_of_many_columns_each_is_filled_from_those_that_tell_most():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 40))
    X[:, 37] = X[:, 3] + 0.1 * rng.normal(size=400)
    gaps = X.copy()
    gaps[:50, 37] = np.nan
    filled = NaiveBayesImputer().fit_transform(gaps)
    assert np.corrcoef(filled[:50, 37], X[:50, 37])[0, 1] > 0.95


def test_new_rows_are_filled():
    full, frame, _ = draw()
    imputer = NaiveBayesImputer().fit(frame)
    row = full[:1].copy()
    row.loc[0, "number"] = np.nan
    filled = imputer.transform(row)
    assert abs(filled["number"][0] - full["number"][0]) < 1.5
    empty = frame[:1].copy()
    empty.iloc[0, 0] = np.nan
    unseen = empty.astype({"string": object}).assign(string="new")
    with pytest.warns(UnseenCategoryWarning, match="new"):
        assert np.isfinite(imputer.transform(unseen)["number"][0])


def test_the_target_tells_about_gaps_if_asked():
    rng = np.random.default_rng(0)
    y = rng.normal(size=300)
    x = y + 0.1 * rng.normal(size=300)
    gap = rng.random(300) < 0.3
    table = np.where(gap, np.nan, x)[:, None]
    with_target = NaiveBayesImputer(use_target=True).fit_transform(table, y)
    without = NaiveBayesImputer().fit_transform(table, y)
    assert (
        np.abs(with_target[gap, 0] - x[gap]).mean() < 0.3 * np.abs(without[gap, 0] - x[gap]).mean()
    )
    transformed = NaiveBayesImputer(use_target=True).fit(table, y).transform(table)
    np.testing.assert_allclose(transformed[gap, 0], np.nanmean(table), atol=0.01)
    labels = np.where(y > 0, "a", "b")
    by_class = NaiveBayesImputer(use_target=True).fit_transform(table, labels)
    assert (np.sign(by_class[gap, 0]) == np.sign(y[gap])).mean() > 0.9
    with pytest.raises(ValueError, match="requires y to be passed"):
        NaiveBayesImputer(use_target=True).fit(table)


def test_columns_without_anything_keep_their_gaps():
    table = np.column_stack([np.arange(20.0), np.full(20, np.nan), np.full(20, 3.0)])
    table[4, 2] = np.nan
    filled = NaiveBayesImputer().fit_transform(table)
    assert np.isnan(filled[:, 1]).all()
    assert filled[4, 2] == pytest.approx(3.0, rel=1e-5)


def test_objects_stay_the_objects_they_were():
    table = np.array([[True, 1, "a"], [False, 2, "b"], [True, 1, None], [None, 2, "b"]] * 5, object)
    filled = NaiveBayesImputer(categorical_features=[1]).fit_transform(table)
    assert filled.dtype == object
    assert filled[3, 0] is False
    assert filled[2, 2] == "a"
    assert filled[0, 1] == 1


def test_a_stream_that_is_read_once_is_filled():
    _, frame, _ = draw()
    table = KINDS["arrow"](frame)
    imputer = NaiveBayesImputer().fit(table)
    assert imputer.transform(table.to_reader()).equals(imputer.transform(table))
    filled = NaiveBayesImputer().fit_transform(table.to_reader())
    assert filled.equals(imputer.transform(table))


def test_a_fit_that_fails_loses_nothing():
    _, frame, _ = draw()
    imputer = NaiveBayesImputer().fit(frame)
    before = imputer.transform(frame)
    with pytest.raises(ValueError, match="`categorical_features` must be given by columns"):
        imputer.set_params(categorical_features=["none"], use_target=True).fit(
            frame[["number"]], np.zeros(len(frame))
        )
    pd.testing.assert_frame_equal(imputer.transform(frame), before)


def test_a_mask_of_categories_is_about_the_table_alone():
    X = np.array([[1.0, 5.0], [1.0, 5.5], [2.0, 9.0], [np.nan, 9.0], [2.0, 8.5]] * 4)
    imputer = NaiveBayesImputer(use_target=True, categorical_features=[True, False])
    filled = imputer.fit_transform(X, np.arange(20.0))
    assert set(filled[:, 0]) == {1.0, 2.0}


def test_weights_are_frequencies():
    _, frame, _ = draw(n=60)
    frame = frame[["number", "string"]]
    w = np.random.default_rng(0).integers(0, 3, 60)
    one = NaiveBayesImputer().fit(frame, sample_weight=w).transform(frame)
    two = NaiveBayesImputer().fit(frame.loc[np.repeat(np.arange(60), w)]).transform(frame)
    np.testing.assert_allclose(one["number"], two["number"], rtol=1e-6)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"strategy": "mean"}, '`strategy` must be "expected" or "draw". Got \'mean\'.'),
        ({"n_pieces": 0}, "`n_pieces` must be a whole number from 1. Got 0."),
        ({"use_target": "yes"}, "`use_target` must be True or False. Got 'yes'."),
    ],
)
def test_bad_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError) as caught:
        NaiveBayesImputer(**parameters).fit([[1.0], [2.0]])
    assert message in str(caught.value)


def test_bad_questions_are_refused():
    imputer = NaiveBayesImputer().fit([[1.0], [2.0]])
    with pytest.raises(ValueError, match="`n_draws` must be a whole number from 1"):
        imputer.draw([[1.0]], 0)
    with pytest.raises(ValueError, match="must be positive for at least one row"):
        NaiveBayesImputer().fit([[1.0], [2.0]], sample_weight=[0, 0])
