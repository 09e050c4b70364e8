"""The same numbers in PostgreSQL, where one can be started."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from bayfold import BoostedNaiveBayesClassifier, NaiveBayesClassifier
from tests.export.engines import KEY, Postgres
from tests.export.models import CLASSES, CLASSIFIERS, REGRESSORS
from tests.export.tables import TYPES, draw_awkward, draw_new_rows

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def server():
    found = Postgres()
    yield found
    found.stop()


def assert_equal(model, rows, answers):
    X = rows.drop(columns=KEY)
    found = answers.filter(like="probability_").to_numpy(np.float64)
    np.testing.assert_allclose(found, model.predict_proba(X), rtol=0, atol=1e-12)
    assert answers["prediction"].tolist() == model.predict(X).tolist()


@pytest.mark.parametrize("kind", list(CLASSIFIERS))
def test_a_server_answers_as_python_does(kind, server):
    for n_classes in (2, 4):
        frame, y = draw_awkward(1, n_classes=n_classes)
        model = clone(CLASSIFIERS[kind]).fit(frame, np.array(CLASSES)[y])
        rows = draw_new_rows(frame)
        assert_equal(model, rows, server.run(model.to_sql("postgres", keep=[KEY]), rows, TYPES))


@pytest.mark.parametrize("statistic", list(REGRESSORS))
def test_numbers_and_quantiles_are_the_same(statistic, server):
    frame, y = draw_awkward(2, n_classes=4)
    model = clone(REGRESSORS[statistic]).fit(
        frame, y + np.random.default_rng(0).normal(size=len(y))
    )
    rows, levels = draw_new_rows(frame), [0.01, 0.5, 0.99]
    answers = server.run(model.to_sql("postgres", keep=[KEY], quantiles=levels), rows, TYPES)
    X = rows.drop(columns=KEY)
    np.testing.assert_allclose(answers["prediction"].astype(float), model.predict(X), atol=1e-10)
    quantiles = answers.filter(like="quantile_").to_numpy(np.float64)
    np.testing.assert_allclose(quantiles, model.predict_quantiles(X, levels), atol=1e-10)


def test_strings_are_read_in_either_mode(server):
    words = ["back\\slash", "quote\\' OR 1 = 1 --", "plain"]
    X = pd.DataFrame({"w": np.repeat(words, [20, 10, 10])})
    model = NaiveBayesClassifier(calibration=None).fit(X, np.repeat([0, 1], 20))
    rows = pd.DataFrame({"w": [*words, "new"], KEY: range(4)})
    sql = model.to_sql("postgres", keep=[KEY])
    for mode in ("on", "off"):
        before = [f"SET standard_conforming_strings = {mode}"]
        assert_equal(model, rows, server.run(sql, rows, {"w": "text", KEY: "integer"}, before))


@pytest.mark.parametrize("kind", ["text", "varchar(9)", "char(9)", "integer", "numeric(9, 2)"])
def test_categories_of_any_type(kind, server):
    X = pd.DataFrame({"w": np.repeat(["1", "2", "30"], [20, 10, 10])})
    model = NaiveBayesClassifier(calibration=None).fit(X, np.repeat([0, 1], 20))
    rows = pd.DataFrame({"w": ["1", "2", "30", "4", None], KEY: range(5)})
    answers = server.run(model.to_sql("postgres", keep=[KEY]), rows, {"w": kind, KEY: "integer"})
    assert_equal(model, rows, answers)


@pytest.mark.parametrize("kind", ["timestamp", "timestamptz", "date"])
def test_times_of_any_type_and_zone(kind, server):
    """The server is in Tokyo."""
    times = pd.date_range("2024-01-01", periods=40)
    X = pd.DataFrame({"t": times})
    model = NaiveBayesClassifier(numeric="kernel", calibration=None).fit(X, np.repeat([0, 1], 20))
    rows = pd.DataFrame({"t": times[10:25], KEY: range(15)})
    given = rows.assign(t=rows["t"].dt.strftime("%Y-%m-%d 00:00:00+00"))
    answers = server.run(model.to_sql("postgres", keep=[KEY]), given, {"t": kind, KEY: "integer"})
    assert_equal(model, rows, answers)


def test_wide_models(server):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(200, 300)), columns=[f"c{j}" for j in range(300)])
    y = frame.iloc[:, :5].sum(axis=1) > 0
    model = NaiveBayesClassifier(numeric="equal_frequency", calibration=None).fit(frame, y)
    boosted = BoostedNaiveBayesClassifier(n_rounds=20, n_models=2).fit(frame, y)
    rows = frame[:10].assign(**{KEY: range(10)})
    types = dict.fromkeys(frame, "float8") | {KEY: "integer"}
    for fitted in (model, boosted):
        answers = server.run(fitted.to_sql("postgres", keep=[KEY]), rows, types)
        assert_equal(fitted, rows, answers)
