"""A model that was saved and loaded is exported as it was before."""

from __future__ import annotations

import io

import numpy as np
import pytest
from sklearn.base import clone

import bayfold
from tests.export.models import CLASSIFIERS, REGRESSORS
from tests.export.tables import draw_awkward

pytestmark = pytest.mark.filterwarnings("ignore")


def load_again(model):
    file = io.BytesIO()
    model.save(file, statistics=False)
    return bayfold.load(io.BytesIO(file.getvalue()))


@pytest.mark.parametrize("kind", ["smooth", "kernel", "gaussian", "boosted"])
def test_a_loaded_classifier_is_exported_as_before(kind):
    frame, y = draw_awkward(1)
    model = clone(CLASSIFIERS[kind]).fit(frame, y)
    collapsed = [model.collapse()] if kind == "boosted" else []
    for one in (model, *collapsed):
        loaded = load_again(one)
        assert loaded.to_json() == model.to_json()
        assert loaded.to_sql("postgres", evidence=True) == model.to_sql("postgres", evidence=True)
        assert repr(loaded.to_scorecard()) == repr(model.to_scorecard())


def test_a_loaded_regressor_is_exported_as_before():
    frame, y = draw_awkward(1, n_classes=4)
    model = clone(REGRESSORS["mean"]).fit(frame, y.astype(np.float64))
    assert load_again(model).to_json() == model.to_json()
