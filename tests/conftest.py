"""What all tests share: one hypothesis profile (the same examples on every run, no clock)."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# scikit-learn's array-API checks run only with this, set before scipy is imported
os.environ.setdefault("SCIPY_ARRAY_API", "1")

# what is written to standard error does not depend on whether kernels are compiled already
os.environ.setdefault("BAYFOLD_QUIET", "1")

# the profiler of Dask's workers asks for the frames of all threads, in which Python 3.11 can lock itself up (gh-106883)
os.environ.setdefault("DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED", "False")

settings.register_profile(
    "ci",
    deadline=None,
    derandomize=True,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("ci")
