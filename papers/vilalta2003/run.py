"""The page of Vilalta & Rish (2003)."""

from __future__ import annotations

import pandas as pd

from papers.shared.figures import COLOURS, new_figure, save
from papers.shared.page import Page, number, say_progress
from papers.shared.paper import Paper, Results, Tables, take_table
from papers.shared.published import read_published
from papers.shared.significance import differ
from papers.shared.verdict import Claim, UnknownError, compare, judge_claim, take_known
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
    OF_PAPER,
    TABLE,
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
    published = read_stated()
    means = rows.groupby(["dataset", "method"])[["accuracy", "clusters"]].mean().unstack()
    accuracy = means["accuracy"].reindex(index=published.index, columns=COLUMNS)
    clusters = means["clusters"].reindex(index=published.index, columns=COLUMNS)
    write_example(page, results.folder)
    write_table(page, results, published, accuracy, clusters)
    write_tests(page, rows, published)
    write_clusterers(page, means["accuracy"])
    draw_figures(page, results, published, accuracy, clusters)
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
    page.tables["clusters"] = clusters.reset_index(names="dataset")
    write_losses(page, published, accuracy, clusters)
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


WORSE = 0.5
"""Points of accuracy from which a decomposition counts as worse than naive Bayes."""


def find_losses(before: pd.Series, after: pd.Series) -> pd.Series:
    """The datasets where a decomposition loses more than half a point, and how much."""
    gain = (after - before).dropna()
    return gain[gain < -WORSE].sort_values()


def write_losses(
    page: Page, published: pd.DataFrame, accuracy: pd.DataFrame, clusters: pd.DataFrame
) -> None:
    """Numbers of clusters, and datasets that lose by the paper's protocol."""
    both = clusters[OF_PAPER].dropna()
    if not len(both):
        return
    stated = published.clusters_mean[both.index].mean()
    lost = {
        "Published": find_losses(published.nb, published.nb_decomposed),
        "Measured": find_losses(accuracy[NB], accuracy[OF_PAPER]),
    }
    words = [
        f"{who}, the decomposition loses more than half a point on {len(found)} datasets"
        + (": " + ", ".join(f"{n} ({v:+.1f})" for n, v in found.items()) if len(found) else "")
        for who, found in lost.items()
    ]
    page.add(
        f"The mean number of clusters per class is {both.mean():.1f} here, {stated:.1f} in the paper. The search adds "
        "components as long as the likelihood of rows left out rises, so it depends on where the mixtures start, on "
        "the floor under variances and on the shuffle; no version of the paper's tool finds the published numbers "
        "either. " + ". ".join(words) + "."
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
    wanted = [m for m in (NB, ACCURACY, K_MEANS, GAUSSIANS) if m in accuracy.columns]
    table = accuracy[wanted].dropna()
    if not {K_MEANS, GAUSSIANS} & set(wanted) or not len(table):
        return
    page.add("## Other clusterers: numbers of clusters by accuracy")
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


def judge_claims(tables: Tables) -> list[Claim]:
    """Claim by claim."""
    return [
        judge_products(tables),
        judge_mean(tables),
        judge_regions(tables),
        judge_clusters(tables),
        judge_harm(tables),
        judge_inside(tables),
    ]


def read_stated() -> pd.DataFrame:
    """The published table."""
    return read_published("vilalta2003_table1_accuracy").drop(index="average")


def take_pair(tables: Tables, name: str, *methods: str) -> pd.DataFrame:
    """Columns of a table, on the datasets where all of them are known."""
    found = take_table(tables, name).set_index("dataset")[list(methods)].dropna()
    if not len(found):
        raise UnknownError
    return found


def judge_products(tables: Tables) -> Claim:
    """What the paper's argument rests on, in numbers."""

    def find() -> pd.DataFrame:
        return take_table(tables, "products").set_index("distribution")

    def added() -> pd.Series:
        return find().of_product - find().entropy

    def near() -> pd.DataFrame:
        return take_table(tables, "concentrated")

    return judge_claim(
        "A product of marginals is the flattest distribution that has them, so it blurs a class in several regions",
        [
            (
                "no random distribution with the same marginals has more entropy",
                lambda: bool((find().flatter == 0).all()),
            ),
            (
                "the divergence is the entropy that the product adds, to 1e-4 bits",
                lambda: bool((find().divergence - added()).abs().max() < 1e-4),
            ),
            (
                "that of a cluster in one region is 0",
                lambda: abs(find().divergence["one of its clusters"]) < 1e-9,
            ),
            (
                "where all but a share d of a class is in one cell, the product of n columns is within n d of it",
                lambda: bool((near().largest_gap <= near().bound).all()),
            ),
        ],
        lambda: (
            f"class + of Figure 1 {find().divergence['class + of Figure 1']:.2f} bits, one of its clusters 0"
        ),
    )


def judge_mean(tables: Tables) -> Claim:
    """The averages of Table 1."""

    def means() -> tuple[float, ...]:
        both = take_pair(tables, "table1", NB, OF_PAPER)
        stated = read_stated().loc[both.index]
        columns = both[NB], both[OF_PAPER], stated.nb, stated.nb_decomposed
        return tuple(float(column.mean()) for column in columns)

    def gains() -> tuple[float, float]:
        before, after, stated_before, stated_after = means()
        return after - before, stated_after - stated_before

    return judge_claim(
        "Decomposition raises the mean accuracy from 80.6 to 85.2 over 26 datasets",
        [
            (
                "by at least 70 % of the published gain on the same datasets",
                lambda: gains()[0] >= 0.7 * gains()[1],
            )
        ],
        lambda: "{:.1f} to {:.1f} (published there {:.1f} to {:.1f})".format(*means()),
    )


def judge_regions(tables: Tables) -> Claim:
    """Where the paper gains most."""

    def near() -> pd.Series:
        found = take_pair(tables, "table1", OF_PAPER)[OF_PAPER]
        stated = read_stated().loc[found.index]
        large = stated[stated.nb_decomposed - stated.nb > 3].index
        if not len(large):
            raise UnknownError
        return found[large] >= stated.nb_decomposed[large] - 3

    return judge_claim(
        "The gains are large where classes lie in several regions (vowel, vehicle, autos, anneal, ...)",
        [
            (
                "within 3 points of the published accuracy, or better, on more than half of the datasets with a "
                "published gain above 3 points",
                lambda: near().mean() > 0.5,
            ),
            ("on all of them", lambda: bool(near().all())),
        ],
        lambda: f"on {near().sum()} of {len(near())}",
    )


def judge_clusters(tables: Tables) -> Claim:
    """Whether many clusters go with large gains."""

    def rank() -> tuple[float, int]:
        accuracy = take_pair(tables, "table1", NB, OF_PAPER)
        clusters = take_pair(tables, "clusters", OF_PAPER)[OF_PAPER].reindex(accuracy.index)
        gain = accuracy[OF_PAPER] - accuracy[NB]
        return take_known(clusters.corr(gain, "spearman")), len(gain)

    return judge_claim(
        "The more clusters per class, the larger the gain",
        [("rank correlation above .3", lambda: rank()[0] > 0.3)],
        lambda: "rank correlation {:.2f} over {} datasets".format(*rank()),
    )


def judge_harm(tables: Tables) -> Claim:
    """The datasets that lose by the paper's protocol."""

    def lost() -> int:
        both = take_pair(tables, "table1", NB, OF_PAPER)
        return len(find_losses(both[NB], both[OF_PAPER]))

    stated = read_stated()
    allowed = len(find_losses(stated.nb, stated.nb_decomposed))
    return judge_claim(
        f"It does little harm where there is nothing to gain (worse by more than {WORSE} points on {allowed} of 26)",
        [
            (
                f"the paper's protocol is worse by more than {WORSE} points on at most {allowed} datasets",
                lambda: lost() <= allowed,
            ),
            ("on at most twice as many", lambda: lost() <= 2 * allowed),
        ],
        lambda: f"on {lost()}",
    )


def judge_inside(tables: Tables) -> Claim:
    """The same with clusters from training rows alone."""

    def lost(method: str) -> int:
        both = take_pair(tables, "table1", NB, method)
        return len(find_losses(both[NB], both[method]))

    return judge_claim(
        "No claim of the paper: the same where clusters are found inside folds, so that rows left out take no part",
        [
            (
                f"{method}, worse by more than {WORSE} points on no dataset",
                lambda method=method: lost(method) == 0,
            )
            for method in (LIKELIHOOD, ACCURACY)
        ],
        lambda: ", ".join(f"{method}: on {lost(method)}" for method in (LIKELIHOOD, ACCURACY)),
    )


BESIDE = (BINS, BINS_ACCURACY, DEFAULT, DEFAULT_ACCURACY, BOOSTED, K_MEANS, GAUSSIANS)
PAPER = Paper(NAME, (TABLE,), make_page, judge_claims, BESIDE)
