"""What a model goes by, column by column, strongest first."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_regressor

from bayfold.core.evidence import Records

SHOWN_COLUMNS = 40
"""Columns that are shown; the strength of the fortieth is not worth scrolling for."""
MOST_BARS = 24
"""Bins that have a bar each; more are drawn as a line."""
EXPLAINED_ROWS = 400
"""Rows from which the mean effect of a column is taken where a model has no tables."""


def gather_evidence(model: Any, X: Any) -> dict[str, Any] | None:
    """The weights of every bin, or, of models that explain rows only, the mean effect of each column."""
    tables = getattr(model, "evidence_", None)
    if tables is not None and "total" in tables.names:  # those of a tree are many, one set per leaf
        return _from_tables(tables)
    try:
        explain = getattr(model, "explain", None)
        records = None if explain is None else explain(_first_rows(X))
    except AttributeError:  # a way of boosting that does not add up
        return None
    return None if records is None else _from_rows(records, is_regressor(model))


def _from_tables(records: Records) -> dict[str, Any]:
    names = list(dict.fromkeys(records["column"]))
    columns = [_one_column(name, records.where(column=name)) for name in names]
    columns = sorted((c for c in columns if c["bins"]), key=lambda c: -c["strength"])
    classes = [str(c) for c in dict.fromkeys(records["class"])]
    most = max((abs(w) for c in columns for b in c["bins"] for w in b["weights"]), default=0.0)
    return {
        "kind": "tables",
        "classes": classes,
        "most": float(most) or 1.0,
        "left_out": [c["name"] for c in columns[SHOWN_COLUMNS:]],
        "columns": columns[:SHOWN_COLUMNS],
    }


def _one_column(name: str, records: Records) -> dict[str, Any]:
    """Bins with one weight per class; a bin in which no row lies is left out."""
    weight, total = records["weight"].astype(np.float64), records["total"].astype(np.float64)
    bins: dict[str, dict[str, Any]] = {}
    for k, label in enumerate(records["bin"]):
        entry = bins.setdefault(
            str(label), {"bin": str(label), "total": float(total[k]), "weights": []}
        )
        entry["weights"].append(float(np.nan_to_num(weight[k])))
    kept = [each for each in bins.values() if each["total"] > 0]
    rows = sum(each["total"] for each in kept) or 1.0
    strength = sum(each["total"] * np.mean(np.abs(each["weights"])) for each in kept) / rows
    as_line = len(kept) > MOST_BARS and _is_numeric(records)
    return {
        "name": str(name),
        "strength": float(strength),
        "as_line": as_line,
        "n_bins": len(kept),
        "bins": kept if as_line else _strongest(kept),
    }


def _strongest(bins: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The bins that tell most, in their order: those of two columns may be hundreds."""
    ranked = sorted(bins, key=lambda each: -max(map(abs, each["weights"]), default=0.0))
    chosen = {each["bin"] for each in ranked[:MOST_BARS]}
    return [each for each in bins if each["bin"] in chosen]


def _is_numeric(records: Records) -> bool:
    return "lower" in records.names and bool(np.isfinite(records["upper"].astype(np.float64)).any())


def _from_rows(records: Records, is_number: bool) -> dict[str, Any]:
    measure = "shift" if is_number else "weight"
    is_cell = records["column"] != "(prior)"
    names, size = records["column"][is_cell], np.abs(records[measure][is_cell].astype(np.float64))
    means = {str(n): float(size[names == n].mean()) for n in dict.fromkeys(names)}
    ordered = sorted(means.items(), key=lambda pair: -pair[1])
    return {
        "kind": "effects",
        "measure": measure,
        "most": max(means.values(), default=0.0) or 1.0,
        "left_out": [name for name, _ in ordered[SHOWN_COLUMNS:]],
        "columns": [{"name": n, "effect": effect} for n, effect in ordered[:SHOWN_COLUMNS]],
    }


def _first_rows(X: Any) -> Any:
    return X.slice(0, EXPLAINED_ROWS) if hasattr(X, "slice") else X[:EXPLAINED_ROWS]
