"""SQL from scores to answers: classes and probabilities, or mean and quantiles of a numeric target.

The distribution is that of ``GridDistribution``: the mass of each point spread like a triangle to its neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayfold.core.scoring.distribution import pad_grid, split_triangles, triangle_means
from bayfold.core.scoring.levels import LevelCorrection
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
    dialect = stages.dialect
    classes = model.classes
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


def answer_rates(stages: Stages, exposure: str | None) -> Answers:
    """The rate, or with an exposure the mean."""
    rate = f"exp({stages.dialect.clip('s0', -LARGEST_EXPONENT, LARGEST_EXPONENT)})"
    return {"prediction": rate if exposure is None else f"{exposure} * {rate}"}


RUN = 10
"""Masses that are added up one by one, of a grid of about a hundred; the sums before them are added as a whole."""

HALF = 0.5  # the median has so much on either side


def answer_numbers(model: PlainModel, stages: Stages, quantiles: list[float]) -> Answers:
    """The predicted number and quantiles of its distribution."""
    assert model.grid is not None
    dialect = stages.dialect
    grid = model.grid
    add_masses(stages, model.n_scores, [])
    masses = [f"m{g}" for g in range(len(grid))]
    same = {name: name for name in [*masses, "total"]}
    runs = _add_runs(masses)
    if model.correction is not None:
        _correct_masses(stages, same, runs, model.correction)
    stages.add("runs", same | runs)
    same |= {name: name for name in runs}
    find_point = _find_median_on_grid if model.statistic == "median_on_grid" else _find_mean
    stages.add("points", same | {"point": find_point(dialect, grid)})
    levels = [*([HALF] if model.statistic == "median" else []), *quantiles]
    if levels:
        _add_pieces(stages, grid, levels)
    found = [_solve(dialect, i, pad_grid(grid)) for i in range(len(levels))]
    prediction = found.pop(0) if model.statistic == "median" else "point"
    named = {f"quantile_{q:g}": answer for q, answer in zip(quantiles, found, strict=True)}
    return {"prediction": prediction} | named


def _correct_masses(
    stages: Stages, same: dict[str, str], runs: dict[str, str], correction: LevelCorrection
) -> None:
    """Stages that bend the masses up to each point at the knots of a correction, and tell the masses apart again."""
    dialect = stages.dialect
    masses = [name for name in same if name != "total"]
    stages.add("given_runs", same | runs)
    up_to = {f"c{g}": f"{_sum_before(g)} + {mass}" for g, mass in enumerate(masses)}
    stages.add("cumulated", {"total": "total"} | up_to)
    slopes = np.diff(correction.levels) / np.diff(correction.knots)
    starts = correction.levels[:-1] - slopes * correction.knots[:-1]

    def bend(mass: str, low: int, high: int) -> str:
        if low == high:
            return f"{dialect.number(slopes[low])} * {mass} + {dialect.number(starts[low])} * total"
        middle = (low + high) // 2
        knot = dialect.number(correction.knots[middle + 1])
        below = bend(mass, low, middle)
        above = bend(mass, middle + 1, high)
        return f"CASE WHEN {mass} < {knot} * total THEN {below} ELSE {above} END"

    last = len(slopes) - 1
    bent = {name: bend(name, 0, last) for name in list(up_to)[:-1]}
    stages.add("bent", {"total": "total"} | bent)
    ends = ["0 * total", *bent, "total"]
    apart = {mass: f"{ends[g + 1]} - {ends[g]}" for g, mass in enumerate(masses)}
    stages.add("corrected", {"total": "total"} | apart)


def _find_mean(dialect: SqlDialect, grid: np.ndarray) -> str:
    values = map(dialect.number, triangle_means(grid))
    return f"({write_sum([f'm{g} * {value}' for g, value in enumerate(values)])}) / total"


def _find_median_on_grid(dialect: SqlDialect, grid: np.ndarray) -> str:
    """The first point at which the cumulated mass has passed one half."""
    half = f"total * {dialect.number(HALF)}"
    cases = [
        f"WHEN {_sum_before(g)} + m{g} > {half} THEN {dialect.number(point)}"
        for g, point in enumerate(grid[:-1])
    ]
    return f"CASE {' '.join(cases)} ELSE {dialect.number(grid[-1])} END"


def _add_pieces(stages: Stages, grid: np.ndarray, levels: list[float]) -> None:
    """Stages that find, for each level, the piece between two points it lies in (b), and what is there.

    Along the piece, as if it had the width one, the density goes from u to v, and z of its mass is wanted.
    """
    dialect = stages.dialect
    n = len(grid)
    on_left, on_right = split_triangles(grid)
    same = {name: name for name in [*(f"m{g}" for g in range(n)), "total", "point"]}
    # w: the mass up to a point, of its own triangle what is on the left
    left_shares = map(dialect.number, on_left)
    reached = {
        f"w{g + 1}": f"{_sum_before(g)} + m{g} * {share}" for g, share in enumerate(left_shares)
    }
    stages.add("reached", same | reached)
    same |= {name: name for name in reached}
    wanted = [f"total * {dialect.number(q)}" for q in levels]
    pieces = {f"b{i}": _count_below(goal, 1, n + 1) for i, goal in enumerate(wanted)}
    stages.add("pieces", same | pieces)
    left = np.append(0.0, 2 * on_right)
    right = np.append(2 * on_left, 0.0)
    before, after, start = (
        {k + shift: f"{letter}{k + own}" for k in range(n)}
        for letter, own, shift in (("m", 0, 1), ("m", 0, 0), ("w", 1, 1))
    )
    around = {"point": "point"}
    for i, goal in enumerate(wanted):
        piece = f"b{i}"
        around[f"u{i}"] = f"{_take(piece, before)} * {dialect.look_up(piece, left)}"
        around[f"v{i}"] = f"{_take(piece, after)} * {dialect.look_up(piece, right)}"
        rest = f"{goal} - {_take(piece, start)}"
        around[f"z{i}"] = f"{dialect.greatest}({rest}, {dialect.number(0.0)})"
        around[piece] = piece
    stages.add("around", around)


def _add_runs(masses: Sequence[str]) -> dict[str, str]:
    """The sum of all masses before each run."""
    return {f"r{start // RUN}": write_sum(masses[:start]) for start in range(RUN, len(masses), RUN)}


def _sum_before(g: int) -> str:
    """The sum of the masses of the points before the g-th."""
    run = g // RUN
    start = g // RUN * RUN
    own = [f"m{k}" for k in range(start, g)]
    return write_sum([f"r{run}", *own] if run else own) if run or own else "0 * total"


def _count_below(goal: str, low: int, high: int) -> str:
    """How many of the masses up to points, which increase, are below a goal: a binary search."""
    if low == high:
        return str(low - 1)
    middle = (low + high) // 2
    above = _count_below(goal, middle + 1, high)
    below = _count_below(goal, low, middle)
    return f"CASE WHEN w{middle} < {goal} THEN {above} ELSE {below} END"


def _take(piece: str, choices: dict[int, str]) -> str:
    """The column that the number of a piece says; nothing where it says none."""
    cases = " ".join(f"WHEN {k} THEN {name}" for k, name in choices.items())
    return f"CASE {piece} {cases} ELSE 0 * total END"


def _solve(dialect: SqlDialect, i: int, ends: np.ndarray) -> str:
    """Where along its piece the wanted mass is reached: the root that loses no digits where the density is level."""
    nothing = dialect.number(0.0)
    one = dialect.number(1.0)
    square = f"{dialect.greatest}(u{i} * u{i} + 2 * (v{i} - u{i}) * z{i}, {nothing})"
    share = f"2 * z{i} / NULLIF(u{i} + sqrt({square}), 0)"
    within = f"{dialect.least}(COALESCE({share}, {nothing}), {one})"
    start = dialect.look_up(f"b{i}", ends[:-1])
    width = dialect.look_up(f"b{i}", np.diff(ends))
    return f"{start} + {width} * {within}"
