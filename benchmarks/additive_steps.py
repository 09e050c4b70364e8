"""One-column tables fitted in three ways: what held-out loss do they reach, and after how many passes over the data?

Round by round: a shrunken Newton step on the table of one column after the other; on all tables at once, shrunken
so far that many columns do not overshoot together; or on the best column of a few, as a tree with four leaves.

    python -m benchmarks.additive_steps --output benchmarks/results/additive_steps.md
"""

from __future__ import annotations

import argparse
import shlex
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from rich.progress import track
from scipy.special import softmax

from bayfold.core.counts import LabelledRows
from bayfold.core.frames import find_groups, read_table
from bayfold.core.schema import infer_schema
from bayfold.families.boosting.rounds.cross_fit import ROW_SHARE, Task, count_drawn, fit_trees
from bayfold.families.boosting.rounds.distinct_rows import DistinctRows, code_rows
from bayfold.families.boosting.rounds.resolution import choose_coarsening
from bayfold.families.boosting.rounds.task import make_log_loss
from bayfold.families.boosting.settings import BoostSettings
from bayfold.families.boosting.starts.categories import CrossFitStart, find_prior
from benchmarks.domains import TING_ZHENG, Domain
from benchmarks.report import describe_run, format_table, publish

RATE, RIDGE, PATIENCE, MOST_PASSES = 0.1, 1.0, 30, 3000.0


def code_domain(domain: Domain) -> tuple[DistinctRows, np.ndarray, np.ndarray]:
    """A third of the rows held out as the only fold that is left out, the codes per column, and which are ordered."""
    table = read_table(domain.arrow, 1)
    group_of, groups = find_groups(domain.target)
    schema = infer_schema(table, max_bins=32, max_categories=253)
    coded = code_rows(LabelledRows(table, groups, group_of), schema)
    train, test = domain.splits(0)[0]
    order = np.concatenate([test, train])
    columns = [schema.columns[j] for j in schema.narrow]
    rows = DistinctRows(
        coded.codes[order],
        coded.wide[order],
        group_of[order].astype(np.int64),
        np.empty(0),
        np.ones(len(order)),
        np.array([0, len(test), len(order)]),
    )
    ordered = np.array([column.kind == "numeric" for column in columns])
    return rows, np.array([column.n_codes for column in columns]), ordered


def newton_losses(
    rows: DistinctRows, n_codes: np.ndarray, together: bool
) -> Iterator[tuple[float, float]]:
    """Passes so far and held-out loss, after each round of steps on whole tables."""
    n_out, n_columns = int(rows.folds[1]), rows.codes.shape[1]
    n_groups = int(rows.labels.max()) + 1
    truth = np.eye(n_groups)[rows.labels]
    prior = (truth[n_out:].sum(axis=0) + 1) / (len(truth) - n_out + n_groups)
    scores = np.tile(np.log(prior), (len(truth), 1))
    rate = min(RATE, 1 / n_columns) if together else RATE
    passes = 0.0
    while passes < MOST_PASSES:
        p = softmax(scores, axis=1)
        moves = np.zeros_like(scores)
        for j in range(n_columns):
            if not together:
                p = softmax(scores, axis=1)
            g, h = (
                np.stack(
                    [np.bincount(rows.codes[n_out:, j], v, n_codes[j]) for v in part[n_out:].T]
                )
                for part in (truth - p, p * (1 - p))
            )
            step = rate * (g / (h + RIDGE)).T[rows.codes[:, j]]
            if together:
                moves += step
            else:
                scores = scores + step
        scores = scores + moves
        # a step on one column reads that column to count and to move, but gradients are computed anew for every row
        passes += 1.0 if together else float(n_columns)
        p = softmax(scores[:n_out], axis=1)
        yield passes, float(-np.log(p[np.arange(n_out), rows.labels[:n_out]]).mean())


def best_of(losses: Iterator[tuple[float, float]]) -> tuple[float, float]:
    """Passes and loss at the best round, stopping after some rounds without a better one."""
    best, since = (0.0, np.inf), 0
    for passes, loss in losses:
        best, since = ((passes, loss), 0) if loss < best[1] else (best, since + 1)
        if since >= PATIENCE:
            break
    return best


def tree_losses(
    rows: DistinctRows, n_codes: np.ndarray, ordered: np.ndarray
) -> Iterator[tuple[float, float]]:
    """The same for trees on one column; a round reads some columns of the drawn rows, then one column of all."""
    settings = BoostSettings(interactions=1, n_rounds=1000, patience=PATIENCE)
    n_columns, prior = rows.codes.shape[1], find_prior(rows)
    coarsening = choose_coarsening(rows, n_codes, ordered, prior)
    loss, n_drawn = make_log_loss(len(prior)), count_drawn(n_columns)
    task = Task(rows, n_codes, ordered, loss, n_drawn, coarsening)
    losses = fit_trees(task, 1, CrossFitStart(rows, prior, []), settings).trees.losses
    passes = (ROW_SHARE * count_drawn(n_columns) + 1) / n_columns
    for k, loss in enumerate(losses):
        yield (k + 1) * passes, float(loss)


def main() -> None:
    """Measure and print, or write to a file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--max-rows", type=int, default=5000, help="leave out larger domains")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    rows, sums = [], np.zeros((3, 2))
    for name in track(list(TING_ZHENG.values()), description="steps", transient=True):
        domain = Domain.load(name)
        if len(domain.target) > arguments.max_rows:
            continue
        coded, n_codes, ordered = code_domain(domain)
        found = [
            best_of(newton_losses(coded, n_codes, together=False)),
            best_of(newton_losses(coded, n_codes, together=True)),
            best_of(tree_losses(coded, n_codes, ordered)),
        ]
        sums += found
        rows.append([name, *(f"{loss:.4f} / {passes:.0f}" for passes, loss in found)])
    rows.append(
        ["**mean**", *(f"**{loss:.4f} / {passes:.0f}**" for passes, loss in sums / len(rows))]
    )
    header = [
        "held-out log-loss / passes",
        "column by column",
        "all columns at once",
        "best column, four leaves",
    ]
    parts = [
        "# Steps of one-column tables",
        describe_run(shlex.join(["python", "-m", "benchmarks.additive_steps", *sys.argv[1:]])),
        f"Held out: one of three folds. Rate {RATE} (all at once: at most 1 / columns), stop after {PATIENCE} rounds "
        f"without a lower loss or {MOST_PASSES:.0f} passes. A pass reads every cell once.",
        format_table(header, rows),
    ]
    report = "\n\n".join(parts) + "\n"
    publish(report, arguments.output)


if __name__ == "__main__":
    main()
