"""AdaBoost with naive Bayes and leveled naive Bayes trees on the domains of Ting & Zheng (2003).

Published beside measured: error of LNBT(d) and of BLNBT(d), its boosting by AdaBoost.M1, in ten repeats of three-fold
cross-validation, with the sign tests and the bias and variance of the paper. All domains of the paper but Coding, which
is not to be had. Needs the datasets in the folder named by BAYFOLD_DATA.

    python -m papers.ting2003 --output papers/results/ting2003.md
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import Progress
from sklearn.base import clone

from bayfold import AdaBoostNaiveBayesClassifier, NaiveBayesTreeClassifier
from bayfold.datasets import load_dataset
from bayfold.errors import DataWarning
from bayfold.evaluate import cross_validate, find_bias_and_variance, sign_test

PUBLISHED = Path(__file__).parent / "published"
FILES = {
    "Abalone": "abalone3",
    "Annealing": "anneal.ORIG",
    "Audiology": "audiology",
    "Breast (W)": "breast-w",
    "Chess (kr-kp)": "kr-vs-kp",
    "Credit (A)": "credit-a",
    "DNA": "dna",
    "Glass": "glass",
    "Heart (C)": "heart-cleveland-num",
    "Horse colic": "colic",
    "House Votes 84": "vote",
    "Hypothyroid": "hypothyroid-3163",
    "LED24": "led24",
    "Liver disorder": "bupa",
    "Nettalk(s)": "nettalk-stress",
    "Nursery": "nursery",
    "Pima": "diabetes",
    "Primary tumor": "primary-tumor",
    "Satellite": "satimage",
    "Solar flare": "solar-flare",
    "Sonar": "sonar",
    "Soybean": "soybean",
    "Splice junction": "splice-3177",
    "Tic-tac-toe": "tic-tac-toe",
}
"""The paper's names and those of the files."""

Measured = dict[str, dict[str, np.ndarray]]
"""By model and then by quantity: one value per domain."""


def make_models(depths: list[int], rounds: int, branch: float | None, split: str) -> dict:
    """LNBT(d) and BLNBT(d) with the paper's estimates: denominators count rows whose value is missing too."""
    models = {}
    for depth in depths:
        of_splits = {"split": split, "min_samples_branch": branch} if depth > 0 else {}
        tree = NaiveBayesTreeClassifier(depth, **of_splits, pruning=None, denominator="all")
        models[f"LNBT({depth})"] = clone(tree).set_params(n_jobs=1)
        models[f"BLNBT({depth})"] = AdaBoostNaiveBayesClassifier(
            base=tree, n_rounds=rounds, n_jobs=1
        )
    return models


def measure(models: dict, repeats: int, n_jobs: int) -> tuple[Measured, list[float]]:
    """Error, bias and variance in % of every model on every domain, and seconds per domain."""
    names = list(models)
    found = {name: {"error": [], "bias": [], "variance": []} for name in names}
    seconds = []
    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal, transient=True) as progress:
        for file in progress.track(list(FILES.values()), description="domains"):
            dataset = load_dataset(file, task="classification")
            start = time.perf_counter()
            result = cross_validate(
                models, dataset.frame, dataset.target, n_repeats=repeats, n_folds=3, n_jobs=n_jobs
            )
            seconds.append(time.perf_counter() - start)
            parts = find_bias_and_variance(result)
            for k, name in enumerate(names):
                for quantity, values in found[name].items():
                    values.append(100 * parts[quantity][k])
    arrays = {
        name: {key: np.array(values) for key, values in of.items()} for name, of in found.items()
    }
    return arrays, seconds


def read_published(depths: list[int]) -> dict[str, np.ndarray]:
    """Published errors by model, in the order of the domains; boosted ones are given as ratios."""
    with (PUBLISHED / "ting2003_table3_leveled_trees.csv").open() as file:
        rows = {row["domain"]: row for row in csv.DictReader(file)}
    published = {}
    for depth in depths:
        plain = np.array([float(rows[name][f"lnbt{depth}_error"]) for name in FILES])
        ratio = np.array([float(rows[name][f"blnbt{depth}_over_lnbt{depth}"]) for name in FILES])
        published[f"LNBT({depth})"] = plain
        published[f"BLNBT({depth})"] = plain * ratio
    return published


def write_errors(published: dict[str, np.ndarray], measured: Measured) -> list[str]:
    """The table of errors with a line of means, and one that counts agreements."""
    names = list(measured)
    lines = ["| domain | " + " | ".join(names) + " |", "|---|" + "---:|" * len(names)]
    for k, domain in enumerate(FILES):
        cells = [f"{published[n][k]:.1f} / {measured[n]['error'][k]:.1f}" for n in names]
        lines.append(f"| {domain} | " + " | ".join(cells) + " |")
    means = [f"{published[n].mean():.2f} / {measured[n]['error'].mean():.2f}" for n in names]
    gaps = [f"{measured[n]['error'].mean() - published[n].mean():+.2f}" for n in names]
    near = [int((np.abs(measured[n]["error"] - published[n]) <= 2).sum()) for n in names]
    lines += ["| **mean** | " + " | ".join(means) + " |"]
    lines += ["| measured - published | " + " | ".join(gaps) + " |"]
    lines += ["| domains within 2 points | " + " | ".join(map(str, near)) + " |"]
    return lines


def write_records(published: dict[str, np.ndarray], measured: Measured, depths: list[int]) -> list:
    """Wins, losses and sign tests of boosting, published (on these domains) beside measured."""
    lines = [
        "| boosted against | published wins/losses | p | measured wins/losses | p |",
        "|---|---|---:|---|---:|",
    ]
    pairs = [(f"BLNBT({d})", f"LNBT({d})") for d in depths]
    pairs += [(f"BLNBT({d})", "LNBT(0)") for d in depths if d and 0 in depths]
    for a, b in pairs:
        cells = []
        for of in (published, {name: of["error"] for name, of in measured.items()}):
            wins, losses = int((of[a] < of[b]).sum()), int((of[a] > of[b]).sum())
            cells.append(f"{wins}/{losses} | {sign_test(wins, losses):.4f}")
        lines.append(f"| {a} against {b} | " + " | ".join(cells) + " |")
    return lines


def write_bias(measured: Measured, depths: list[int]) -> list[str]:
    """Bias and variance; the published ones are means over all 25 domains."""
    with (PUBLISHED / "ting2003_table4_bias_variance.csv").open() as file:
        rows = {int(row["depth"]): row for row in csv.DictReader(file)}
    lines = ["| model | published bias + variance | measured |", "|---|---|---|"]
    for depth in depths:
        for name, key in ((f"LNBT({depth})", "lnbt"), (f"BLNBT({depth})", "blnbt")):
            row = rows[depth]
            mine = f"{measured[name]['bias'].mean():.1f} + {measured[name]['variance'].mean():.1f}"
            lines.append(f"| {name} | {row[f'{key}_bias']} + {row[f'{key}_variance']} | {mine} |")
    return lines


def write_variants(depths: list[int], repeats: int, rounds: int, n_jobs: int) -> list[str]:
    """Mean errors under the choices that the paper leaves open."""
    chosen = [depth for depth in depths if depth in (1, 3)]
    published = read_published(chosen)
    names = [f"{kind}({depth})" for depth in chosen for kind in ("LNBT", "BLNBT")]
    lines = ["| tests of numbers, branches | " + " | ".join(names) + " |"]
    lines += ["|---|" + "---:|" * len(names)]
    lines += ["| published | " + " | ".join(f"{published[n].mean():.2f}" for n in names) + " |"]
    for split in ("multiway", "threshold"):
        for branch, rule in ((30.0, "30 rows in every branch"), (None, "2 rows in two branches")):
            measured, _ = measure(make_models(chosen, rounds, branch, split), repeats, n_jobs)
            cells = [f"{measured[name]['error'].mean():.2f}" for name in names]
            lines.append(f"| {split}, {rule} | " + " | ".join(cells) + " |")
    return lines


def main() -> None:
    """Measure and print, or write to a file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--depths", default="0,1,3", help="with commas")
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--split", default="multiway", choices=["multiway", "threshold"])
    parser.add_argument("--branch", type=float, default=30, help="0: C4.5's rule")
    parser.add_argument("--variants", type=int, default=0, help="repeats for other choices")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", DataWarning)  # unseen categories and small classes are expected
    warnings.filterwarnings("ignore", message="The least populated class")
    depths = [int(depth) for depth in arguments.depths.split(",")]
    models = make_models(depths, arguments.rounds, arguments.branch or None, arguments.split)
    measured, seconds = measure(models, arguments.repeats, arguments.jobs)
    published = read_published(depths)
    command = (
        f"python -m papers.ting2003 --depths {arguments.depths} --repeats {arguments.repeats} "
        f"--rounds {arguments.rounds} --split {arguments.split} --branch {arguments.branch:g}"
    )
    lines = [
        "# Ting & Zheng (2003): boosting naive Bayes, and leveled naive Bayes trees",
        "",
        "",
        "",
        f"Error in %, published / measured, {arguments.repeats} x 3-fold cross-validation, "
        f"{arguments.rounds} rounds; the 24 domains that are to be had.",
        "",
        *write_errors(published, measured),
        "",
        "Sign tests, exact and one-tailed, on these domains:",
        "",
        *write_records(published, measured, depths),
        "",
        "Bias and variance (Kohavi & Wolpert), in %; the published ones are over all 25 domains:",
        "",
        *write_bias(measured, depths),
        "",
    ]
    if arguments.variants:
        command += f" --variants {arguments.variants}"
        variants = (depths, arguments.variants, arguments.rounds, arguments.jobs)
        lines += [
            f"Mean error under choices that the paper leaves open, {arguments.variants} repeats:",
            "",
            *write_variants(*variants),
            "",
        ]
    lines[2] = f"Written by `{command}`, {sum(seconds):.0f} s for the first table."
    text = "\n".join(lines)
    print(text)
    if arguments.output:
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        arguments.output.write_text(text)


if __name__ == "__main__":
    main()
