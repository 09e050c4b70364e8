"""The same numbers in onnxruntime."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from bayfold import NaiveBayesClassifier
from bayfold.errors import ExportError
from tests.export.engines import KEY
from tests.export.models import CLASSES, CLASSIFIERS, REGRESSORS
from tests.export.runtime import run_onnx
from tests.export.tables import TEXT, draw_awkward, draw_new_rows

onnx = pytest.importorskip("onnx", reason="onnx is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")


def assert_equal(model, X):
    written = model.to_onnx()
    onnx.checker.check_model(written)
    prediction, probabilities = run_onnx(written, X)
    np.testing.assert_allclose(probabilities, model.predict_proba(X), rtol=0, atol=1e-12)
    assert prediction.tolist() == model.predict(X).tolist()


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("kind", list(CLASSIFIERS))
def test_a_runtime_answers_as_python_does(kind, n_classes):
    frame, y = draw_awkward(1, n_classes=n_classes)
    frame[TEXT] = frame[TEXT].replace("", "blank")  # "" is a missing cell in ONNX
    model = clone(CLASSIFIERS[kind]).fit(frame, np.array(CLASSES)[y])
    assert_equal(model, draw_new_rows(frame).drop(columns=KEY))


def test_an_empty_string_that_is_a_category_is_one():
    X = pd.DataFrame({"w": ["", "a"] * 15 + [""] * 10})
    model = NaiveBayesClassifier(calibration=None).fit(X, np.repeat([0, 1], 20))
    assert_equal(model, X)


@pytest.mark.parametrize("labels", [[False, True], [3, 2**40]])
def test_classes_keep_their_type(labels):
    X = pd.DataFrame({"prediction": np.arange(40.0)})
    model = NaiveBayesClassifier().fit(X, np.repeat(labels, 20))
    names = ("prediction_", "probabilities")
    prediction, _ = run_onnx(model.to_onnx(), X, names)
    assert prediction.tolist() == model.predict(X).tolist()


def test_the_mean_of_a_number_is_the_same():
    frame, y = draw_awkward(2, n_classes=4)
    frame[TEXT] = frame[TEXT].replace("", "blank")
    model = clone(REGRESSORS["mean"]).fit(frame, y + np.random.default_rng(0).normal(size=len(y)))
    X = draw_new_rows(frame).drop(columns=KEY)
    prediction, probabilities = run_onnx(model.to_onnx(), X)
    np.testing.assert_allclose(prediction, model.predict(X), atol=1e-10)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, atol=1e-12)
    model.set_params(statistic="median").fit(frame, y)
    with pytest.raises(ExportError, match='must have `statistic="mean"`'):
        model.to_onnx()


def test_a_missing_package_is_named(monkeypatch):
    model = NaiveBayesClassifier().fit([[0.0], [1.0]] * 5, [0, 1] * 5)
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"pip install 'bayfold\[onnx\]'"):
        model.to_onnx()
