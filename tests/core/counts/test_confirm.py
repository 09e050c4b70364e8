"""Columns of many values: confirmed by rows left out, or silent."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bayfold import NaiveBayesClassifier
from bayfold.core.counts.identifiers import find_unconfirmed

pytestmark = pytest.mark.filterwarnings("ignore::bayfold.errors.DataWarning")


def test_noise_and_names_are_not_confirmed_and_what_tells_is():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 600)
    frame = pd.DataFrame(
        {
            "noise": rng.integers(0, 100, 600).astype(str),
            "name": np.arange(600).astype(str),
            "tells": (rng.integers(0, 50, 600) + 50 * y).astype(str),
            "coin": rng.integers(0, 2, 600).astype(str),  # says nothing alone, but is cheap
            "many rows": rng.integers(0, 2, 600).astype(float),
        }
    )
    counts = NaiveBayesClassifier(calibration=None).fit(frame, y).statistics_.counts
    assert find_unconfirmed(counts).tolist() == [True, True, False, False, False]
