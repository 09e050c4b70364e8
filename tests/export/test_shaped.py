"""Models that people have shaped answer alike in Python, SQL, JavaScript and ONNX, and as points."""

import numpy as np
import pandas as pd
import pytest

from bayfold import BoostedNaiveBayesClassifier, NaiveBayesClassifier
from tests.export.engines import KEY, run_duckdb, run_sqlite
from tests.export.javascript import run_node
from tests.export.runtime import run_onnx

pytestmark = pytest.mark.filterwarnings("ignore")

BINS = {
    "age": [18, 25, 40, 65],
    "region": [["north", "east"], ["south"]],
    "grade": [[1, 2], [3]],
}
GROUPS = {name: BINS[name] for name in ("region", "grade")}
CODES = {"age": [16, -99]}


def make_rows(seed, n):
    rng = np.random.default_rng(seed)
    rows = pd.DataFrame(
        {
            "age": rng.integers(15, 80, n).astype(float),
            "region": rng.choice(["north", "east", "south", "west"], n),
            "grade": rng.integers(1, 6, n),
        }
    )
    rows.loc[::7, "age"] = np.nan
    rows.loc[::9, "age"] = -99.0
    return rows, ((rows["age"].fillna(40) > 40) ^ (rows["region"] == "east")).astype(int)


@pytest.mark.parametrize(
    "model",
    [
        NaiveBayesClassifier(bins=BINS),
        BoostedNaiveBayesClassifier(bins=BINS, n_rounds=20),
        NaiveBayesClassifier(bins=BINS, special_codes=CODES),
        BoostedNaiveBayesClassifier(bins=GROUPS, special_codes=CODES, n_rounds=20),
    ],
    ids=["naive", "boosted", "naive-codes", "boosted-codes"],
)
def test_given_bins_in_every_language(model):
    rows, y = make_rows(0, 400)
    model.fit(rows, y)
    new, _ = make_rows(1, 60)
    expected = model.predict_proba(new)
    keyed = new.assign(**{KEY: np.arange(len(new))})
    for run, dialect in ((run_duckdb, "duckdb"), (run_sqlite, "sqlite")):
        found = run(model.to_sql(dialect, keep=[KEY]), keyed).filter(like="probability_")
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    answers = [answer["probabilities"] for answer in run_node(model.to_json(), new)]
    np.testing.assert_allclose(answers, expected, rtol=0, atol=1e-12)
    as_text = new.assign(grade=new["grade"].astype(str))
    _, probabilities = run_onnx(model.to_onnx(), as_text)
    np.testing.assert_allclose(probabilities, expected, rtol=0, atol=1e-12)
    card = model.to_scorecard()
    off = np.abs(card.score(new) - card.offset - card.factor * model.decision_function(new))
    assert off.max() <= card.largest_error + 1e-9
    shown = {"north, east", "1, 2"} | ({"code -99"} if model.special_codes else set())
    assert shown <= set(card.table["bin"])
