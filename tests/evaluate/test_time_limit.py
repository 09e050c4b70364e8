"""Models that would take too long are left out of a comparison, and named."""

from __future__ import annotations

import time

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor

from bayfold.errors import DataWarning
from bayfold.evaluate import cross_validate, cross_validate_regressors, summarise


class SlowClassifier(DummyClassifier):
    """Takes a second."""

    n_fits = 0

    def fit(self, X, y, sample_weight=None):
        SlowClassifier.n_fits += 1
        time.sleep(1.0)
        return super().fit(X, y, sample_weight)


X = np.zeros((60, 1))
y = np.arange(60) % 2


def test_a_slow_model_is_left_out_after_its_first_fold():
    SlowClassifier.n_fits = 0
    models = {"slow": SlowClassifier(), "quick": DummyClassifier()}
    with pytest.warns(DataWarning, match="more than 2 seconds: slow"):
        result = cross_validate(models, X, y, n_repeats=1, n_folds=3, time_limit=2)
    assert SlowClassifier.n_fits == 1
    assert result.models == ["quick"]
    assert len(result.predicted) == len(result.loss) == len(result.measures["auc"]) == 1
    assert summarise(result)["model"].tolist() == ["quick"]


def test_without_a_limit_or_within_it_all_models_are_judged():
    models = {"slow": SlowClassifier(), "quick": DummyClassifier()}
    for limit in (None, 3600):
        result = cross_validate(models, X, y, n_repeats=1, n_folds=2, time_limit=limit)
        assert result.models == ["slow", "quick"]


@pytest.mark.parametrize("limit", [-1, "soon"])
def test_a_limit_is_a_number_of_seconds(limit):
    with pytest.raises((TypeError, ValueError), match="`time_limit` must be"):
        cross_validate_regressors({"m": DummyRegressor()}, X, y, time_limit=limit)


def test_no_model_in_time_is_an_error():
    models = {"slow": SlowClassifier()}
    with (
        pytest.warns(DataWarning, match="slow"),
        pytest.raises(ValueError, match="`time_limit` must be enough for one model"),
    ):
        cross_validate(models, X, y, n_repeats=1, n_folds=2, time_limit=0.001)
