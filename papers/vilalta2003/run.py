"""The page of Vilalta & Rish (2003)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from papers.shared.figures import COLOURS, new_figure, save
from papers.shared.page import Page, number, say_progress
from papers.shared.paper import Paper, Results
from papers.shared.published import read_published
from papers.shared.significance import differ
from papers.shared.verdict import Claim, compare, judge_order
from papers.vilalta2003.dispersion import write_example
from papers.vilalta2003.protocol import (
    ACCURACY,
    BINS,
    BINS_ACCURACY,
    BOOSTED,
    DEFAULT,
    DEFAULT_ACCURACY,
    GAUSSIANS,
    K_MEANS,
    LIKELIHOOD,
    NAME,
    NB,
    NUMERIC,
    OF_PAPER,
    TABLE,
    TWO,
)

COLUMNS = (
    NB,
    OF_PAPER,
    LIKELIHOOD,
    ACCURACY,
    BINS,
    BINS_ACCURACY,
    DEFAULT,
    DEFAULT_ACCURACY,
    BOOSTED,
)
PLAIN = (NB, BINS, DEFAULT, BOOSTED)
PAIRS = (
    (NB, OF_PAPER),
    (NB, LIKELIHOOD),
    (NB, ACCURACY),
    (BINS, BINS_ACCURACY),
    (DEFAULT, DEFAULT_ACCURACY),
)
EXPLANATION = """\
Accuracy in % of ten-fold cross-validation, mean over five repeats (decomposed: one for segment, sick, chess, mushroom
and for other bases than the paper's); in brackets the mean number of clusters per class.
Published: naive Bayes (NB), decomposed (NB'). Measured, with Gaussian columns unless said otherwise:

* **naive Bayes**: `NaiveBayesClassifier(numeric="gaussian", variance_floor=0.01, smoothing="laplace",
  calibration=None)`;
* **clusters from all rows**: the paper's protocol. Every class is clustered once, before cross-validation, the number
  of clusters by held-out likelihood, and the class of the most probable cluster is predicted. Rows left out take
  part in the clusters;
* **inside folds, by likelihood** and **by accuracy**: `ClassDecompositionClassifier` with `n_clusters="cv"` and
  `"accuracy"` on that base, clusters from training rows alone;
* **bins**: the same with `numeric="equal_frequency"`, and its decomposition by accuracy;
* **bayfold default**: `NaiveBayesClassifier()`, and its decomposition; **bayfold boosted**:
  `BoostedNaiveBayesClassifier()`."""


def make_page(results: Results) -> Page:
    """The table, the tests, the clusterers and the figures."""
    page = Page(
        NAME,
        "Vilalta & Rish (2003): classes decomposed into clusters",
        "repeat r shuffles its folds and starts its clusters with seed r",
    )
    rows = results.rows(TABLE)
    published = read_published("vilalta2003_table1_accuracy").drop(index="average")
    means = rows.groupby(["dataset", "method"])[["accuracy", "clusters"]].mean().unstack()
    accuracy = means["accuracy"].reindex(index=published.index, columns=COLUMNS)
    clusters = means["clusters"].reindex(index=published.index, columns=COLUMNS)
    write_example(page, results.folder)
    write_table(page, results, published, accuracy, clusters)
    write_tests(page, rows, published)
    write_clusterers(page, means["accuracy"])
    draw_figures(page, results, published, accuracy, clusters)
    page.claims = judge_claims(published, accuracy, clusters)
    return page


def write_table(
    page: Page,
    results: Results,
    published: pd.DataFrame,
    accuracy: pd.DataFrame,
    clusters: pd.DataFrame,
) -> None:
    """Table 1."""
    cells = []
    for name, row in published.iterrows():
        line = [str(name), f"{row.nb:.2f}", f"{row.nb_decomposed:.2f} ({row.clusters_mean:.1f})"]
        for method in COLUMNS:
            text = number(accuracy[method][name])
            with_clusters = text and method not in PLAIN
            line.append(f"{text} ({clusters[method][name]:.1f})" if with_clusters else text)
        cells.append(line)
    whole = accuracy.notna().all()
    means = [
        f"**{accuracy[m].mean():.2f}**"
        if whole[m]
        else f"({accuracy[m].notna().sum()} of {len(cells)})"
        for m in COLUMNS
    ]
    stated = [f"**{published[c].mean():.2f}**" for c in ("nb", "nb_decomposed")]
    cells.append(["**mean**", *stated, *means])
    page.add("## Table 1: accuracy in %", EXPLANATION, say_progress(*results.progress(TABLE)))
    page.add_table(["dataset", "NB", "NB'", *COLUMNS], cells)
    page.tables["table1"] = accuracy.reset_index(names="dataset")
    stated_of = {
        NB: "nb",
        OF_PAPER: "nb_decomposed",
        LIKELIHOOD: "nb_decomposed",
        ACCURACY: "nb_decomposed",
    }
    for method, column in stated_of.items():
        page.comparisons.append(
            compare(
                (NAME, "Table 1", method),
                published[column].to_numpy(float),
                accuracy[method].to_numpy(float),
                3.0,
                "3 points",
                results.progress(TABLE, method),
            )
        )


def write_tests(page: Page, rows: pd.DataFrame, published: pd.DataFrame) -> None:
    """Significant gains and losses of decomposition, by t-tests over repeats."""
    by_repeat = rows.groupby(["dataset", "repeat", "method"]).accuracy.mean().unstack()
    lines = []
    for base, split in PAIRS:
        if not {base, split} <= set(by_repeat.columns):
            continue
        both = by_repeat[[base, split]].dropna()
        gains = both.groupby(level=0).mean()
        found = {
            n: differ(g[split].droplevel(0), g[base].droplevel(0)) for n, g in both.groupby(level=0)
        }
        tested = both.groupby(level=0).size().max() > 1
        lines.append(
            [
                split,
                str(len(gains)),
                f"{(gains[split] - gains[base]).mean():+.2f}",
                str((gains[split] >= gains[base] - 0.5).sum()),
                str(sum(f > 0 for f in found.values())) if tested else "one repeat",
                str(sum(f < 0 for f in found.values())) if tested else "one repeat",
            ]
        )
    stated = (published.significant_p01 == "*").sum()
    page.add(
        "## Gains over the same model without clusters",
        "Paired t-tests over repeats, 1 %, of datasets with five of them. The paper marks "
        f"{stated} of 26 datasets as significantly better.",
    )
    header = [
        "decomposed",
        "datasets",
        "mean gain",
        "not worse by 0.5",
        "significantly better",
        "worse",
    ]
    page.add_table(header, lines)


def write_clusterers(page: Page, accuracy: pd.DataFrame) -> None:
    """Other clusterers, the paper's future work."""
    wanted = [m for m in (NB, TWO, K_MEANS, GAUSSIANS) if m in accuracy.columns]
    table = accuracy.reindex(index=list(NUMERIC), columns=wanted).dropna()
    if len(wanted) < 2 or not len(table):
        return
    page.add("## Other clusterers: two clusters a class, datasets of numbers alone")
    cells = [[str(n), *(f"{v:.2f}" for v in row)] for n, row in table.iterrows()]
    cells.append(["**mean**", *(f"**{v:.2f}**" for v in table.mean())])
    page.add_table(["dataset", *wanted], cells)


def draw_figures(
    page: Page,
    results: Results,
    published: pd.DataFrame,
    accuracy: pd.DataFrame,
    clusters: pd.DataFrame,
) -> None:
    """Gains against clusters per class, and accuracies before and after."""
    figure, axes = new_figure(10, 4.2, columns=2)
    gain = accuracy[OF_PAPER] - accuracy[NB]
    stated = published.nb_decomposed - published.nb
    axes[0].scatter(published.clusters_mean, stated, color=COLOURS[1], s=22, label="published")
    axes[0].scatter(clusters[OF_PAPER], gain, color=COLOURS[0], s=22, label="measured")
    axes[0].set(xscale="log", xlabel="mean number of clusters per class", ylabel="gain in points")
    axes[0].legend(fontsize=8)
    axes[1].scatter(published.nb, published.nb_decomposed, color=COLOURS[1], s=22)
    axes[1].scatter(accuracy[NB], accuracy[OF_PAPER], color=COLOURS[0], s=22)
    axes[1].plot([40, 100], [40, 100], color="black", lw=0.8)
    axes[1].set(xlabel="naive Bayes, accuracy in %", ylabel="decomposed")
    save(figure, results.folder / "vilalta2003_figures.png")
    page.add("## Figures")
    page.add_figure(
        "vilalta2003_figures.png", "Gains against clusters per class; accuracy before and after"
    )


def judge_claims(
    published: pd.DataFrame, accuracy: pd.DataFrame, clusters: pd.DataFrame
) -> list[Claim]:
    """Claim by claim."""
    both = accuracy[[NB, OF_PAPER]].dropna()
    n = len(both)
    gain = both[OF_PAPER] - both[NB]
    stated = (published.nb_decomposed - published.nb)[both.index]
    claims = [
        Claim(
            "Decomposition raises the mean accuracy from 80.6 to 85.2 over 26 datasets",
            judge_order([gain.mean() >= 0.7 * stated.mean()] if n else []),
            f"{both[NB].mean():.1f} to {both[OF_PAPER].mean():.1f} on {n} datasets (published there "
            f"{published.nb[both.index].mean():.1f} to {published.nb_decomposed[both.index].mean():.1f})",
        )
    ]
    large = stated.index[stated > 3]
    kept = [bool(both[OF_PAPER][name] >= published.nb_decomposed[name] - 3) for name in large]
    claims.append(
        Claim(
            "The gains are large where classes lie in several regions (vowel, vehicle, autos, anneal, ...)",
            judge_order(kept),
            f"within 3 points of the published accuracy, or better, on {sum(kept)} of {len(kept)} such datasets",
        )
    )
    claims.append(judge_clusters(clusters[OF_PAPER][both.index], gain))
    inside = accuracy[[NB, LIKELIHOOD, ACCURACY]].dropna()
    worse = (inside[LIKELIHOOD] < inside[NB] - 0.5).sum()
    claims.append(
        Claim(
            "It does no harm where there is nothing to gain",
            judge_order(
                [bool(worse == 0), bool((inside[ACCURACY] >= inside[NB] - 0.5).all())]
                if len(inside)
                else []
            ),
            f"inside folds, clusters by likelihood are worse by more than 0.5 points on {worse} of {len(inside)} "
            f"datasets; by accuracy on {(inside[ACCURACY] < inside[NB] - 0.5).sum()}",
        )
    )
    return claims


def judge_clusters(k: pd.Series, gain: pd.Series) -> Claim:
    """Whether many clusters go with large gains."""
    n = len(gain)
    rank = pd.concat([k, gain], axis=1).corr("spearman").iloc[0, 1] if n > 3 else np.nan
    return Claim(
        "The more clusters per class, the larger the gain",
        "not measured yet" if np.isnan(rank) else judge_order([bool(rank > 0.3)]),
        f"rank correlation {number(rank)} over {n} datasets",
    )


PAPER = Paper(NAME, (TABLE,), make_page)
