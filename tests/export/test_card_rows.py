"""Rows of a scorecard: counts by hand, Gini and KS beside scikit-learn and SciPy, reasons beside all evidence."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ks_2samp
from sklearn.metrics import roc_auc_score

from bayfold import BoostedNaiveBayesClassifier, NaiveBayesClassifier

pytestmark = pytest.mark.filterwarnings("ignore")


def make_rows(seed=0, n=900):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.normal(size=n).round(1), "b": rng.choice(["x", "y", "z"], n)})
    X.loc[rng.random(n) < 0.1, "a"] = np.nan
    y = np.where(
        rng.random(n) < 1 / (1 + np.exp(-X["a"].fillna(1) - (X["b"] == "x"))), "good", "bad"
    )
    return X, y


X, Y = make_rows()
NEW, NEW_Y = make_rows(1)
MODEL = NaiveBayesClassifier(bins={"a": [-1, 0, 1]}).fit(X, Y)


@pytest.mark.parametrize("weights", [None, np.arange(900) % 3])
@pytest.mark.parametrize("good", ["good", "bad"])
def test_bins_are_counted(weights, good):
    card = MODEL.to_scorecard(good=good, X=NEW, y=NEW_Y, sample_weight=weights)
    w = np.ones(len(NEW)) if weights is None else weights
    event = good != NEW_Y
    inside = (NEW["a"] >= 0) & (NEW["a"] < 1)
    row = card.table.where(column="a", bin="0 to 1")[0]
    assert row["rows"] == w[inside].sum()
    assert row["share"] == pytest.approx(w[inside].sum() / w.sum())
    assert row["event_rate"] == pytest.approx(w[inside & event].sum() / w[inside].sum())
    shares = [w[inside & of].sum() / w[of].sum() for of in (~event, event)]
    assert row["woe"] == pytest.approx(np.log(shares[0] / shares[1]))
    assert row["iv"] == pytest.approx((shares[0] - shares[1]) * row["woe"])
    of_a = card.table.where(column="a")["iv"].sum()
    assert card.measures.information.where(column="a")["iv"][0] == pytest.approx(of_a)
    assert card.table[0]["event_rate"] == pytest.approx(card.measures.event_rate)
    assert card.table[0]["woe"] == 0


def test_gini_and_ks():
    model = BoostedNaiveBayesClassifier(n_rounds=20).fit(X, Y)
    card = model.to_scorecard(good="good", X=NEW, y=NEW_Y)
    points = card.score(NEW)
    auc = roc_auc_score(NEW_Y == "good", points)
    assert card.measures.gini == pytest.approx(2 * auc - 1)
    ks = ks_2samp(points[NEW_Y == "good"], points[NEW_Y == "bad"]).statistic
    assert card.measures.ks == pytest.approx(ks)
    pairs = [" x " in name for name in card.table["column"]]
    assert np.isnan(card.table["iv"][pairs]).all()
    assert card.table["points"].tolist() == model.to_scorecard(good="good").table["points"].tolist()


def test_the_page_has_every_bin():
    card = MODEL.to_scorecard(X=X, y=Y)
    page = card.to_html()
    assert page.count("<tr>") == len(card.table) + 1
    assert card.measures.describe() in page


def test_bins_without_rows_have_no_rate():
    card = MODEL.to_scorecard(X=NEW[NEW["b"] != "z"], y=NEW_Y[NEW["b"] != "z"])
    row = card.table.where(column="b", bin="z")[0]
    assert row["rows"] == 0
    assert row["iv"] == 0
    assert np.isnan([row["event_rate"], row["woe"]]).all()


def test_rows_and_classes_belong_together():
    for given, text in (({"X": X}, "`y` must be given too"), ({"y": Y}, "`X` must be given too")):
        with pytest.raises(ValueError, match=text):
            MODEL.to_scorecard(**given)
    with pytest.raises(ValueError, match="both classes"):
        MODEL.to_scorecard(X=X[Y == "good"], y=Y[Y == "good"])


@pytest.mark.parametrize("model", [MODEL, BoostedNaiveBayesClassifier(n_rounds=20).fit(X, Y)])
def test_reasons_are_the_strongest(model):
    everything = model.explain(NEW).to_frame("pandas").query("column != '(prior)'")
    for against, sign in (("good", -1), ("bad", 1)):
        reasons = model.explain(NEW, top=2, against=against).to_frame("pandas")
        for row, of_row in everything.groupby("row"):
            weights = sign * of_row["weight"].to_numpy()
            expected = np.sort(weights[weights > 0])[::-1][:2]
            found = sign * reasons.loc[reasons["row"] == row, "weight"].to_numpy()
            np.testing.assert_array_equal(found, expected)
    strongest = model.explain(NEW, top=1)
    assert len(strongest) == len(NEW)


def test_reasons_among_many_classes():
    model = NaiveBayesClassifier().fit(X[["a"]], X["b"])
    reasons = model.explain(NEW[["a"]], top=1, against="x")
    assert set(reasons["class"]) == {"x"}
    assert (reasons["weight"] < 0).all()


def test_bad_reasons():
    with pytest.raises(ValueError, match="`against` must be one of the classes"):
        MODEL.explain(X, against="paid")
    with pytest.raises(ValueError, match="`top` must be"):
        MODEL.explain(X, top=0)
