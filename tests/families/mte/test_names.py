"""No name decides what is drawn for a missing cell."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bayfold import MTERegressor


def test_another_name_for_a_column_draws_the_same():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(120, 3))
    y = x[:, 0] + 0.5 * rng.normal(size=120)
    frame = pd.DataFrame(x, columns=["a", "b", "c"]).mask(rng.random(x.shape) < [0.1, 0.2, 0.4])
    y[:20] = np.nan
    model = MTERegressor(missing="impute", random_state=0)
    expected = model.fit(frame, y).predict(frame)
    renamed = frame.set_axis(["z", "b", "something"], axis=1)
    np.testing.assert_allclose(model.fit(renamed, y).predict(renamed), expected, rtol=1e-12)
    turned = frame[["c", "a", "b"]]
    np.testing.assert_allclose(model.fit(turned, y).predict(turned), expected, rtol=1e-9)
