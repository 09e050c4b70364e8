"""Types of parameters that several estimators share, so that editors complete them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

ClassWeight = Literal["balanced"] | Mapping[Any, float] | None
