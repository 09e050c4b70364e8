"""Fit and predict_proba of all models, interleaved; runs in a process of its own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.data import in_every_library, make_mixed, make_numeric
from benchmarks.measure import Times, median_ratio, time_interleaved
from benchmarks.models import (
    BINNED,
    GAUSSIAN,
    MEMORY_PASS,
    OURS,
    OURS_DEFAULT,
    OURS_GAUSSIAN,
    make_mixed_pipeline,
    make_model,
)

MIXED_PEER = "ColumnTransformer + CategoricalNB"

Record = dict[str, Any]
Maker = Callable[[], Any]


def compare_numeric(
    n_rows: int,
    n_classes: int,
    shape: str,
    n_jobs: int | None,
    with_binned: bool,
    repeats: int,
) -> list[Record]:
    """One record per model for a matrix of 20 numeric columns."""
    X, y = make_numeric(n_rows, n_classes, shape)
    names = [OURS, OURS_DEFAULT, OURS_GAUSSIAN, GAUSSIAN, *([BINNED] if with_binned else [])]
    makers: dict[str, Maker] = {name: partial(make_model, name, n_jobs) for name in names}
    tables = dict.fromkeys(names, X)
    fits, predictions, accuracy = time_models(makers, tables, y, repeats, {MEMORY_PASS: X.sum})
    records = [
        {
            "rows": n_rows,
            "classes": n_classes,
            "shape": shape,
            "model": name,
            "accuracy": accuracy[name],
            **summarise("fit", fits, name, OURS),
            **summarise("predict", predictions, name, OURS),
        }
        for name in names
    ]
    for record in records:
        name = record["model"]
        record["fit_passes"] = median_ratio(fits[name], fits[MEMORY_PASS])
        record["predict_passes"] = median_ratio(predictions[name], predictions[MEMORY_PASS])
    return records


def compare_mixed(n_rows: int, n_jobs: int | None, repeats: int) -> list[Record]:
    """One record per model and dataframe library for a table with strings and missing cells.

    scikit-learn takes no pyarrow tables, so there our time is set against its time on pandas.
    """
    frame, y = make_mixed(n_rows)
    frames = in_every_library(frame)
    labels = [c for c in frame.columns if c.startswith(("string", "flag"))]
    numbers = [c for c in frame.columns if c not in labels]
    ours = {f"{OURS}: {library}": table for library, table in frames.items()}
    peers = {f"{MIXED_PEER}: {library}": frames[library] for library in ("pandas", "polars")}
    makers: dict[str, Maker] = {name: lambda: make_model(OURS, n_jobs) for name in ours}
    makers |= {name: lambda: make_mixed_pipeline(labels, numbers) for name in peers}
    fits, predictions, accuracy = time_models(makers, ours | peers, y, repeats, {})
    records = []
    for library in frames:
        name = f"{OURS}: {library}"
        peer = f"{MIXED_PEER}: {library if library != 'pyarrow' else 'pandas'}"
        records.append(
            {
                "rows": n_rows,
                "library": library,
                "accuracy": accuracy[name],
                "peer_accuracy": accuracy[peer],
                **summarise("fit", fits, peer, name, prefix="peer_"),
                **summarise("predict", predictions, peer, name, prefix="peer_"),
                "fit_seconds": min(fits[name]),
                "predict_seconds": min(predictions[name]),
            }
        )
    return records


def summarise(measure: str, times: Times, name: str, ours: str, prefix: str = "") -> Record:
    """Best seconds of a model, and how many times longer than ours it took in the same round."""
    return {
        f"{prefix}{measure}_seconds": min(times[name]),
        f"{measure}_ratio": median_ratio(times[name], times[ours]),
    }


def time_models(
    makers: dict[str, Maker],
    tables: dict[str, Any],
    y: np.ndarray,
    repeats: int,
    extra: dict[str, Maker],
) -> tuple[Times, Times, dict[str, float]]:
    """Seconds of fit and of predict_proba in every round, and accuracy on the training rows.

    Every model is fitted once before the clock starts: kernels compile, pools start, and the
    predictions need fitted models anyway.
    """
    fitted = {name: make().fit(tables[name], y) for name, make in makers.items()}
    accuracy = {
        name: float((model.predict_proba(tables[name]).argmax(axis=1) == y).mean())
        for name, model in fitted.items()
    }
    fits = {
        name: (lambda name=name, make=make: make().fit(tables[name], y))
        for name, make in makers.items()
    }
    predictions = {
        name: (lambda name=name, model=model: model.predict_proba(tables[name]))
        for name, model in fitted.items()
    }
    return (
        time_interleaved(fits | extra, repeats),
        time_interleaved(predictions | extra, repeats),
        accuracy,
    )
