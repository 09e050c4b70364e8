"""Models as sums: what points stand for in a nomogram."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import expit

from bayfold import errors
from bayfold.core.evidence import Records
from bayfold.core.evidence.rows import PRIOR
from bayfold.families.boosting.numbers.answers import NumberAnswers
from bayfold.plot.columns import ShownColumn, read_column, read_evidence
from bayfold.plot.texts import cut_name, write_number

PROBABILITIES = (0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999)

MEANS_READ = 400
"""Sums of points whose prediction is read: between them it is nearly straight."""


@dataclass(frozen=True)
class Answers:
    """Marks along the line of answers: their share of the way, their texts, and what the line shows."""

    shares: np.ndarray
    texts: list[str]
    caption: str


@dataclass(frozen=True)
class Reading:
    """A model as sums: weights of the columns, where sums start, what they stand for, and what pairs add."""

    columns: list[ShownColumn]
    start: float
    answer: Callable[[float, float], Answers]
    pairs: Records
    pair_weights: np.ndarray


def sum_up_classes(model: Any, label: Any, against: Any) -> Reading:
    """The odds of one class against another."""
    evidence = read_evidence(model)
    sides = _choose_sides(model, label, against)
    columns = [_tell_apart(shown, *sides) for shown in _read_columns(model, evidence)]
    prior = model.explain(_nothing(model))
    prior = prior[prior["column"] == PRIOR]["weight"][None]
    pairs = evidence[~np.isin(evidence["column"].astype(str), model.schema_.names)]
    n_shown = len(model.classes_) if len(model.classes_) > 2 else 1
    weight = _subtract(pairs["weight"].reshape(-1, n_shown), *sides)[:, 0]
    named = _describe_sides(model.classes_, sides)
    return Reading(
        columns,
        float(_subtract(prior, *sides)[0, 0]),
        lambda low, high: _mark_probabilities(low, high, named),
        pairs[::n_shown],
        weight,
    )


def sum_up_number(model: NumberAnswers) -> Reading:
    """The location of a number on the scale of its model, and the mean that it stands for at the usual spread.

    Of a rate the logarithm.
    """
    evidence = read_evidence(model)
    if evidence.measure == "shift":
        evidence = Records(evidence.columns | {"shift": evidence["location"]})
    pairs = evidence[~np.isin(evidence["column"].astype(str), model.schema_.names)]
    predictor = model._fitted()
    start, *others = predictor.model.log_prior.tolist()

    def answer(low: float, high: float) -> Answers:
        places = np.linspace(low, high, MEANS_READ)
        scores = np.column_stack([places, *(np.full(MEANS_READ, other) for other in others)])
        return _mark_numbers(places, predictor.read_means(scores))

    return Reading(_read_columns(model, evidence), start, answer, pairs, pairs.effects)


def _read_columns(model: Any, evidence: Records) -> list[ShownColumn]:
    return [
        read_column(model, evidence, j, 30)
        for j, column in enumerate(model.schema_.columns)
        if column.kind != "text"
    ]


def _mark_probabilities(low: float, high: float, label: str) -> Answers:
    odds = np.array([np.log(p / (1 - p)) for p in PROBABILITIES])
    texts = [f"{probability:g}" for probability in PROBABILITIES]
    caption = f"probability of {label}, from {expit(low):.2g} to {expit(high):.4g}"
    return Answers((odds - low) / (high - low), texts, caption)


def _mark_numbers(places: np.ndarray, means: np.ndarray) -> Answers:
    from matplotlib.ticker import MaxNLocator

    ticks = np.asarray(MaxNLocator(12).tick_values(means[0], means[-1]))
    ticks = ticks[(ticks >= means.min()) & (ticks <= means.max())]
    share = (places - places[0]) / (places[-1] - places[0])
    grows, first = np.unique(np.maximum.accumulate(means), return_index=True)
    found = np.interp(ticks, grows, share[first])
    ends = " to ".join(write_number(float(mean)) for mean in means[[0, -1]])
    caption = f"prediction, from {ends}, where errors are as large as usual"
    return Answers(found, [write_number(tick) for tick in ticks.tolist()], caption)


def _choose_sides(model: Any, label: Any, against: Any) -> tuple[int, int]:
    """Positions of the class whose probability is shown, and of the other one."""
    classes = model.classes_.tolist()
    for chosen in (label, against):
        if chosen is not None and chosen not in classes:
            raise errors.no_such_class_to_plot(chosen, classes)
    if label is not None and label == against:
        raise errors.no_such_class_to_plot(against, [each for each in classes if each != label])
    totals = model.summary().classes["count"]
    order = [1, 0] if len(classes) == 2 else np.argsort(-totals, kind="stable").tolist()
    other = None if against is None else classes.index(against)
    first = next(k for k in order if k != other) if label is None else classes.index(label)
    return first, next(k for k in order if k != first) if other is None else other


def _tell_apart(shown: ShownColumn, first: int, second: int) -> ShownColumn:
    """The column with weights for one class against another."""
    weight = _subtract(shown.weight, first, second)
    missing = _subtract(shown.missing_weight[None], first, second)[0]
    curve = shown.curve
    if curve is not None:
        curve = replace(curve, weights=_subtract(curve.weights, first, second))
    return replace(shown, weight=weight, missing_weight=missing, curve=curve)


def _subtract(weights: np.ndarray, first: int, second: int) -> np.ndarray:
    if weights.shape[1] == 1:  # for the second of two classes
        return weights * (first - second)
    return weights[:, [first]] - weights[:, [second]]


def _describe_sides(classes: np.ndarray, sides: tuple[int, int]) -> str:
    first, second = (cut_name(classes[k]) for k in sides)
    return first if len(classes) == 2 else f"{first} where it is {first} or {second}"


def _nothing(model: Any) -> np.ndarray:
    """A row of which nothing is known."""
    from bayfold.core.frames import Table
    from bayfold.core.frames.columns import NullColumn

    names = tuple(model.schema_.names)
    columns = tuple(NullColumn(name, 1) for name in names)
    return Table(columns, 1, names if model.schema_.named else None)  # type: ignore[return-value]
