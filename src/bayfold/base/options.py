"""Types of parameters that several estimators share, so that editors complete them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

ClassWeight = Literal["balanced"] | Mapping[Any, float] | None
Columns = str | int | Sequence[str] | Sequence[int] | Sequence[bool] | np.ndarray | None
"""Columns by name, by position or by mask."""

RandomState = int | np.random.RandomState | None
Missing = Literal["ignore", "category"]
Calibration = Literal["weights", "temperature"] | None
Statistic = Literal["mean", "median"]
Direction = Literal["increasing", "decreasing", "auto"]
Density = Literal["auto", "smooth", "kernel", "mdl", "equal_frequency", "equal_width", "gaussian"]
SmoothingRule = Literal["m_estimate", "laplace", "none", "laplace_declared"] | float | None
Priors = Literal["laplace", "uniform"] | Sequence[float] | np.ndarray | Mapping[Any, float] | None
