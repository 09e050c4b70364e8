"""A small credit table drawn from a known naive Bayes model.

Because the model is known, so is the right answer: what every cell should count for, and the best
probability anyone can give for a row. Real data have neither.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special, stats

from bayfold import errors
from bayfold.core.frames.output import make_frame

if TYPE_CHECKING:
    from bayfold.core.frames.output import ArrowTable

DEFAULT_RATE = 0.22


@dataclass(frozen=True)
class NumericLaw:
    """How a number is distributed among those who paid and those who did not."""

    paid: Any
    default: Any

    def draw(self, is_default: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Draw one value per row from the law of the row's class."""
        n_rows = len(is_default)
        defaulted = self.default.rvs(n_rows, random_state=rng)
        return np.where(is_default, defaulted, self.paid.rvs(n_rows, random_state=rng))

    def weigh(self, values: np.ndarray) -> np.ndarray:
        """Give log p(value | default) - log p(value | paid), NaN for an impossible value."""
        values = values.astype(np.float64)
        with np.errstate(invalid="ignore"):  # -inf minus -inf
            return self.default.logpdf(values) - self.paid.logpdf(values)


@dataclass(frozen=True)
class NominalLaw:
    """The probability of each value: `value: (among paid, among default)`."""

    chances: Mapping[Any, tuple[float, float]]

    def draw(self, is_default: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Draw one value per row from the law of the row's class."""
        values = np.array(list(self.chances), dtype=object)
        paid, default = np.array(list(self.chances.values())).T
        n_rows = len(is_default)
        defaulted = rng.choice(values, n_rows, p=default)
        return np.where(is_default, defaulted, rng.choice(values, n_rows, p=paid))

    def weigh(self, values: np.ndarray) -> np.ndarray:
        """Give log p(value | default) - log p(value | paid), NaN for an impossible value."""
        weight_of = {value: np.log(d / p) for value, (p, d) in self.chances.items()}
        return np.array([weight_of.get(value, np.nan) for value in values], dtype=np.float64)


def _normal_between(low: float, high: float, mean: float, sd: float) -> Any:
    return stats.truncnorm((low - mean) / sd, (high - mean) / sd, loc=mean, scale=sd)


# The model. `weekday` is pure noise: the same for both classes, so it must get no weight.
LAWS: dict[str, NumericLaw | NominalLaw] = {
    "income": NumericLaw(
        paid=stats.lognorm(0.45, scale=42_000), default=stats.lognorm(0.50, scale=27_000)
    ),
    "age": NumericLaw(
        paid=_normal_between(18, 90, 46, 13), default=_normal_between(18, 90, 38, 12)
    ),
    "debt_ratio": NumericLaw(paid=stats.beta(2.2, 5.0), default=stats.beta(3.2, 4.2)),
    "employment": NominalLaw(
        {
            "permanent": (0.55, 0.36),
            "temporary": (0.15, 0.24),
            "self-employed": (0.14, 0.16),
            "retired": (0.12, 0.08),
            "unemployed": (0.04, 0.16),
        }
    ),
    "purpose": NominalLaw(
        {
            "car": (0.32, 0.26),
            "furniture": (0.20, 0.18),
            "education": (0.12, 0.08),
            "renovation": (0.18, 0.10),
            "business": (0.08, 0.14),
            "other debts": (0.10, 0.24),
        }
    ),
    "region": NominalLaw(
        {
            "north": (0.16, 0.12),
            "north-east": (0.12, 0.13),
            "east": (0.10, 0.14),
            "south-east": (0.09, 0.09),
            "south": (0.12, 0.08),
            "south-west": (0.10, 0.07),
            "west": (0.09, 0.12),
            "north-west": (0.07, 0.06),
            "capital": (0.08, 0.10),
            "coast": (0.04, 0.05),
            "hills": (0.02, 0.02),
            "islands": (0.01, 0.02),
        }
    ),
    "homeowner": NominalLaw({True: (0.48, 0.26), False: (0.52, 0.74)}),
    "weekday": NominalLaw(dict.fromkeys(["Mon", "Tue", "Wed", "Thu", "Fri"], (0.2, 0.2))),
}


@dataclass(frozen=True, eq=False, repr=False)
class CreditTable:
    """A credit table, whether each loan was paid back, and the truth behind both.

    Attributes
    ----------
    columns : dict of str to numpy.ndarray
        float64 columns with NaN for missing; object columns of strings or booleans with None.
    target : numpy.ndarray of str
        ``"paid"`` or ``"default"``.
    """

    columns: dict[str, np.ndarray]
    target: np.ndarray

    @property
    def frame(self) -> ArrowTable:
        """The columns as a pyarrow.Table."""
        return make_frame(self.columns, "arrow")

    @property
    def true_prior_log_odds(self) -> float:
        """The log odds of ``"default"`` before anything is known about a row."""
        return float(special.logit(DEFAULT_RATE))

    def true_weights(
        self, columns: Mapping[str, ArrayLike] | ArrowTable | None = None
    ) -> np.ndarray:
        """Give the weight of evidence every cell truly has.

        Parameters
        ----------
        columns : mapping of str to array, or pyarrow.Table, optional
            Other rows to weigh, with any of this table's columns; this table itself if left out.

        Returns
        -------
        numpy.ndarray of shape (n_rows, n_columns)
            log p(value | default) - log p(value | paid), 0 for a missing cell.
        """
        columns = _as_mapping(self.columns if columns is None else columns)
        return np.column_stack([_weigh(name, column) for name, column in columns.items()])

    def true_probability(
        self, columns: Mapping[str, ArrayLike] | ArrowTable | None = None
    ) -> np.ndarray:
        """Give P(default | row): no model can do better on average.

        Parameters
        ----------
        columns : mapping of str to array, or pyarrow.Table, optional
            As for `true_weights`.

        Returns
        -------
        numpy.ndarray of shape (n_rows,)
            One probability per row.
        """
        log_odds = self.true_prior_log_odds + self.true_weights(columns).sum(axis=1)
        return special.expit(log_odds)

    def __repr__(self) -> str:
        n_default = int(np.sum(self.target == "default"))
        return (
            f"CreditTable({len(self.target)} rows, {n_default} in default, "
            f"columns {', '.join(self.columns)})"
        )


def make_credit(
    n_rows: int = 4000,
    *,
    missing: float = 0.08,
    random_state: int | np.random.Generator | None = 0,
) -> CreditTable:
    """Draw a credit table from a naive Bayes model that is known exactly.

    Parameters
    ----------
    n_rows : int, default=4000
        The number of loans.
    missing : float, default=0.08
        The probability that a cell is missing, whatever its value, column and row.
    random_state : int, numpy.random.Generator or None, default=0
        The same number gives the same table; None gives a new one each time.

    Returns
    -------
    CreditTable
        Three numeric, three nominal, one boolean and one column of pure noise, independent of each
        other given whether the loan was paid back; 22 percent of loans are not.

    Notes
    -----
    A model that knows the truth predicts about 85 percent of rows correctly; saying "paid" each
    time is right for 78 percent.

    Examples
    --------
    >>> from bayfold.datasets import make_credit
    >>> credit = make_credit(1000)
    >>> credit
    CreditTable(1000 rows, 200 in default, columns income, age, debt_ratio, employment, purpose,
    region, homeowner, weekday)
    >>> credit.true_weights({"employment": ["unemployed", "permanent", None]}).round(2).tolist()
    [[1.39], [-0.42], [0.0]]
    """
    errors.check_whole("n_rows", n_rows, 1)
    errors.check_number("missing", missing, 0, 1)
    rng = np.random.default_rng(random_state)
    is_default = rng.random(n_rows) < DEFAULT_RATE
    columns = {
        name: _drop_cells(law.draw(is_default, rng), missing, rng) for name, law in LAWS.items()
    }
    return CreditTable(columns, np.where(is_default, "default", "paid"))


def _drop_cells(values: np.ndarray, missing: float, rng: np.random.Generator) -> np.ndarray:
    values[rng.random(len(values)) < missing] = None  # NumPy stores it as NaN among numbers
    return values


def _as_mapping(columns: Any) -> Mapping[str, Any]:
    return columns if isinstance(columns, Mapping) else columns.to_pydict()


def _weigh(name: str, column: Any) -> np.ndarray:
    if name not in LAWS:
        raise errors.unknown_credit_column(name, list(LAWS))
    values = np.asarray(column, dtype=object)
    # Only NaN differs from itself.
    known = np.array([value is not None and value == value for value in values], dtype=bool)
    weights = np.zeros(len(values))
    weights[known] = LAWS[name].weigh(values[known])
    impossible = np.flatnonzero(np.isnan(weights))
    if impossible.size:
        raise errors.impossible_credit_value(name, values[impossible[0]])
    return weights
