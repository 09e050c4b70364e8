"""The page of Elkan (1997)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bayfold.evaluate import sign_test
from benchmarks.measure import growth_exponent
from papers.elkan1997.protocol import (
    ACCURACY,
    BOOSTED,
    DATASETS,
    DEFAULT,
    MEMORY,
    NAME,
    NETWORK,
    PARTS,
    PLAIN,
    ROUNDS,
    SCALING_MODELS,
    TIME,
    TREE,
    make_classifier,
    name_boosted,
)
from papers.shared.figures import COLOURS, new_figure, save
from papers.shared.page import Page, number, say_progress
from papers.shared.paper import Paper, Results, Tables, take_table
from papers.shared.tables import read_dataset
from papers.shared.verdict import Claim, UnknownError, judge_claim

CHOSEN = name_boosted(10)
METHODS = (PLAIN, *map(name_boosted, ROUNDS), TREE, NETWORK, DEFAULT, BOOSTED)


def make_page(results: Results) -> Page:
    """Accuracy, time, memory, parts, evidence."""
    page = Page(
        NAME,
        "Elkan (1997): boosting and naive Bayesian learning",
        "repeat r shuffles its folds with seed r; tables of numbers are drawn with their number of columns for seed",
    )
    page.add(
        "The report's own tables are not to be had, so there are no published cells: what it claims is tested."
    )
    write_accuracy(page, results)
    write_time(page, results)
    write_memory(page, results)
    write_parts(page, results)
    write_evidence(page)
    return page


def write_accuracy(page: Page, results: Results) -> None:
    """Errors of ten bins, of their boosting, and of the methods the report compares with."""
    rows = results.rows(ACCURACY)
    means = rows.groupby(["dataset", "method"]).error.mean().unstack()
    means = means.reindex(index=list(DATASETS), columns=list(METHODS))
    cells = [[str(n), *(number(v) for v in row)] for n, row in means.iterrows()]
    shown = means.dropna(subset=[PLAIN])
    cells.append(["**mean**", *(number(shown[m].mean()) for m in METHODS)])
    page.add("## Ten bins, boosted: error in %", say_progress(*results.progress(ACCURACY)))
    page.add(
        f"**{PLAIN}** is Equations 1 and 2 of the report. C4.5 is WEKA's J48, backpropagation scikit-learn's "
        "MLPClassifier as it comes, on scaled numbers: both, and the library's boosting, on the ten folds of the "
        "first repeat; the others on those of three repeats."
    )
    page.add_table(["dataset", *METHODS], cells)
    page.tables["accuracy"] = means.reset_index(names="dataset")
    both = means[[PLAIN, CHOSEN]].dropna()
    if len(both):
        wins = int((both[CHOSEN] < both[PLAIN]).sum())
        losses = int((both[CHOSEN] > both[PLAIN]).sum())
        page.add(
            f"Ten rounds against none: mean error {number(both[PLAIN].mean())} to {number(both[CHOSEN].mean())}, "
            f"better on {wins} and worse on {losses} datasets (sign test, p {sign_test(wins, losses):.2g})."
        )


def write_time(page: Page, results: Results) -> None:
    """Time against examples and attributes."""
    rows = results.rows(TIME)
    figure, axes = new_figure(9, 3.8, columns=2)
    slopes: list[tuple[str, str, float]] = []
    cells = []
    for axis, what in zip(axes, ("rows", "columns"), strict=True):
        for colour, method in zip(COLOURS, SCALING_MODELS, strict=False):
            group = rows[(rows.dataset == what) & (rows.method == method)].sort_values(what)
            if len(group) < 2:
                continue
            axis.plot(group[what], group.seconds, marker="o", color=colour, label=method)
            slope = growth_exponent(group[what].astype(float), group.seconds)
            slopes.append((method, what, slope))
            sizes = f"{group[what].iloc[0]:,} to {group[what].iloc[-1]:,}"
            seconds = f"{group.seconds.iloc[0]:.3f} to {group.seconds.iloc[-1]:.3f}"
            cells.append([method, what, sizes, seconds, f"{slope:.2f}"])
        axis.set(xscale="log", yscale="log", xlabel=what, ylabel="CPU seconds of a fit")
        sizes = sorted(rows.loc[rows.dataset == what, what].astype(int).unique())
        axis.set_xticks(sizes, [f"{size:,}" for size in sizes])
        axis.set_xticks([], minor=True)
        axis.legend(fontsize=8)
    save(figure, results.folder / "elkan1997_time.png")
    page.add("## Time against examples and attributes")
    page.add_figure("elkan1997_time.png", "CPU time of a fit against rows and columns")
    page.add_table(["model", "grows with", "sizes", "CPU s", "exponent"], cells)
    page.tables["time"] = pd.DataFrame(slopes, columns=["model", "what", "exponent"])


def write_memory(page: Page, results: Results) -> None:
    """Memory of a stream."""
    rows = results.rows(MEMORY).sort_values("rows")
    cells = [[f"{r.rows:,}", f"{r.table:.0f}", f"{r.peak:.1f}"] for r in rows.itertuples()]
    page.add("## Memory: rows read in batches of 20,000, 20 columns")
    page.add_table(["rows", "all rows at once, MB", "peak, MB"], cells)
    page.tables["memory"] = rows[["rows", "peak", "table"]]


def write_parts(page: Page, results: Results) -> None:
    """One and two workers."""
    rows = results.rows(PARTS)
    page.add("## Parts in parallel")
    page.tables["parts"] = rows[["rows", "one", "two", "workers_differ_by", "sum_differs_by"]]
    if not len(rows):
        return
    row = rows.iloc[0]
    faster = row.one / row.two
    page.add(
        f"{int(row.rows):,} rows, 20 columns, best of four: {row.one:.3f} s with one worker, {row.two:.3f} s with two "
        f"({faster:.2f} times as fast; other work on the machine shows in both). Predictions differ by "
        f"{row.workers_differ_by:.1g}; those of the sum of two halves from those of the whole by "
        f"{row.sum_differs_by:.1g}."
    )


def write_evidence(page: Page) -> None:
    """The log-odds as a sum of weights of evidence."""
    X, y = read_dataset("diabetes", "classification")
    model = make_classifier().set_params(smoothing="laplace").fit(X, y)  # no weight is infinite
    records = model.explain(X)
    values = pd.Series(records["weight"].astype(float)).groupby(np.asarray(records["row"])).sum()
    probability = model.predict_proba(X)
    odds = np.log(probability[:, 1] / probability[:, 0])
    gap = float(np.abs(values.to_numpy() - odds).max())
    page.add(
        "## Weights of evidence",
        "Naive Bayes as a sum of one weight per bin, on diabetes: the weights of a row and the prior's add up to the "
        f"log-odds of its probabilities, to {gap:.1e}.",
    )
    page.tables["evidence"] = pd.DataFrame({"rows": [len(odds)], "largest_difference": [gap]})


def judge_claims(tables: Tables) -> list[Claim]:
    """Claim by claim."""
    return [
        judge_accuracy(tables),
        judge_time(tables),
        judge_memory(tables),
        judge_parts(tables),
        judge_evidence(tables),
    ]


def judge_accuracy(tables: Tables) -> Claim:
    """Beside the methods that the report compares with."""

    def count(other: str) -> tuple[int, int]:
        both = take_table(tables, "accuracy")[[CHOSEN, other]].dropna()
        if not len(both):
            raise UnknownError
        return int((both[CHOSEN] < both[other]).sum()), len(both)

    return judge_claim(
        "Boosted naive Bayes is more accurate than C4.5 and than backpropagation on many datasets",
        [
            (
                f"ten rounds have a lower error than {other} on at least half of the datasets",
                lambda other=other: count(other)[0] >= count(other)[1] / 2,
            )
            for other in (TREE, NETWORK)
        ],
        lambda: ", ".join(
            "lower error than {} on {} of {}".format(other, *count(other))
            for other in (TREE, NETWORK)
        ),
    )


LARGEST_EXPONENT = 1.15
"""Of a growth that counts as linear: what times of ten milliseconds leave in doubt."""


def judge_time(tables: Tables) -> Claim:
    """Growth with rows and columns."""

    def exponents() -> list[float]:
        return take_table(tables, "time").exponent.tolist()

    return judge_claim(
        "Time is linear in the examples and in the attributes",
        [
            (
                f"all growth exponents at most {LARGEST_EXPONENT}",
                lambda: max(exponents()) <= LARGEST_EXPONENT,
            )
        ],
        lambda: "growth exponents " + ", ".join(f"{value:.2f}" for value in exponents()),
    )


def judge_memory(tables: Tables) -> Claim:
    """Peaks of streams."""

    def growth() -> tuple[float, float]:
        table = take_table(tables, "memory").sort_values("rows")
        first, last = table.iloc[0], table.iloc[-1]
        return last.peak / first.peak, last.rows / first.rows

    return judge_claim(
        "Memory does not grow with the examples",
        [
            (
                "the peak of the longest stream is less than 1.2 times that of the shortest",
                lambda: growth()[0] < 1.2,
            )
        ],
        lambda: "{:.2f} times the peak for {:.0f} times the rows".format(*growth()),
    )


def judge_parts(tables: Tables) -> Claim:
    """One and two workers."""

    def row() -> pd.Series:
        return take_table(tables, "parts").iloc[0]

    return judge_claim(
        "Counts of parts add up, so p workers learn p times as fast",
        [
            (
                "the model of two workers is that of one, the sum of two halves that of the whole, to 1e-12",
                lambda: max(row().workers_differ_by, row().sum_differs_by) < 1e-12,
            ),
            ("two workers at least 1.5 times as fast", lambda: row().one / row().two >= 1.5),
        ],
        lambda: f"two workers {row().one / row().two:.2f} times as fast",
    )


def judge_evidence(tables: Tables) -> Claim:
    """The sum of the weights of rows."""

    def gap() -> float:
        return float(take_table(tables, "evidence").largest_difference.iloc[0])

    return judge_claim(
        "Naive Bayes is a sum of weights of evidence, a generalised logistic regression",
        [("sums differ from log-odds by less than 1e-9", lambda: gap() < 1e-9)],
        lambda: f"largest difference {gap():.1e}",
    )


PAPER = Paper(NAME, (ACCURACY, TIME, MEMORY, PARTS), make_page, judge_claims)
