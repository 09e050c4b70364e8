"""The page of Elkan (1997)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bayfold import NaiveBayesClassifier
from bayfold.evaluate import sign_test
from benchmarks.measure import growth_exponent
from papers.elkan1997.protocol import (
    ACCURACY,
    BOOSTED,
    DATASETS,
    DEFAULT,
    MEMORY,
    NAME,
    PARTS,
    PLAIN,
    ROUNDS,
    SCALING_MODELS,
    TIME,
    name_boosted,
)
from papers.shared.figures import COLOURS, new_figure, save
from papers.shared.page import Page, number, say_progress
from papers.shared.paper import Paper, Results
from papers.shared.tables import read_dataset
from papers.shared.verdict import Claim, judge_order

STABLE = (
    "; naive Bayes is too stable to gain much, which Ting & Zheng (2003) found on other datasets"
)
METHODS = (PLAIN, *map(name_boosted, ROUNDS), DEFAULT, BOOSTED)


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
    page.claims = [
        write_accuracy(page, results),
        write_time(page, results),
        write_memory(page, results),
        write_parts(page, results),
        write_evidence(page),
    ]
    return page


def write_accuracy(page: Page, results: Results) -> Claim:
    """Errors of ten bins and of their boosting."""
    says = "Boosting makes naive Bayes on ten bins more accurate"
    rows = results.rows(ACCURACY)
    means = rows.groupby(["dataset", "method"]).error.mean().unstack()
    means = means.reindex(index=list(DATASETS), columns=list(METHODS))
    cells = [[str(n), *(number(v) for v in row)] for n, row in means.iterrows()]
    shown = means.dropna(subset=[PLAIN])
    cells.append(["**mean**", *(number(shown[m].mean()) for m in METHODS)])
    page.add(
        "## Equal-width naive Bayes, boosted: error in %", say_progress(*results.progress(ACCURACY))
    )
    page.add_table(["dataset", *METHODS], cells)
    best = name_boosted(10)
    both = means[[PLAIN, best]].dropna()
    if not len(both):
        return Claim(says, "not measured yet", "")
    page.tables["accuracy"] = means.reset_index(names="dataset")
    wins, losses = int((both[best] < both[PLAIN]).sum()), int((both[best] > both[PLAIN]).sum())
    outcome = judge_order([bool(both[best].mean() < both[PLAIN].mean()), wins > losses])
    why = "" if outcome == "reproduced" else STABLE
    return Claim(
        says,
        outcome,
        f"10 rounds: mean error {number(both[PLAIN].mean())} to {number(both[best].mean())}, better on {wins} and "
        f"worse on {losses} datasets (sign test, p {sign_test(wins, losses):.2g}){why}",
    )


def write_time(page: Page, results: Results) -> Claim:
    """Time against examples and attributes."""
    rows = results.rows(TIME)
    figure, axes = new_figure(9, 3.8, columns=2)
    slopes, cells = [], []
    for axis, what in zip(axes, ("rows", "columns"), strict=True):
        for colour, method in zip(COLOURS, SCALING_MODELS, strict=False):
            group = rows[(rows.dataset == what) & (rows.method == method)].sort_values(what)
            if len(group) < 2:
                continue
            axis.plot(group[what], group.seconds, marker="o", color=colour, label=method)
            slope = growth_exponent(group[what].astype(float), group.seconds)
            slopes.append(slope)
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
    return Claim(
        "Time is linear in the examples and in the attributes",
        judge_order([slope <= 1.15 for slope in slopes]),
        "growth exponents " + ", ".join(f"{slope:.2f}" for slope in slopes),
    )


def write_memory(page: Page, results: Results) -> Claim:
    """Memory of a stream."""
    rows = results.rows(MEMORY).sort_values("rows")
    cells = [[f"{r.rows:,}", f"{r.table:.0f}", f"{r.peak:.1f}"] for r in rows.itertuples()]
    page.add("## Memory: rows read in batches of 20,000, 20 columns")
    page.add_table(["rows", "all rows at once, MB", "peak, MB"], cells)
    grows = rows.peak.iloc[-1] / rows.peak.iloc[0] if len(rows) > 1 else np.nan
    return Claim(
        "Memory does not grow with the examples",
        "not measured yet" if np.isnan(grows) else judge_order([bool(grows < 1.2)]),
        f"{number(grows)} times the peak for {rows.rows.iloc[-1] / rows.rows.iloc[0]:.0f} times the rows"
        if len(rows) > 1
        else "",
    )


def write_parts(page: Page, results: Results) -> Claim:
    """One and two workers."""
    rows = results.rows(PARTS)
    says = "Counts of parts add up, so p workers learn p times as fast"
    page.add("## Parts in parallel")
    if not len(rows):
        return Claim(says, "not measured yet", "")
    row = rows.iloc[0]
    faster = row.one / row.two
    page.add(
        f"{int(row.rows):,} rows, 20 columns, best of four: {row.one:.3f} s with one worker, {row.two:.3f} s with two "
        f"({faster:.2f} times as fast). Predictions differ by {row.workers_differ_by:.1g}; those of the sum of two "
        f"halves from those of the whole by {row.sum_differs_by:.1g}."
    )
    exact = row.workers_differ_by == 0 and row.sum_differs_by < 1e-12
    return Claim(
        says,
        judge_order([bool(exact), bool(faster >= 1.5)]),
        f"the same model; two workers {faster:.2f} times as fast",
    )


def write_evidence(page: Page) -> Claim:
    """The log-odds as a sum of weights of evidence."""
    X, y = read_dataset("diabetes", "classification")
    model = NaiveBayesClassifier(
        numeric="equal_width", n_bins=10, smoothing="laplace", calibration=None, n_jobs=1
    ).fit(X, y)
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
    return Claim(
        "Naive Bayes is a sum of weights of evidence, a generalised logistic regression",
        judge_order([gap < 1e-9]),
        f"largest difference {gap:.1e} over {len(odds)} rows",
    )


PAPER = Paper(NAME, (ACCURACY, TIME, MEMORY, PARTS), make_page)
