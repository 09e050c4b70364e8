"""What a model goes by, column by column, strongest first."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

import numpy as np

from bayfold.core.evidence import Records
from bayfold.core.frames.times import name_zone
from bayfold.plot.texts import shorten_names

SHOWN_COLUMNS = 40
"""Columns that are shown; the strength of the fortieth is not worth scrolling for."""
SHOWN_PAIRS = 8
"""Pairs of columns that are shown, each as a picture of up to some hundred cells."""
COLOURED_CLASSES = 6
"""Classes whose weights are shown side by side: as many colours can be told apart."""
BAR_LETTERS = 22
"""Of a category beside a bar."""
MOST_BARS = 24
"""Bins that have a bar each; more are drawn as steps."""
SEEN_ROWS = 0.99
"""Share of a column's rows whose bars are drawn to their length; those of the last hundredth may be cut."""
EXPLAINED_ROWS = 400
"""Rows from which the mean effect of a column is taken where a model has no tables."""
CLOCK = re.compile(r"(?<=\d{4}-\d\d-\d\d) \d\d:\d\d(:\d\d)?")
"""The time of day behind a date."""
ONE_DAY = re.compile(r"(\d{4}-\d\d-\d\d) to \1")
"""An interval within a day."""
BOUNDS = ("low", "high")
"""Columns of records: of two classes and of numbers they are drawn beside the weights."""
BETWEEN = " & "
"""Stands between the two bins of a pair."""


def gather_evidence(model: Any, X: Any, names: Collection[str]) -> dict[str, Any] | None:
    """The weights of every bin, or, of models that explain rows only, the mean effect of each column."""
    tables = getattr(model, "evidence_", None)
    if isinstance(tables, Records) and _is_by_column(tables):
        return _from_tables(tables, names, _find_zones(model))
    records = find_row_evidence(model, _first_rows(X))
    return None if records is None else _from_rows(records)


def find_row_evidence(model: Any, rows: Any) -> Records | None:
    """What a model goes by in some rows; None where it does not explain rows."""
    try:
        explain = getattr(model, "explain", None)
        return None if explain is None else explain(rows)
    except (AttributeError, NotImplementedError):  # a way of boosting that does not add up
        return None


def _is_by_column(records: Records) -> bool:
    """Whether records are weights of classes, or of one number; not so where each class has a regressor."""
    names = set(records.names)
    of_number = names & {"shift", "factor"} and "class" not in names
    return {"total", "class", "weight"} <= names or bool(of_number)


def _find_zones(model: Any) -> dict[str, str]:
    """The zone of each column of times that has one."""
    columns = getattr(getattr(model, "schema_", None), "columns", ())
    zones = {column.name: getattr(column, "zone", None) for column in columns}
    return {name: name_zone(zone) for name, zone in zones.items() if zone}


def _from_tables(records: Records, names: Collection[str], zones: dict[str, str]) -> dict[str, Any]:
    measure = records.measure
    records = _as_weights(records, measure)
    classes = list(dict.fromkeys(records["class"].tolist()))
    shown = _largest(records, classes) if len(classes) > COLOURED_CLASSES else classes
    kept = records.where(**{"class": shown}) if len(shown) < len(classes) else records
    found = [
        _one_column(name, part, shown, names, zones.get(name, ""))
        for name, part in _by_column(kept)
    ]
    ranked = sorted((c for c in found if c["bins"]), key=lambda c: -c["strength"])
    columns = [column for column in ranked if column["strength"] > 0]
    pairs = [column["name"] for column in columns if column["shape"] == "pair"]
    fit = [column for column in columns if column["name"] not in pairs[SHOWN_PAIRS:]]
    most = max((_usual_weight(c["bins"]) for c in columns), default=0.0)
    return {
        "kind": "tables",
        "measure": measure,
        "classes": [str(each) for each in shown],
        "hidden_classes": len(classes) - len(shown),
        "most": float(most) or 1.0,
        "left_out": len(columns) - len(fit[:SHOWN_COLUMNS]),
        "silent": [column["name"] for column in ranked[len(columns) :]],
        "order": [column["name"] for column in ranked],
        "columns": fit[:SHOWN_COLUMNS],
    }


def _as_weights(records: Records, measure: str) -> Records:
    """The same columns for all models: shifts, and logarithms of factors, are the weights of one number."""
    if measure == "weight":
        return records
    total = records.sizes
    columns = {name: records[name] for name in ("column", "bin", "lower", "upper")}
    one = np.full(len(records), "", object)
    columns |= {"class": one, "count": total, "total": total, "weight": records.effects}
    for name in BOUNDS:
        bounds = records[name]
        columns[name] = np.log(bounds) if measure == "factor" else bounds
    return Records(columns)


def _by_column(records: Records) -> list[tuple[str, Records]]:
    """The records of each column, which stand together."""
    names = records["column"]
    starts = np.flatnonzero(np.append(True, names[1:] != names[:-1]))
    ends = np.append(starts[1:], len(names))
    return [(str(names[a]), records[a:b]) for a, b in zip(starts, ends, strict=True)]


def _largest(records: Records, classes: list) -> list:
    """The classes of most rows, in their order."""
    count = records["count"].astype(np.float64)
    rows = [count[records["class"] == each].sum() for each in classes]
    kept = sorted(np.argsort(rows, kind="stable")[::-1][:COLOURED_CLASSES])
    return [classes[k] for k in kept]


def _one_column(
    name: str, records: Records, classes: list, names: Collection[str], zone: str
) -> dict[str, Any]:
    """Bins with one weight per class; a bin in which no row lies is left out."""
    kept = _gather_bins(records, classes)
    rows = sum(each["total"] for each in kept) or 1.0
    strength = sum(each["total"] * _mean_weight(each) for each in kept) / rows
    n_sides = {each["bin"].count(BETWEEN) for each in kept}
    is_pair = name not in names and n_sides in ({1}, {2})
    as_steps = len(kept) > MOST_BARS and any(each["upper"] is not None for each in kept)
    shape = "pair" if is_pair else "steps" if as_steps else "bars"
    return {
        "name": name,
        "strength": float(strength),
        "shape": shape,
        "n_bins": len(kept),
        "zone": zone,
        "bins": _label_bars(_strongest(kept), zone) if shape == "bars" else kept,
        "axes": _find_axes(records, kept) if shape == "pair" else None,
    }


def _find_axes(records: Records, kept: list[dict[str, Any]]) -> list[list[str]]:
    """The bins of both columns of a pair, in their order: that of all cells, those without a row among them.

    Of three columns the first two are one side.
    """
    cells = [str(label).rsplit(BETWEEN, 1) for label in dict.fromkeys(records["bin"].tolist())]
    held = [each["bin"].rsplit(BETWEEN, 1) for each in kept]
    axes = []
    for side in (0, 1):
        known = {cell[side] for cell in held}
        axes.append([label for label in dict.fromkeys(c[side] for c in cells) if label in known])
    return axes


def _gather_bins(records: Records, classes: list) -> list[dict[str, Any]]:
    """The bins with the weight of each class; None where a class has none, as of a word that only others list."""
    weight = records["weight"].astype(np.float64)
    total = records["total"].astype(np.float64)
    upper = records["upper"].astype(np.float64) if "upper" in records.names else np.nan * weight
    low, high = (records[name].astype(np.float64) for name in BOUNDS)
    place = {label: k for k, label in enumerate(classes)}
    bins: dict[str, dict[str, Any]] = {}
    for k, (label, spoken) in enumerate(zip(records["bin"], records["class"], strict=True)):
        new: dict[str, Any] = {
            "bin": str(label),
            "upper": float(upper[k]) if np.isfinite(upper[k]) else None,
            "total": float(total[k]),
            "weights": [None] * len(classes),
            "bounds": [float(low[k]), float(high[k])] if np.isfinite(high[k] - low[k]) else None,
        }
        weights = bins.setdefault(str(label), new)["weights"]
        weights[place[spoken]] = float(np.nan_to_num(weight[k]))
    return [each for each in bins.values() if each["total"] > 0]


def _sizes(each: dict[str, Any]) -> list[float]:
    return [abs(weight) for weight in each["weights"] if weight is not None]


def _mean_weight(each: dict[str, Any]) -> float:
    return float(np.mean(_sizes(each))) if _sizes(each) else 0.0


def _largest_weight(each: dict[str, Any]) -> float:
    return max(_sizes(each), default=0.0)


def _usual_weight(bins: list[dict[str, Any]]) -> float:
    """The largest weight of a column but for its rarest bins: one of a few rows would make all other bars invisible."""
    sizes = np.array([_largest_weight(each) for each in bins])
    rows = np.array([each["total"] for each in bins])
    order = np.argsort(sizes)
    share = np.cumsum(rows[order]) / max(float(rows.sum()), 1.0)
    place = min(int(np.searchsorted(share, SEEN_ROWS)), len(order) - 1)
    return float(sizes[order[place]])


def _strongest(bins: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The bins that tell most, in their order: there may be hundreds of categories."""
    ranked = sorted(bins, key=lambda each: -_largest_weight(each))
    chosen = {each["bin"] for each in ranked[:MOST_BARS]}
    return [each for each in bins if each["bin"] in chosen]


def _label_bars(bins: list[dict[str, Any]], zone: str) -> list[dict[str, Any]]:
    """Bins with labels that fit beside a bar, and differ where the bins do; intervals are never cut."""
    labels = [each["bin"].removesuffix(f" {zone}") for each in bins]
    labels = drop_clocks(labels)
    if all(each["upper"] is None for each in bins):
        labels = shorten_names(labels, BAR_LETTERS)
    return [each | {"label": label} for each, label in zip(bins, labels, strict=True)]


def drop_clocks(labels: list[str]) -> list[str]:
    """Labels with days instead of moments, where days are enough to tell the bins apart.

    >>> drop_clocks(["< 2024-02-07 05:37:31", "2024-02-07 05:37:31 to 2024-03-13 08:17:26"])
    ['< 2024-02-07', '2024-02-07 to 2024-03-13']
    """
    days = [CLOCK.sub("", label) for label in labels]
    is_enough = len(set(days)) == len(set(labels)) and not any(map(ONE_DAY.search, days))
    return days if is_enough else labels


def _from_rows(records: Records) -> dict[str, Any]:
    measure = records.measure
    means = mean_effects(records)
    ranked = sorted(means.items(), key=lambda pair: -pair[1])
    ordered = [(name, effect) for name, effect in ranked if effect > 0]
    return {
        "kind": "effects",
        "measure": measure,
        "most": max(means.values(), default=0.0) or 1.0,
        "left_out": len(ordered[SHOWN_COLUMNS:]),
        "silent": [name for name, _ in ranked[len(ordered) :]],
        "order": [name for name, _ in ranked],
        "columns": [{"name": n, "effect": effect} for n, effect in ordered[:SHOWN_COLUMNS]],
    }


def mean_effects(records: Records) -> dict[str, float]:
    """The mean absolute effect of each column."""
    is_cell = records["column"] != "(prior)"
    names = records["column"][is_cell]
    size = np.abs(records.effects[is_cell])
    return {str(n): float(size[names == n].mean()) for n in dict.fromkeys(names)}


def _first_rows(X: Any) -> Any:
    return X.slice(0, EXPLAINED_ROWS) if hasattr(X, "slice") else X[:EXPLAINED_ROWS]
