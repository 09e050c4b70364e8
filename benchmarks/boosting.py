"""Speed of additive boosting against scikit-learn's HistGradientBoosting, both to their own stop.

python -m benchmarks.boosting --output benchmarks/results/boosting.md
"""

from __future__ import annotations

import argparse
import shlex
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import Progress
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import log_loss

from bayfold import BoostedNaiveBayesClassifier
from benchmarks.child import ONE_THREAD, Job, run_job
from benchmarks.data import make_numeric
from benchmarks.measure import median_ratio, time_interleaved
from benchmarks.report import describe_run, format_table, publish

PEER = "HistGradientBoosting"
PREDICT_FASTER = {"interactions=1": 10.0, "interactions=2": 3.0}
THREADS: dict[str, dict[str, str]] = {"threads as by default": {}, "one thread": ONE_THREAD}


def make_models(one_thread: bool) -> dict[str, Any]:
    """Unfitted models by name."""
    n_jobs = 1 if one_thread else None
    return {
        "interactions=1": BoostedNaiveBayesClassifier(interactions=1, n_jobs=n_jobs),
        "interactions=2": BoostedNaiveBayesClassifier(n_jobs=n_jobs),
        PEER: HistGradientBoostingClassifier(),
    }


def measure(n_rows: int, n_classes: int, repeats: int, one_thread: bool) -> list[dict[str, Any]]:
    """Times of fit and predict_proba, the models in turn; the log-loss on rows of their own."""
    X, y = make_numeric(n_rows + n_rows // 10, n_classes)
    new, truth = X[n_rows:], y[n_rows:]
    X, y = X[:n_rows], y[:n_rows]
    models = make_models(one_thread)
    for model in models.values():  # compiles
        model.fit(X[:2000], y[:2000]).predict_proba(X[:2000])
    fits = time_interleaved({t: partial(m.fit, X, y) for t, m in models.items()}, repeats)
    predictions = time_interleaved(
        {t: partial(m.predict_proba, X) for t, m in models.items()}, max(repeats, 3)
    )
    return [
        {
            "model": title,
            "rounds": int(getattr(model, "n_rounds_", 0) or model.n_iter_),
            "fit": fits[title],
            "predict": predictions[title],
            "loss": float(log_loss(truth, model.predict_proba(new), labels=np.arange(n_classes))),
        }
        for title, model in models.items()
    ]


def tabulate(records: list[dict[str, Any]]) -> str:
    """Seconds, and ratios within rounds: how many times faster than the peer."""
    peer = next(record for record in records if record["model"] == PEER)
    rows = []
    for record in records:
        fit = median_ratio(peer["fit"], record["fit"])
        predict = median_ratio(peer["predict"], record["predict"])
        needed = PREDICT_FASTER.get(record["model"])
        verdict = "" if needed is None else "yes" if fit >= 1 and predict >= needed else "no"
        rows.append(
            [
                record["model"],
                str(record["rounds"]),
                f"{min(record['fit']):.2f}",
                f"{fit:.2f}",
                f"{min(record['predict']):.3f}",
                f"{predict:.1f}",
                "" if needed is None else f"1 and {needed:g}",
                verdict,
                f"{record['loss']:.4f}",
            ]
        )
    header = ["model", "rounds", "fit, s", f"{PEER}'s fit / this", "predict_proba, s"]
    header += [f"{PEER}'s predict_proba / this", "required", "reached", "log-loss"]
    return format_table(header, rows)


def main() -> None:
    """Measure and print, or write to a file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=float, default=1e6)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", choices=["default", "one", "both"], default="both")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    n_rows = int(arguments.rows)
    chosen = {
        title: environment
        for title, environment in THREADS.items()
        if arguments.threads == "both" or arguments.threads in title
    }
    parts = ["# Speed of additive boosting"]
    parts.append(describe_run(shlex.join(["python", "-m", "benchmarks.boosting", *sys.argv[1:]])))
    parts.append(
        "Each model runs to its own stop; times are of the best round, ratios medians of rounds."
    )
    console = Console(stderr=True)
    jobs = [(threads, n_classes) for threads in chosen for n_classes in (2, 10)]
    with Progress(console=console, disable=not console.is_terminal) as progress:
        for threads, n_classes in progress.track(jobs, description="boosting"):
            title = f"{n_rows:,} x 20, {n_classes} classes, {threads}"
            how = {"n_rows": n_rows, "n_classes": n_classes, "repeats": arguments.repeats}
            how["one_thread"] = threads == "one thread"
            job = Job(title, "benchmarks.boosting:measure", how, chosen[threads])
            parts += [f"## {title}", tabulate(run_job(job))]
    report = "\n\n".join(parts) + "\n"
    publish(report, arguments.output)


if __name__ == "__main__":
    main()
