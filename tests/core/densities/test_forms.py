"""Terms as plain numbers say what the kernels say, at every edge and beside it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayfold import NaiveBayesClassifier, NaiveBayesRegressor
from bayfold.core.frames import read_table
from bayfold.core.kernels.encode import FIRST_BIN, MISSING
from bayfold.core.scoring import Scorer
from tests.laws.tables import seeds

pytestmark = pytest.mark.filterwarnings("ignore")


def evaluate(form, x):
    """The scores of numbers by a form."""
    bins = np.searchsorted(form.edges, x, side="right")
    code = np.where(np.isnan(x), MISSING, FIRST_BIN + bins)
    scores = form.table[code]
    if form.line is None:
        return scores
    line = form.line
    share = np.clip((x - line.origins[code]) * line.slopes[code] - line.offsets[code], 0.0, 1.0)
    return scores + np.nan_to_num(share)[:, None] * line.rises[code]


def assert_as_the_kernel(model, plain, centred):
    """At the edges of the form, beside them, far out and where nothing is known."""
    edges = plain.columns[0].form.edges
    beside = [edges, np.nextafter(edges, -np.inf), np.nextafter(edges, np.inf)]
    x = np.concatenate([*beside, [-1e300, 1e300, 0.0, np.nan]])
    predictor = model._fitted()
    scorer = Scorer(predictor.model, centred=centred)
    expected = predictor.score(read_table(pd.DataFrame({"x": x})), scorer=scorer)
    found = plain.intercept + evaluate(plain.columns[0].form, x)
    if not centred:  # a constant per cell is left out
        expected, found = (s - s.max(axis=1, keepdims=True) for s in (expected, found))
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)


def draw_numbers(seed, shift):
    """Numbers of which some repeat, near each other or far from zero."""
    rng = np.random.default_rng(seed)
    x = np.where(rng.random(120) < 0.3, np.round(rng.normal(size=120)), rng.normal(size=120))
    return shift + x * max(abs(shift), 1.0) * 1e-3


shifts = st.sampled_from([0.0, 1.0, -1e6, 1e12])


@given(seeds, shifts, st.sampled_from(["smooth", "kernel", "mdl", "equal_frequency"]))
@settings(max_examples=25)
def test_forms_of_classifiers(seed, shift, numeric):
    x = draw_numbers(seed, shift)
    y = np.argsort(np.argsort(x)) + np.random.default_rng(seed).normal(0, 30, len(x)) > 60
    model = NaiveBayesClassifier(numeric=numeric, missing="category")
    model.fit(pd.DataFrame({"x": np.where(np.arange(120) % 9 == 0, np.nan, x)}), y)
    assert_as_the_kernel(model, model._plain_model(), centred=True)


@given(seeds, shifts, st.sampled_from(["auto", "frank1998"]))
@settings(max_examples=8)
def test_forms_of_regressors(seed, shift, bandwidth):
    x = draw_numbers(seed, shift)
    model = NaiveBayesRegressor(bandwidth=bandwidth, grid_size=12)
    model.fit(pd.DataFrame({"x": x}), np.argsort(np.argsort(x)) % 50)
    assert_as_the_kernel(model, model._plain_model(), centred=False)
