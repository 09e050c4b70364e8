"""Law 12: the weight shown for a bin is the mean of what its training rows get, and it says so of each class's rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bayfold import BoostedNaiveBayesClassifier, NaiveBayesClassifier
from benchmarks.world_tables import draw_world

pytestmark = pytest.mark.filterwarnings("ignore::bayfold.errors.DataWarning")

KEYS = ["column", "bin", "class"]
MODELS = (NaiveBayesClassifier(), BoostedNaiveBayesClassifier(interactions=1, random_state=0))


def compare(model, X, y):
    """What is shown of each bin that has rows, beside the mean over its rows, their number, and those of the class."""
    evidence = model.evidence_.to_frame()
    explained = model.explain(X).to_frame()
    explained["own"] = np.repeat(y, len(explained) // len(y)) == explained["class"]
    of_bin = explained.groupby(KEYS)
    used = of_bin.agg(used=("weight", "mean"), rows=("weight", "size"), own=("own", "sum"))
    return evidence[evidence["total"] > 0].set_index(KEYS).join(used)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("seed", range(4))
def test_the_weight_of_a_bin_is_the_mean_of_its_rows(model, seed):
    world = draw_world(seed, "classes", 600, "sum")
    X = world.X.iloc[: world.n_train, :12]
    y = world.y[: world.n_train]
    shown = compare(model.fit(X, y), X, y)
    np.testing.assert_allclose(shown["weight"], shown["used"], atol=1e-9)
    np.testing.assert_array_equal(shown["total"], shown["rows"])
    np.testing.assert_array_equal(shown["count"], shown["own"])


def test_a_few_large_numbers_that_tell_are_not_hidden_among_those_that_do_not():
    """Most numbers are zero, and of the others only the largest tell: the bin of the largest says what they say."""
    rng = np.random.default_rng(0)
    size = rng.integers(1, 100, 4000) * np.where(rng.random(4000) < 0.1, 1000, 0)
    y = np.where(size > 50_000, rng.random(4000) < 0.95, rng.random(4000) < 0.2)
    X = pd.DataFrame({"gain": size, "noise": rng.normal(size=4000)})
    model = NaiveBayesClassifier().fit(X, y)
    shown = model.evidence_.where(column="gain")
    top = shown[shown["upper"] == np.inf]
    assert top["count"][0] / top["total"][0] > 0.8
    assert top["weight"][0] > 2


def test_the_pictures_the_report_and_the_scorecard_show_the_same():
    world = draw_world(0, "classes", 600, "one")
    X = world.X.iloc[: world.n_train]
    model = NaiveBayesClassifier().fit(X, world.y[: world.n_train])
    card = model.to_scorecard(points_to_double_odds=1000 * np.log(2))
    score = card.score(X) - card.offset
    np.testing.assert_allclose(score / 1000, model.decision_function(X), atol=1e-2)
