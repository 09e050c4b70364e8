"""Seconds per EM iteration beside scikit-learn's GaussianMixture and StepMix, one thread each, in one run.

    pip install stepmix
    python -m benchmarks.mixture --output benchmarks/results/mixture.md

An iteration is the difference between a fit with many iterations and one with few, divided by their number, so that
reading the table and finding a start do not count. Models take turns, round by round; ratios are taken within a round.
StepMix is left out where it is not installed.
"""

from __future__ import annotations

import argparse
import statistics
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.mixture import GaussianMixture
from threadpoolctl import threadpool_limits

from bayfold import NaiveBayesMixture
from benchmarks.measure import median_ratio, time_interleaved

try:
    from stepmix import StepMix
except ImportError:
    StepMix = None

FEW, MANY = 2, 12
N_CATEGORIES = 5
Fit = Callable[[int], object]


def draw_rows(n_rows: int, n_columns: int, n_components: int, nominal: bool) -> np.ndarray:
    """Rows of a mixture with components that overlap."""
    rng = np.random.default_rng(0)
    hidden = rng.integers(0, n_components, n_rows)
    X = rng.normal(size=(n_components, n_columns))[hidden] + rng.normal(size=(n_rows, n_columns))
    if not nominal:
        return X
    cuts = np.quantile(X, np.linspace(0, 1, N_CATEGORIES + 1)[1:-1], axis=0)
    return np.array([np.searchsorted(cuts[:, j], X[:, j]) for j in range(n_columns)]).T.copy()


def make_fits(X: np.ndarray, n_components: int, nominal: bool) -> dict[str, Fit]:
    """A function of the number of iterations for each model."""
    every = range(X.shape[1]) if nominal else None

    def ours(n_iterations: int) -> object:
        return NaiveBayesMixture(
            n_components,
            n_init=1,
            tol=0.0,
            max_iter=n_iterations,
            smoothing=None,
            categorical_features=every,
            random_state=0,
            n_jobs=1,
        ).fit(X)

    def gaussian(n_iterations: int) -> object:
        return GaussianMixture(
            n_components,
            covariance_type="diag",
            init_params="random_from_data",
            tol=0.0,
            max_iter=n_iterations,
            random_state=0,
        ).fit(X)

    def stepmix(n_iterations: int) -> object:
        return StepMix(
            n_components,
            measurement="categorical" if nominal else "gaussian_diag",
            abs_tol=0.0,
            rel_tol=0.0,
            max_iter=n_iterations,
            random_state=0,
            progress_bar=0,
            verbose=0,
        ).fit(X)

    fits: dict[str, Fit] = {"bayfold": ours}
    if not nominal:
        fits["GaussianMixture"] = gaussian
    if StepMix is not None:
        fits["StepMix"] = stepmix
    return fits


def measure(X: np.ndarray, n_components: int, nominal: bool, rounds: int) -> dict[str, list[float]]:
    """Seconds per iteration of each model in each round."""
    fits = make_fits(X, n_components, nominal)
    for fit in fits.values():
        fit(FEW)  # compiles, and warms the caches
    actions = {}
    for name, fit in fits.items():
        actions[name, FEW] = lambda fit=fit: fit(FEW)
        actions[name, MANY] = lambda fit=fit: fit(MANY)
    times = time_interleaved(actions, rounds)  # type: ignore[arg-type]
    per_iteration = {}
    for name in fits:
        pairs = zip(times[name, MANY], times[name, FEW], strict=True)  # type: ignore[index]
        per_iteration[name] = [max(many - few, 1e-9) / (MANY - FEW) for many, few in pairs]
    return per_iteration


def make_table(n_rows: int, n_columns: int, n_components: int, rounds: int) -> str:
    """The Markdown table over both kinds of columns."""
    lines = ["| columns | model | ms per iteration | times bayfold |", "|---|---|---|---|"]
    for nominal in (False, True):
        X = draw_rows(n_rows, n_columns, n_components, nominal)
        times = measure(X, n_components, nominal, rounds)
        for name, seconds in times.items():
            ratio = median_ratio(seconds, times["bayfold"])
            kind = f"{N_CATEGORIES} categories" if nominal else "Gaussian"
            typical = 1000 * statistics.median(seconds)
            lines.append(f"| {kind} | {name} | {typical:.1f} | {ratio:.1f} |")
    return "\n".join(lines)


def main() -> None:
    """Measure and print, or write to a file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=lambda text: int(float(text)), default=100_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--components", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # so few iterations do not converge
    sizes = (arguments.rows, arguments.columns, arguments.components)
    with threadpool_limits(1):
        table = make_table(*sizes, arguments.rounds)
    command = "python -m benchmarks.mixture --rows {} --columns {} --components {}".format(*sizes)
    text = f"# EM for mixtures\n\nWritten by `{command} --rounds {arguments.rounds}`, one thread each.\n\n{table}\n"
    print(table)
    if arguments.output:
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        arguments.output.write_text(text)


if __name__ == "__main__":
    main()
