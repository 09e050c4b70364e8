"""Policies of motor insurance with their claims, drawn from known factors: how often, and how much each costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bayfold import errors
from bayfold.core.frames.output import make_frame

if TYPE_CHECKING:
    from bayfold.core.frames.output import ArrowTable

BASE_FREQUENCY = 0.08  # claims a year
BASE_SEVERITY = 1_800.0  # money a claim
DISPERSION = 0.5
"""Drivers differ beyond what is known of them: the variance of a count of mean m is m + DISPERSION m^2."""
CLAIM_FORM = 1.5
"""Of the gamma distribution of one claim."""

VEHICLES = {
    "small": (0.85, 0.80),
    "family": (1.0, 1.0),
    "van": (1.15, 1.1),
    "luxury": (1.05, 1.7),
    "sports": (1.6, 1.4),
}
REGIONS = {
    "coast": (0.9, 1.0),
    "hills": (0.75, 1.1),
    "plains": (1.0, 0.9),
    "suburbs": (1.1, 1.0),
    "city": (1.5, 0.95),
    "islands": (0.6, 1.2),
}
"""By category the factors of frequency and of severity."""

YOUNG = 25.0
YOUNG_AND_STRONG = 1.5
"""Further factor of frequency of a driver below 25 years with 100 kW and more."""


@dataclass(frozen=True, eq=False, repr=False)
class ClaimsTable:
    """Policies, what came of them, and the truth behind both.

    Attributes
    ----------
    columns : dict of str to numpy.ndarray
        What is known of each policy.
    years : numpy.ndarray
        How long each was observed, from a day to a year.
    claims : numpy.ndarray
        How many claims there were.
    cost : numpy.ndarray
        What they cost together.
    """

    columns: dict[str, np.ndarray]
    years: np.ndarray
    claims: np.ndarray
    cost: np.ndarray

    @property
    def frame(self) -> ArrowTable:
        """The columns with ``years``, ``claims`` and ``cost`` as a pyarrow.Table."""
        observed = {"years": self.years, "claims": self.claims, "cost": self.cost}
        return make_frame(self.columns | observed, "arrow")

    @property
    def true_frequency(self) -> np.ndarray:
        """Expected claims of each policy in a year."""
        return find_frequency(self.columns)

    @property
    def true_severity(self) -> np.ndarray:
        """Expected cost of one claim of each policy."""
        return find_severity(self.columns)

    def __repr__(self) -> str:
        return (
            f"ClaimsTable({len(self.claims)} rows, {self.claims.sum():.0f} claims in {self.years.sum():.0f} years, "
            f"columns {', '.join(self.columns)})"
        )


def make_claims(
    n_rows: int = 10_000, *, random_state: int | np.random.Generator | None = 0
) -> ClaimsTable:
    """Draw motor policies whose claims have known factors.

    Parameters
    ----------
    n_rows : int, default=10000
        The number of policies.
    random_state : int, numpy.random.Generator or None, default=0
        The same number gives the same table; None gives a new one each time.

    Returns
    -------
    ClaimsTable
        Three numeric and two nominal columns, and one of pure noise; counts are overdispersed, and a claim has the
        cost of a gamma distribution.

    Examples
    --------
    >>> from bayfold.datasets import make_claims
    >>> make_claims(1000)
    ClaimsTable(1000 rows, 63 claims in 631 years, columns age, vehicle_age, power, vehicle, region, weekday)
    """
    errors.check_whole("n_rows", n_rows, 1)
    rng = np.random.default_rng(random_state)
    columns = {
        "age": np.clip(18 + rng.gamma(2.5, 11.0, n_rows), 18, 92).round(),
        "vehicle_age": np.minimum(rng.poisson(6.0, n_rows), 20).astype(np.float64),
        "power": (rng.gamma(6.0, 14.0, n_rows) + 35).round(),
        "vehicle": rng.choice(
            np.array(list(VEHICLES), object), n_rows, p=(0.3, 0.4, 0.1, 0.1, 0.1)
        ),
        "region": rng.choice(
            np.array(list(REGIONS), object), n_rows, p=(0.15, 0.1, 0.25, 0.25, 0.2, 0.05)
        ),
        "weekday": rng.choice(np.array(["Mon", "Tue", "Wed", "Thu", "Fri"], object), n_rows),
    }
    years = np.where(rng.random(n_rows) < 0.3, 1.0, rng.integers(1, 366, n_rows) / 366)
    drivers = rng.gamma(1 / DISPERSION, DISPERSION, n_rows)
    claims = rng.poisson(years * find_frequency(columns) * drivers).astype(np.float64)
    form = np.maximum(CLAIM_FORM * claims, 1e-9)
    cost = np.where(claims > 0, rng.gamma(form, find_severity(columns) / CLAIM_FORM), 0.0)
    return ClaimsTable(columns, years, claims, cost.round(2))


def _look_up(column: np.ndarray, factors: dict[str, tuple[float, float]], which: int) -> np.ndarray:
    return np.array([factors[name][which] for name in column.tolist()])


def find_frequency(columns: dict[str, np.ndarray]) -> np.ndarray:
    """Expected claims a year: young and old drivers have more, the young with strong cars still more."""
    age = columns["age"]
    power = columns["power"]
    frequency = BASE_FREQUENCY * _look_up(columns["vehicle"], VEHICLES, 0)
    frequency *= _look_up(columns["region"], REGIONS, 0)
    frequency *= 1 + 1.2 * np.exp(-(age - 18) / 6) + 0.4 * np.maximum(age - 70, 0) / 20
    frequency *= (power / 120) ** 0.4
    return frequency * np.where((age < YOUNG) & (power >= 100), YOUNG_AND_STRONG, 1.0)


def find_severity(columns: dict[str, np.ndarray]) -> np.ndarray:
    """Expected cost of a claim: new and strong cars cost more."""
    severity = BASE_SEVERITY * _look_up(columns["vehicle"], VEHICLES, 1)
    severity *= _look_up(columns["region"], REGIONS, 1)
    severity *= (columns["power"] / 120) ** 0.6
    return severity * np.exp(-0.03 * columns["vehicle_age"])
