"""Random tables whose truth is known, one per seed.

Every column is a function of a hidden standard normal number; what a cell says about that number (its value, or the
interval that a category or a rounded number stands for) is kept beside the table. Targets are made of these, so the
true probabilities of classes, and the true distribution of a number, are known for every row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit, log_ndtr, ndtr, ndtri, softmax
from scipy.stats import poisson, t

SMALLEST = 60
LARGEST = 100_000
N_TEST = 2000
"""Rows that are predicted; the truth of each is known, so few are enough."""

FEW_ROWS, MANY_ROWS = 500, 10_000
"""Hundreds of columns of noise only below the first, few columns only above the second, so that a world stays cheap."""

LEVELS = (np.arange(200) + 0.5) / 200
"""Quantiles of a true distribution that stand for all of it."""

STRUCTURES = ("none", "one", "sum", "pairs", "naive")
"""Which columns tell of the target: no column, one, several that add up, also in pairs; or columns independent given
the class, as naive Bayes has it."""

FORMS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "line": lambda z: z,
    "step": lambda z: np.where(z > 0.3, 1.0, -0.5),
    "hump": lambda z: z**2 - 1,
    "wave": lambda z: 1.4 * np.sin(3 * z),
}


@dataclass
class Column:
    """The cells of a column and the bounds of the hidden number of each: equal where the cell says it exactly."""

    kind: str
    cells: Any
    low: np.ndarray
    high: np.ndarray

    @property
    def score(self) -> np.ndarray:
        """One number per cell: the middle of its bounds, by probability."""
        return ndtri((ndtr(self.low) + ndtr(self.high)) / 2)

    def log_odds(self, means: np.ndarray) -> np.ndarray:
        """Log likelihood of the cells where the hidden number has these means and deviation 1: one column a mean."""
        low, high = self.low[:, None] - means, self.high[:, None] - means
        exact = (self.low == self.high)[:, None]
        with np.errstate(invalid="ignore", divide="ignore"):
            turned = low > 0  # the far tail is exact on the negative side only
            bottom, top = np.where(turned, -high, low), np.where(turned, -low, high)
            wide = log_ndtr(top) + np.log1p(-np.exp(log_ndtr(bottom) - log_ndtr(top)))
        return np.where(exact, -0.5 * np.where(exact, low, 0.0) ** 2, wide)


@dataclass
class World:
    """A table with its truth: the first ``n_train`` rows are fitted, the others predicted."""

    seed: int
    task: str
    structure: str
    target: str
    X: pd.DataFrame
    y: np.ndarray
    n_train: int
    weights: np.ndarray | None
    probabilities: np.ndarray | None = None
    """True probabilities of the classes 0, 1, ... of every row."""
    means: np.ndarray | None = None
    """True means of a number."""
    quantiles: np.ndarray | None = None
    """True quantiles of ``LEVELS`` of the rows that are predicted."""
    traits: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        """The world in a line."""
        traits = ", ".join(f"{name} {value}" for name, value in self.traits.items() if value)
        return f"{self.n_train} rows x {self.X.shape[1]}, {self.target}, {self.structure}" + (
            f", {traits}" if traits else ""
        )


def draw_world(
    seed: int,
    task: str | None = None,
    n_rows: int | None = None,
    structure: str | None = None,
    target: str | None = None,
) -> World:
    """The world of a seed: of classes or of numbers, any size, structure and kind of number unless they are given."""
    rng = np.random.default_rng([seed, 33])
    drawn_task = "classes" if rng.random() < 0.6 else "numbers"
    task = task or drawn_task
    exponent = rng.random() ** 1.3  # small tables are cheap, and more of them go wrong
    drawn_rows = int(SMALLEST * (LARGEST / SMALLEST) ** exponent)
    n_train = n_rows or drawn_rows
    drawn_structure = str(rng.choice(STRUCTURES, p=[0.15, 0.2, 0.3, 0.15, 0.2]))
    structure = structure or drawn_structure
    if task == "numbers" and structure == "naive":
        structure = "one"
    n_told = {"none": 0, "one": 1}.get(structure, int(rng.integers(2, 7)))
    n = n_train + N_TEST
    if task == "classes":
        told, values = draw_classes(rng, structure, n_told, n, n_train)
    else:
        told, values = draw_numbers(rng, structure, n_told, n, n_train, target)
    columns = told + [draw_column(rng, rng.normal(size=n)) for _ in range(draw_noise(rng, n_train))]
    frame, traits = make_frame(rng, columns, told, n_train)
    weights = None
    if rng.random() < 0.2:
        weights = rng.integers(0, 4, n_train).astype(float)
        traits["weights"] = "0 to 3"
    world = World(seed, task, structure, "", frame, np.empty(0), n_train, weights, traits=traits)
    for name, value in values.items():
        setattr(world, name, value)
    if rng.random() < 0.15:
        traits["rows"] = "sorted"
        sort_rows(world)
    return world


def draw_noise(rng: np.random.Generator, n_train: int) -> int:
    """How many columns say nothing."""
    if n_train <= FEW_ROWS and rng.random() < 0.2:
        return int(rng.integers(50, 300))
    return int(rng.integers(1, 4 if n_train > MANY_ROWS else 12))


# ----------------------------------------------------------------------------------------------------------- columns


def draw_column(rng: np.random.Generator, z: np.ndarray, kind: str | None = None) -> Column:
    """A column from its hidden numbers, of any kind unless one is given."""
    kind = kind or str(rng.choice([*EXACT, *COARSE]))
    if kind in EXACT:
        return Column(kind, EXACT[kind](rng, z), z, z)
    edges, name = COARSE[kind](rng)
    edges = np.concatenate([[-np.inf], np.unique(edges), [np.inf]])
    codes = np.searchsorted(edges[1:-1], z)
    return Column(kind, name(codes), edges[codes], edges[codes + 1])


def _scale(rng: np.random.Generator) -> float:
    return float(10.0 ** rng.integers(-3, 5))


EXACT: dict[str, Callable[[np.random.Generator, np.ndarray], Any]] = {
    "normal": lambda rng, z: _scale(rng) * (z + rng.integers(-3, 4)),
    "lognormal": lambda rng, z: np.exp(rng.uniform(0.5, 2) * z),
    "Pareto": lambda rng, z: np.exp(-log_ndtr(-z) / rng.uniform(0.8, 3)),
    "Cauchy": lambda rng, z: np.tan(np.pi * (ndtr(z) - 0.5)),
    "uniform": lambda rng, z: _scale(rng) * ndtr(z),
    "bimodal": lambda rng, z: z + 3 * np.sign(z),
    "timestamp": lambda rng, z: (
        pd.Timestamp("2024-01-01") + pd.to_timedelta((1e7 * z).round(), unit="s")
    ),
}
"""Kinds of columns whose cells say the hidden number exactly (a timestamp to the second)."""

Coarse = tuple[np.ndarray, Callable[[np.ndarray], Any]]


def _integers(rng: np.random.Generator) -> Coarse:
    n_values = int(rng.integers(3, 60))
    return np.linspace(-2.5, 2.5, n_values - 1), lambda codes: codes


def _rounded(rng: np.random.Generator) -> Coarse:
    step = float(rng.choice([0.1, 0.5, 1.0]))
    edges = np.arange(-6, 6, step) + step / 2
    return edges, lambda codes: (edges[0] - step / 2 + codes * step).round(2)


def _zeros(rng: np.random.Generator) -> Coarse:
    """Zero below a bound; thousandths above it."""
    bound = rng.uniform(-0.5, 2)
    edges = bound + np.arange(0, 5000) / 1000
    return edges, lambda codes: codes / 1000


def _named(shares: np.ndarray, rng: np.random.Generator) -> Coarse:
    names = np.array([f"c{k:03d}" for k in rng.permutation(len(shares))], dtype=object)
    edges = ndtri(np.cumsum(rng.permutation(shares))[:-1] / shares.sum())
    return edges, lambda codes: names[codes]


def _boolean(rng: np.random.Generator) -> Coarse:
    return np.array([ndtri(rng.uniform(0.02, 0.98))]), lambda codes: codes.astype(bool)


def _rare(rng: np.random.Generator) -> Coarse:
    """One value in most rows, hundreds that are seen a few times."""
    return _named(np.append(np.full(400, 0.2 / 400), 0.8), rng)


COARSE: dict[str, Callable[[np.random.Generator], Coarse]] = {
    "integers": _integers,
    "rounded": _rounded,
    "zero-inflated": _zeros,
    "6 categories": lambda rng: _named(rng.dirichlet(np.full(6, 2.0)), rng),
    "300 categories": lambda rng: _named(rng.dirichlet(np.ones(300)) + 1e-5, rng),
    "rare values": _rare,
    "boolean": _boolean,
}
"""Kinds of columns whose cells stand for an interval of the hidden number."""


def make_frame(
    rng: np.random.Generator, columns: list[Column], told: list[Column], n_train: int
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The table in any order of columns, some of them copied, some cells missing."""
    traits: dict[str, Any] = {}
    cells = [column.cells for column in columns]
    if told and rng.random() < 0.2:
        traits["copies"] = int(rng.integers(1, 6))
        cells += [told[0].cells] * traits["copies"]
    order = rng.permutation(len(cells))
    frame = pd.DataFrame({f"x{k}": pd.Series(cells[i]) for k, i in enumerate(order)})
    if rng.random() < 0.35:
        share = float(rng.choice([0.05, 0.2, 0.5]))
        where = str(rng.choice(["fit", "predict", "both"]))
        traits["missing"] = f"{share:.0%} at {where}"
        missing = rng.random(frame.shape) < share
        if where == "fit":
            missing[n_train:] = False
        elif where == "predict":
            missing[:n_train] = False
        whole = [name for name in frame if frame[name].dtype == bool]
        frame = frame.astype(dict.fromkeys(whole, object)).mask(missing)
    told_kinds = ", ".join(column.kind for column in told)
    return frame, {"told by": told_kinds, **traits}


# ----------------------------------------------------------------------------------------------------------- targets


def add_effects(rng: np.random.Generator, columns: list[Column], pairs: bool) -> np.ndarray:
    """One number per row: a curve of each column, and products of neighbours, with deviation 1."""
    total = np.zeros(len(columns[0].low))
    for column in columns:
        form = FORMS[str(rng.choice(list(FORMS)))]
        total += rng.uniform(0.4, 1) * form(column.score)
    if pairs:
        for first, second in zip(columns[::2], columns[1::2], strict=False):
            total += rng.uniform(1, 2) * np.sign(first.score) * np.sign(second.score)
    return (total - total.mean()) / (total.std() or 1.0)


def draw_told(
    rng: np.random.Generator, structure: str, n_told: int, n: int
) -> tuple[list[Column], np.ndarray]:
    """Columns that tell, and what they say, one number per row."""
    columns = [draw_column(rng, rng.normal(size=n)) for _ in range(n_told)]
    if not columns:
        return columns, np.zeros(n)
    return columns, add_effects(rng, columns, structure == "pairs")


def draw_classes(
    rng: np.random.Generator, structure: str, n_told: int, n: int, n_train: int
) -> tuple[list[Column], dict[str, Any]]:
    """Columns that tell of a class, the class, and the probabilities of all classes."""
    n_classes = 2 if rng.random() < 0.7 else int(rng.integers(3, 6))
    rates = rng.dirichlet(np.full(n_classes, 3.0)) + 0.03
    if rng.random() < 0.35:  # a rare class, of five rows at least
        rates[0] = max(5 / n_train, float(rng.choice([0.2, 0.05, 0.01, 0.002])))
        rates[1:] *= (1 - rates[0]) / rates[1:].sum()
    rates /= rates.sum()
    if structure == "naive":
        y = draw_codes(rng, np.tile(rates, (n, 1)), n_train)
        columns, log_odds = [], np.tile(np.log(rates), (n, 1))
        for _ in range(n_told):
            means = rng.uniform(0.2, 1.2) * rng.normal(size=n_classes)
            columns.append(draw_column(rng, rng.normal(size=n) + means[y]))
            log_odds += columns[-1].log_odds(means)
        probabilities = softmax(log_odds, axis=1)
    else:
        columns, _ = draw_told(rng, structure, n_told, n)
        scores = np.zeros((n, n_classes))
        if columns:
            strength = rng.uniform(0.3, 2.5)
            for k in range(1, n_classes):
                scores[:, k] = strength * add_effects(rng, columns, structure == "pairs")
        probabilities = match_rates(scores, rates)
        y = draw_codes(rng, probabilities, n_train)
    target = f"{n_classes} classes, rarest {rates.min():.2g}"
    return columns, {"y": y, "probabilities": probabilities, "target": target}


def draw_codes(rng: np.random.Generator, probabilities: np.ndarray, n_train: int) -> np.ndarray:
    """A class per row; drawn again until every class is among the rows that are fitted, twice."""
    bounds = probabilities.cumsum(axis=1)[:, :-1]
    n_classes = probabilities.shape[1]
    while True:
        y = (rng.random((len(probabilities), 1)) > bounds).sum(axis=1)
        if np.bincount(y[:n_train], minlength=n_classes).min() >= 2:
            return y


def match_rates(scores: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """Probabilities of classes whose means are these rates: an intercept per class is found by iteration."""
    intercepts = np.log(rates)
    for _ in range(50):
        found = softmax(scores + intercepts, axis=1).mean(axis=0)
        intercepts += np.log(rates / found)
    return softmax(scores + intercepts, axis=1)


Target = tuple[
    Callable[[np.ndarray, np.ndarray], np.ndarray], Callable[[np.ndarray], np.ndarray] | None
]


def _normal(s: float) -> Target:
    return lambda u, m: m + s * ndtri(u), lambda m: m


def _lognormal(s: float) -> Target:
    return lambda u, m: np.exp(0.5 * m + s * ndtri(u)), lambda m: np.exp(0.5 * m + s * s / 2)


def _claims(s: float) -> Target:
    """Zero in most rows; what is not zero is lognormal."""
    base = -3.5 + s

    def find_quantiles(u: np.ndarray, m: np.ndarray) -> np.ndarray:
        share = expit(base + m)
        with np.errstate(invalid="ignore", divide="ignore"):
            rest = ndtri(np.maximum(u - 1 + share, 1e-300) / share)
        return np.where(u < 1 - share, 0.0, np.exp(7 + rest))

    return find_quantiles, lambda m: expit(base + m) * np.exp(7.5)


def _rounded_target(s: float) -> Target:
    return lambda u, m: np.round(2 * (m + s * ndtri(u))), None


def _uneven(s: float) -> Target:
    """Noise that grows with the mean."""
    return lambda u, m: m + s * np.exp(0.7 * m) * ndtri(u), lambda m: m


def _censored(s: float) -> Target:
    return lambda u, m: np.minimum(m + s * ndtri(u), 0.5), None


TARGETS: dict[str, Callable[[float], Target]] = {
    "normal": _normal,
    "lognormal": _lognormal,
    "claims": _claims,
    "rounded": _rounded_target,
    "heteroscedastic": _uneven,
    "t with 3 degrees": lambda s: (lambda u, m: m + s * t.ppf(u, 3), lambda m: m),
    "censored": _censored,
    "Poisson": lambda s: (lambda u, m: poisson.ppf(u, np.exp(s * m)), lambda m: np.exp(s * m)),
    "large offset": lambda s: (lambda u, m: 1e6 + m + s * ndtri(u), lambda m: 1e6 + m),
}
"""Quantiles of a row and its mean, from what the columns say; without a mean, it is that of ``LEVELS``."""


def draw_numbers(
    rng: np.random.Generator, structure: str, n_told: int, n: int, n_train: int, target: str | None
) -> tuple[list[Column], dict[str, Any]]:
    """Columns that tell of a number, the number, its means and quantiles."""
    columns, said = draw_told(rng, structure, n_told, n)
    target = target or str(rng.choice(list(TARGETS)))
    find_quantiles, find_means = TARGETS[target](rng.uniform(0.3, 1.5))
    y = find_quantiles(rng.random(n), said)
    quantiles = find_quantiles(LEVELS, said[n_train:, None])
    if find_means is None:
        means = np.concatenate(
            [
                find_quantiles(LEVELS, part[:, None]).mean(axis=1)
                for part in np.array_split(said, 20)
            ]
        )
    else:
        means = find_means(said)
    return columns, {"y": y, "means": means, "quantiles": quantiles, "target": target}


def sort_rows(world: World) -> None:
    """Order the rows that are fitted by their target: no model may depend on it."""
    order = np.arange(len(world.y))
    order[: world.n_train] = np.argsort(world.y[: world.n_train], kind="stable")
    world.X = world.X.take(order).reset_index(drop=True)
    world.y = world.y[order]
    if world.probabilities is not None:
        world.probabilities = world.probabilities[order]
    if world.means is not None:
        world.means = world.means[order]
