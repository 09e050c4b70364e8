"""Every estimator on small tables, so that numba has compiled what they use before somebody waits for it."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import redirect_stderr, suppress
from dataclasses import dataclass
from io import StringIO
from multiprocessing import get_context
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

import bayfold
from bayfold.base.sources.fit import SourceFit, SourceOptions
from bayfold.core.kernels.compiler import NOTICE
from bayfold.datasets import make_credit
from bayfold.errors import NoTablesError, nothing_to_warm

ROWS = 400
"""Enough for every choice on held-out rows to be made, and no more."""


MANY_ROWS = 40_000
"""So many that bins are drawn from a sample, and that rows are sorted by a kernel."""

SOME_ROWS = 5_000
"""Enough to learn all but a rest of who has which sign."""

BRANCHES = 100
"""Categories of a column, so many that boosting begins with their counts."""

PLACES = 300
"""Categories of another column, so many that their codes take two bytes."""


MOST_PROCESSES = 8
"""Each takes about half a gigabyte; a round number."""


@dataclass(frozen=True)
class Rows:
    """A table of mixed columns with gaps, its matrix of numbers, and targets of two classes, three, and numbers."""

    table: Any
    matrix: np.ndarray
    two: np.ndarray
    three: np.ndarray
    numbers: np.ndarray


def make_rows() -> Rows:
    """The demonstration's table."""
    credit = make_credit(ROWS, random_state=0)
    income = np.nan_to_num(credit.frame["income"].to_numpy(), nan=3e4)
    matrix = np.stack([credit.frame[name].to_numpy() for name in ("age", "debt_ratio")], axis=1)
    three = np.where(income > 5e4, "rich", credit.target)
    drawn = np.random.default_rng(0).integers(0, BRANCHES // 2, ROWS)
    branches = [f"branch {k}" for k in 2 * drawn + (credit.target == "paid")]
    places = [f"place {k % PLACES}" for k in range(ROWS)]
    table = credit.frame.append_column("branch", [branches]).append_column("place", [places])
    return Rows(table, matrix, credit.target, three, income)


def warm_up(console: Console, named: str = "", n_processes: int | None = None) -> None:
    """Fit and ask the estimators whose names contain ``named``, with a bar; say what was compiled.

    Compilers of one process wait for each other, so it takes several. The first step runs alone: it compiles what most
    of the others use.
    """
    names = [name for name, _ in list_steps()]
    wanted = [k for k, name in enumerate(names) if named.lower() in name.lower()]
    if not wanted:
        raise nothing_to_warm(named, sorted(set(names)))
    n_processes = n_processes or min(os.cpu_count() or 1, MOST_PROCESSES)
    start = time.perf_counter()
    compiled = 0
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as bar:
        task = bar.add_task(names[wanted[0]], total=len(wanted))
        for k, n_compiled in _run_steps(wanted, n_processes):
            compiled += n_compiled
            bar.update(task, description=names[k], advance=1)
    seconds = time.perf_counter() - start
    if compiled:
        console.print(f"{compiled} kernels compiled in {seconds:.0f} s. Every process finds them.")
    else:
        console.print(f"Nothing had to be compiled: this machine is warm ({seconds:.0f} s).")


def _run_steps(wanted: list[int], n_processes: int) -> Iterator[tuple[int, int]]:
    """Each step and how many kernels it compiled, as they end."""
    first, *rest = wanted
    yield first, run_step(first)
    if n_processes == 1 or not rest:
        yield from ((k, run_step(k)) for k in rest)
        return
    with ProcessPoolExecutor(min(n_processes, len(rest)), get_context("spawn")) as pool:
        running = {pool.submit(run_step, k): k for k in rest}
        for done in as_completed(running):
            yield running[done], done.result()


def run_step(number: int) -> int:
    """One step of ``list_steps`` in this process; how many kernels it compiled."""
    _, step = list(list_steps())[number]
    before = NOTICE.n_compiled
    # the notice of compilation says what the bar shows; warnings are about the made-up table
    with warnings.catch_warnings(), redirect_stderr(StringIO()):
        warnings.simplefilter("ignore")
        step(make_rows())
    return NOTICE.n_compiled - before


def list_steps() -> Iterator[tuple[str, Callable[[Rows], None]]]:
    """What is done, by the name of the estimator."""
    for numeric in ("auto", "kernel", "mdl", "equal_width", "gaussian"):
        yield "NaiveBayesClassifier", _classes(bayfold.NaiveBayesClassifier(numeric=numeric))
    for model in (
        bayfold.NaiveBayesClassifier(calibration="temperature"),
        bayfold.NaiveBayesClassifier(select=True),
        bayfold.BoostedNaiveBayesClassifier(n_rounds=20),
        bayfold.AveragedOneDependenceClassifier(),
        bayfold.NaiveBayesTreeClassifier(max_depth=2),
        bayfold.NaiveBayesTreeClassifier(max_depth=1, utility="leave_one_out"),
        bayfold.AdaBoostNaiveBayesClassifier(n_rounds=3),
        bayfold.AdaBoostNaiveBayesClassifier(max_depth=1, n_rounds=3),
        bayfold.AdaBoostNaiveBayesClassifier(method="real", n_rounds=3),
        bayfold.ClassDecompositionClassifier(n_clusters=2),
        bayfold.ViaRegressionClassifier(),
    ):
        yield type(model).__name__, _classes(model)
    for model in (
        bayfold.NaiveBayesRegressor(),
        bayfold.NaiveBayesRegressor(bandwidth="frank1998"),
        bayfold.BoostedNaiveBayesRegressor(n_rounds=20),
        bayfold.MTERegressor(),
        bayfold.MTERegressor(missing="em"),
    ):
        yield type(model).__name__, _numbers(model)
    yield "BoostedNaiveBayesRegressor", _two_values
    yield "a large table", _many_rows
    yield "text", _texts
    yield "NaiveBayesMixture", _clusters
    yield "fit_source", _parts
    yield "BoostedNaiveBayesClassifier", _kept_rows
    yield "NaiveBayesImputer", _gaps
    yield "MDLDiscretizer", _bins


def _many_rows(rows: Rows) -> None:
    """Different rows, more than are looked at one by one; some of them, of which the rest is learnt in finer bins."""
    X = np.random.default_rng(0).normal(size=(MANY_ROWS, 2))
    y = X[:, 0] * X[:, 1] > 0
    bayfold.NaiveBayesClassifier().fit(X, y)
    bayfold.BoostedNaiveBayesClassifier(n_rounds=5).fit(X, y)
    in_order = rows.table.take(np.sort(np.arange(MANY_ROWS) % ROWS))  # categories that come late
    bayfold.NaiveBayesClassifier(calibration=None, numeric="mdl").fit(in_order, y)
    columns = in_order.select(["branch", "place"]).append_column("number", [X[:, 0]])
    bayfold.NaiveBayesClassifier().fit(columns, y)
    bayfold.BoostedNaiveBayesClassifier(n_rounds=200).fit(X[:SOME_ROWS], y[:SOME_ROWS])


def _classes(model: Any) -> Callable[[Rows], None]:
    def run(rows: Rows) -> None:
        for X, y in ((rows.table, rows.two), (rows.table, rows.three), (rows.matrix, rows.two)):
            weights = np.linspace(0.5, 1.5, len(y))
            model.fit(X, y)
            _ask(model, X)
        model.fit(rows.table, rows.two, sample_weight=weights)

    return run


def _numbers(model: Any) -> Callable[[Rows], None]:
    def run(rows: Rows) -> None:
        X = rows.table.drop_columns(["income"])
        _ask(model.fit(X, rows.numbers), X)
        model.predict_interval(X)

    return run


def _two_values(rows: Rows) -> None:
    X = rows.table.drop_columns(["income"])
    larger = rows.numbers > np.median(rows.numbers)
    _ask(bayfold.BoostedNaiveBayesRegressor(n_rounds=20).fit(X, larger.astype(float)), X)


def _ask(model: Any, X: Any) -> None:
    model.predict(X)
    for name in ("predict_proba", "explain"):
        if hasattr(model, name):
            with suppress(NoTablesError):  # votes that do not add up
                getattr(model, name)(X[:20])


def _clusters(rows: Rows) -> None:
    mixture = bayfold.NaiveBayesMixture(random_state=0).fit(rows.table)
    _ask(mixture, rows.table)


def _bins(rows: Rows) -> None:
    bayfold.MDLDiscretizer().fit_transform(rows.matrix, rows.two)


def _gaps(rows: Rows) -> None:
    bayfold.NaiveBayesImputer().fit(rows.table).draw(rows.table, 2, random_state=0)
    bayfold.NaiveBayesImputer().fit_transform(rows.table)


def _texts(rows: Rows) -> None:
    """A column of sentences, at once and in parts."""
    words = np.array(["late", "early", "new", "old", "home", "car", "again", "never", "often"])
    drawn = words[np.random.default_rng(0).integers(0, len(words), (ROWS, 4))]
    notes = [f"{outcome} {' '.join(row)}" for outcome, row in zip(rows.two, drawn, strict=True)]
    table = rows.table.append_column("notes", [notes])
    first = table.slice(0, ROWS // 2)
    second = table.slice(ROWS // 2)
    for y in (rows.two, rows.three):
        _ask(bayfold.NaiveBayesClassifier().fit(table, y), table)
    part = bayfold.NaiveBayesClassifier().fit(first, rows.two[: ROWS // 2])
    other = bayfold.NaiveBayesClassifier(schema=part.schema_).fit(second, rows.two[ROWS // 2 :])
    _ask(part + other, table)


def _parts(rows: Rows) -> None:
    """Learning in two passes, and from batches with new values."""
    source = rows.table.append_column("target", [rows.two]).append_column("whole", [_wholes()])
    bayfold.NaiveBayesClassifier().fit_source(source, target="target")
    weighed = source.append_column("weight", [np.linspace(0.5, 1.5, ROWS)])
    bayfold.NaiveBayesClassifier().fit_source(weighed, target="target", weight="weight")
    model = bayfold.NaiveBayesClassifier()
    whole = _wholes()[:, None]
    model.partial_fit(whole[:10], rows.two[:10], classes=np.unique(rows.two))
    model.predict(whole)
    model.partial_fit(whole, rows.two)
    first = bayfold.NaiveBayesClassifier().fit(whole[: ROWS // 2], rows.two[: ROWS // 2])
    bayfold.NaiveBayesClassifier(schema=first.schema_).fit(whole, rows.two)


def _kept_rows(rows: Rows) -> None:
    """Boosting with rows that stay where they are, as on a cluster, and cells of three columns."""
    X = np.random.default_rng(0).normal(size=(MANY_ROWS, 3))
    y = X.prod(axis=1) > 0
    bayfold.BoostedNaiveBayesClassifier(interactions=3).fit(X[:SOME_ROWS], y[:SOME_ROWS])
    source = rows.table.take(np.arange(MANY_ROWS) % ROWS).select(["branch", "place"])
    for name, x in zip("abc", X.T, strict=True):
        source = source.append_column(name, [x])
    source = source.append_column("target", [y])
    model = bayfold.BoostedNaiveBayesClassifier(n_rounds=5)
    options = SourceOptions(progress=False)
    model._fit_kept(
        SourceFit(model, source, target="target", weight=None, columns=None, options=options)
    )


def _wholes() -> np.ndarray:
    return np.arange(ROWS) % 50
