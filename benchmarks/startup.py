"""What a new process pays: importing, compiling, loading compiled code.

``python -m benchmarks.startup [NaiveBayesClassifier ...]`` prints per estimator the CPU seconds of import, first fit
and first predict of a small mixed pandas table with an empty and with a full cache, how many functions numba lowered,
and the kernels that took longest.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.child import Job, run_job

ESTIMATORS = (
    "NaiveBayesClassifier",
    "NaiveBayesRegressor",
    "BoostedNaiveBayesClassifier",
    "BoostedNaiveBayesRegressor",
    "AdaBoostNaiveBayesClassifier",
    "AveragedOneDependenceClassifier",
    "ClassDecompositionClassifier",
    "NaiveBayesTreeClassifier",
    "ViaRegressionClassifier",
    "MTERegressor",
    "NaiveBayesMixture",
    "NaiveBayesImputer",
)
SHOWN_KERNELS = 10
HEADING = """# A cold and a warm start

Written by `python -m benchmarks.startup --output benchmarks/results/startup.md`: CPU seconds of import, first fit and
first predict of a small mixed table, with an empty and with a full cache of kernels, and how many functions numba
compiled.

| estimator | cold | warm | functions |
| --- | ---: | ---: | ---: |"""


def measure_start(estimator: str) -> dict[str, Any]:
    """What ``start`` returns for an empty cache, and the CPU seconds with a full one."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {"NUMBA_CACHE_DIR": cache, "BAYFOLD_QUIET": "1"}
        job = Job(estimator, "benchmarks.startup:start", {"estimator": estimator}, environment)
        cold = run_job(job)
        return cold | {"warm": run_job(job)["seconds"]}


def start(estimator: str) -> dict[str, Any]:
    """CPU seconds of import, first fit and first predict in this process, functions lowered, seconds by kernel."""
    from numba.core import event

    X, y = make_small_table(estimator)
    with event.install_recorder("numba:run_pass") as passes, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = time.process_time()
        use(estimator, X, y)
        seconds = time.process_time() - before
    return {"seconds": seconds, **sum_passes(passes.buffer)}


def make_small_table(estimator: str) -> tuple[Any, Any]:
    """Numbers, strings, booleans and gaps, and the kind of target that the estimator takes."""
    from benchmarks.walk import make_table

    X, classes, numbers = make_table()
    X.loc[::20, "city"] = None
    return X, numbers if estimator.endswith("Regressor") else classes


def use(estimator: str, X: Any, y: Any) -> None:
    """Fit with the default parameters and a fixed seed, then ask what people ask first."""
    import bayfold

    model = getattr(bayfold, estimator)()
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    model.fit(X, y)
    ask = getattr(model, "predict", None) or model.transform
    ask(X)
    if hasattr(model, "predict_proba"):
        model.predict_proba(X)


def sum_passes(passes: list[tuple[float, Any]]) -> dict[str, Any]:
    """Functions lowered, and the seconds by the clock of each function without those of the functions it calls."""
    lowered = 0
    of_function: Counter[str] = Counter()
    running: list[str] = []
    last = 0.0
    for moment, found in passes:
        if running:
            of_function[running[-1]] += moment - last
        last = moment
        if found.is_start:
            running.append(found.data["qualname"])
            lowered += found.data["name"].startswith("native_lowering")
        else:
            running.pop()
    return {"lowered": lowered, "functions": of_function.most_common()}


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


def main() -> None:
    """Print the table of all estimators, or of those named, and their dearest functions."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("estimators", nargs="*", default=ESTIMATORS)
    parser.add_argument("--shown", type=int, default=SHOWN_KERNELS, help="functions to list")
    parser.add_argument("--output", type=Path, help="file for the table, without the functions")
    arguments = parser.parse_args()
    lines = [HEADING]
    print(f"{'estimator':32s} {'cold':>6s} {'warm':>6s} {'lowered':>8s}")
    for estimator in arguments.estimators:
        found = measure_start(estimator)
        print(f"{estimator:32s} {found['seconds']:6.1f} {found['warm']:6.1f} {found['lowered']:8d}")
        lines.append(
            f"| {estimator} | {found['seconds']:.1f} | {found['warm']:.1f} | {found['lowered']} |"
        )
        for name, seconds in found["functions"][: arguments.shown]:
            print(f"    {seconds:5.2f}  {name}", flush=True)
        if arguments.output:
            arguments.output.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
