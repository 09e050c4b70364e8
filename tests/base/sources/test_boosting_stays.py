"""Boosting with the rows on the workers of a Dask cluster."""

from __future__ import annotations

import os
import re
import signal
import time

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from distributed import Client, LocalCluster

from bayfold import BoostedNaiveBayesClassifier
from bayfold.base.sources.fit import SourceFit, SourceOptions
from bayfold.errors import SourceError

pytestmark = [
    pytest.mark.filterwarnings("ignore::bayfold.errors.DataWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]

RNG = np.random.default_rng(0)
N = 24_000
"""More than are learnt here, whatever is drawn."""

NUMBERS = RNG.normal(size=(N, 3))
PLACE = RNG.integers(0, 60, N)
SCORE = NUMBERS[:, 0] + (NUMBERS[:, 1] > 0) * NUMBERS[:, 2] + np.sin(PLACE)
FRAME = pd.DataFrame(
    {
        "u": np.where(RNG.random(N) < 0.1, np.nan, NUMBERS[:, 0]),
        "v": NUMBERS[:, 1],
        "w": NUMBERS[:, 2],
        "place": np.array([f"p{k}" for k in range(60)], object)[PLACE],
        "times": RNG.integers(0, 4, N),
        "y": np.array(["no", "yes"], object)[(SCORE + RNG.logistic(size=N) > 0).astype(int)],
        "z": np.array(["a", "b", "c"], object)[np.digitize(SCORE + RNG.logistic(size=N), [-1, 1])],
    }
)
COLUMNS = ["u", "v", "w", "place"]
X = FRAME[COLUMNS][:1000]

MODELS = {
    "two": (BoostedNaiveBayesClassifier(n_rounds=12, n_models=2), "y"),
    "three": (BoostedNaiveBayesClassifier(n_rounds=4, n_models=1, class_weight="balanced"), "z"),
    "single": (BoostedNaiveBayesClassifier(n_rounds=4, interactions=1, n_models=1), "y"),
    "monotone": (
        BoostedNaiveBayesClassifier(n_rounds=6, n_models=2, monotone={"u": "increasing"}),
        "y",
    ),
}
EACH = pytest.mark.parametrize("name", MODELS)


@pytest.fixture(scope="module")
def client():
    options = {"processes": False, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(n_workers=2, **options) as cluster, Client(cluster) as client:
        yield client


def new(name):
    model, target = MODELS[name]
    return type(model)(**model.get_params(deep=False)), target


def learn_as_one(name, weight=None, **parameters):
    """One worker: threads of this process."""
    model, target = new(name)
    model.set_params(**parameters)
    source = pa.Table.from_pandas(FRAME)
    options = SourceOptions(progress=False)
    roles = {"target": target, "weight": weight, "columns": COLUMNS}
    model._fit_kept(SourceFit(model, source, options=options, **roles))
    return model


def assert_same(found, known):
    assert found.schema_ == known.schema_
    assert found.n_rounds_ == known.n_rounds_
    np.testing.assert_array_equal(found.validation_loss_, known.validation_loss_)
    np.testing.assert_array_equal(found.predict_proba(X), known.predict_proba(X))


@EACH
def test_no_partitioning_changes_the_model(name, client):
    known = learn_as_one(name, "times")
    order = np.random.default_rng(1).permutation(N)
    for n_partitions in (1, 5) if name == "two" else (3,):
        rows = FRAME.iloc[order].reset_index(drop=True)
        model, target = new(name)
        frame = dd.from_pandas(rows, npartitions=n_partitions)
        found = model.fit_source(frame, target, weight="times", columns=COLUMNS)
        assert_same(found, known)


def test_forty_partitions_without_a_client():
    model, target = new("single")
    model.set_params(n_rounds=1)
    model.fit_source(dd.from_pandas(FRAME, npartitions=40), target, columns=COLUMNS)
    assert_same(model, learn_as_one("single", n_rounds=1))


def test_where_all_rows_are_few_the_model_is_that_of_fit(client):
    few = FRAME[:1500]
    model, target = new("two")
    found = model.fit_source(dd.from_pandas(few, npartitions=3), target, columns=COLUMNS)
    assert_same(found, new("two")[0].fit(few[COLUMNS], few[target]))


def test_where_distinct_rows_are_few_the_model_is_that_of_fit(client):
    coarse = FRAME.assign(u=FRAME["u"].round(), v=FRAME["v"].round(), w=FRAME["w"].round())
    coarse["place"] = coarse["place"].str[:2]
    model, target = new("two")
    found = model.fit_source(dd.from_pandas(coarse, npartitions=3), target, columns=COLUMNS)
    known = new("two")[0].set_params(schema=found.schema_)
    assert_same(found, known.fit(coarse[COLUMNS], coarse[target]))


def test_left_out_rows_are_predicted_about_as_well_as_by_fit():
    known = BoostedNaiveBayesClassifier(n_rounds=60, n_models=2, linear=False)
    known.fit(FRAME[COLUMNS], FRAME["y"])
    model = BoostedNaiveBayesClassifier(n_rounds=60, n_models=2)
    source = pa.Table.from_pandas(FRAME)
    roles = {"target": "y", "weight": None, "columns": COLUMNS}
    model._fit_kept(SourceFit(model, source, options=SourceOptions(progress=False), **roles))
    assert model.validation_loss_[-1] == pytest.approx(known.validation_loss_[-1], abs=0.02)
    assert model.staged_predict_proba(X) is not None
    *_, last = model.staged_predict_proba(X)
    np.testing.assert_allclose(last, model.predict_proba(X), atol=1e-9)


def test_what_is_cancelled_leaves_nothing_on_the_cluster(client):
    def stop(n_rounds, *_):
        raise KeyboardInterrupt

    model, target = new("two")
    model.set_params(callback=stop)
    with pytest.raises(KeyboardInterrupt):
        model.fit_source(dd.from_pandas(FRAME, npartitions=2), target, columns=COLUMNS)
    assert not hasattr(model, "n_rounds_")
    for _ in range(50):
        left = client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))
        if not left:
            break
        time.sleep(0.1)
    assert left == 0


def test_a_worker_killed_in_a_round_changes_nothing():
    known = learn_as_one("two")
    model, target = new("two")
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        pids = list(client.run(os.getpid).values())

        def kill_one(n_rounds, *_):
            if n_rounds == 10:
                os.kill(pids.pop(), signal.SIGKILL)

        model.set_params(callback=kill_one)
        model.fit_source(dd.from_pandas(FRAME, npartitions=4), target, columns=COLUMNS)
    assert len(pids) == 1
    assert_same(model, known)


def test_what_needs_all_rows_is_refused_by_name(client):
    texts = FRAME.assign(place=[f"one of {k} words {k % 977} here {k % 31}" for k in range(N)])
    model = BoostedNaiveBayesClassifier(n_rounds=2)
    with pytest.raises(ValueError, match="Column 'place' must not be text where the rows are left"):
        model.fit_source(dd.from_pandas(texts, npartitions=2), "y", columns=COLUMNS)
    with pytest.raises(ValueError, match=re.escape("`groups` must be None where Boosted")):
        model.fit_source(dd.from_pandas(FRAME, npartitions=2), "y", groups="place")
    with pytest.raises(ValueError, match="class"):
        model.fit_source(dd.from_pandas(FRAME.assign(y="a"), npartitions=2), "y", columns=COLUMNS)


def test_rows_that_change_between_passes_are_refused(client):
    def draw(part):
        return part.assign(v=np.random.default_rng().normal(size=len(part)))

    frame = dd.from_pandas(FRAME, npartitions=2)
    changing = frame.map_partitions(draw, meta=frame._meta)
    with pytest.raises(SourceError, match="Got other cells of column 'v'"):
        BoostedNaiveBayesClassifier(n_rounds=2).fit_source(changing, "y", columns=COLUMNS)
