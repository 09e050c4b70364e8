"""What a new process pays: importing, compiling, loading compiled code."""

from __future__ import annotations

import statistics
import tempfile
import time

from benchmarks.child import Job, run_job


def measure_first_calls() -> dict[str, float]:
    """Seconds of fit and predict_proba on 1,000 rows with an empty cache, then with a full one."""
    with tempfile.TemporaryDirectory() as cache:
        job = Job(
            "first call", "benchmarks.startup:time_first_call", {}, {"NUMBA_CACHE_DIR": cache}
        )
        return {"empty cache": run_job(job), "warm cache": run_job(job)}


def time_first_call() -> float:
    """Seconds of the first fit and predict_proba of this process, imports not counted."""
    from benchmarks.data import make_numeric
    from benchmarks.models import OURS, make_model

    X, y = make_numeric(1_000, 2)
    start = time.perf_counter()
    make_model(OURS).fit(X, y).predict_proba(X)
    return time.perf_counter() - start


def measure_imports(repeats: int) -> dict[str, float]:
    """Median seconds of importing scikit-learn's naive Bayes, and of bayfold after it."""
    job = Job("imports", "benchmarks.startup:time_imports")
    run_job(job)  # byte-compiles and brings the files into the disk cache
    pairs = [run_job(job) for _ in range(repeats)]
    return {
        "sklearn.naive_bayes": statistics.median(first for first, _ in pairs),
        "bayfold after it": statistics.median(second for _, second in pairs),
    }


def time_imports() -> tuple[float, float]:
    """Seconds of the two imports; this module imports neither library by itself."""
    start = time.perf_counter()
    import sklearn.naive_bayes  # noqa: F401

    middle = time.perf_counter()
    from bayfold import NaiveBayesClassifier  # noqa: F401

    return middle - start, time.perf_counter() - middle
