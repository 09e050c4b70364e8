"""From scores to classes and their probabilities, in SQL."""

from __future__ import annotations

import numpy as np

from bayfold.export.dialects import SqlDialect
from bayfold.export.plain import PlainModel, check_classes
from bayfold.export.sql_stages import Stages
from bayfold.export.sql_terms import write_sum

LARGEST_EXPONENT = 300.0
"""An exponential that is nothing beside one, and whose square is still a float: PostgreSQL calls others an error."""

Answers = dict[str, str]


def answer_classes(model: PlainModel, stages: Stages, carried: list[str]) -> Answers:
    """The predicted class and the probability of each class."""
    assert model.classes is not None
    dialect, classes = stages.dialect, model.classes
    check_classes(classes, "SQL", "strings, booleans or numbers")
    names = ["prediction", *(f"probability_{label}" for label in classes)]
    if len(classes) == 1:
        answers = [dialect.literal(classes[0]), dialect.number(1.0)]
    elif len(classes) == 2:
        answers = _answer_two(model, dialect)
    else:
        prior = model.prior if not model.is_finite else None
        add_masses(stages, model.n_scores, carried, prior)
        answers = [_write_best(model, dialect)]
        answers += [f"m{g} / total" for g in range(len(classes))]
    return dict(zip(names, answers, strict=True))


def _answer_two(model: PlainModel, dialect: SqlDialect) -> list[str]:
    assert model.classes is not None
    first, second = map(dialect.literal, model.classes)
    one = dialect.number(1.0)
    odds = dialect.clip("s0", -LARGEST_EXPONENT, LARGEST_EXPONENT)
    best = f"CASE WHEN s0 > 0 THEN {second} ELSE {first} END"
    shares = [f"{one} / ({one} + exp({odds}))", f"{one} / ({one} + exp(-{odds}))"]
    if model.is_finite:
        return [best, *shares]
    likely = second if model.prior[1] > model.prior[0] else first
    impossible = f"CASE WHEN {dialect.is_nan('s0')} THEN"
    by_prior = [f"{impossible} {likely} ELSE {best} END"]
    for share, prior in zip(shares, model.prior, strict=True):
        by_prior.append(f"{impossible} {dialect.number(prior)} ELSE {share} END")
    return by_prior


def _write_best(model: PlainModel, dialect: SqlDialect) -> str:
    """The first class whose score is the highest."""
    assert model.classes is not None
    labels = list(map(dialect.literal, model.classes))
    cases = " ".join(f"WHEN s{g} >= top THEN {label}" for g, label in enumerate(labels))
    if not model.is_finite:
        likely = labels[int(np.argmax(model.prior))]
        cases = f"WHEN top = {dialect.number(-np.inf)} THEN {likely} {cases}"
    return f"CASE {cases} END"


def add_masses(
    stages: Stages, n_scores: int, carried: list[str], prior: np.ndarray | None = None
) -> None:
    """Stages with the exponentials of all scores beside the highest (m), and their sum (total)."""
    dialect = stages.dialect
    scores, masses = ([f"{letter}{g}" for g in range(n_scores)] for letter in "sm")
    same = {name: name for name in [*carried, *scores]}
    stages.add("tops", same | {"top": dialect.choose(dialect.greatest, scores)})
    found = {}
    for g, (score, mass) in enumerate(zip(scores, masses, strict=True)):
        below = f"{dialect.greatest}({score} - top, {dialect.number(-LARGEST_EXPONENT)})"
        found[mass] = f"exp({below})"
        if prior is not None:
            nothing = f"WHEN top = {dialect.number(-np.inf)} THEN {dialect.number(prior[g])}"
            found[mass] = f"CASE {nothing} ELSE {found[mass]} END"
    stages.add("masses", same | {"top": "top"} | found)
    same |= {name: name for name in masses}
    stages.add("totals", same | {"top": "top", "total": write_sum(masses)})
