"""The two small tables of the README, from the files that the benchmarks wrote.

``python -m benchmarks.readme`` writes them; a test says when the README and the files differ.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
DEFAULTS = ROOT / "papers" / "results" / "defaults.md"
PAGES = (ROOT / "README.md", ROOT / "docs" / "index.md")

SPEED_ROW = "1,000,000 x 20, 2"
SPEED = {
    "`NaiveBayesClassifier`": "default, s",
    "`BoostedNaiveBayesClassifier`": "boosted, s",
    "GaussianNB of scikit-learn": "GaussianNB, s",
    "HistGradientBoosting of scikit-learn": "HistGradientBoosting, s",
}
PEERS = ("CatBoost", "RandomForest", "XGBoost", "LightGBM", "HistGradientBoosting")
ACCURACY = (
    (
        "{} tables with classes, means | error % | log-loss | CPU s of a fit",
        {"error, %": 1, "log-loss": 2, "CPU s of a fit, mean": 2},
        (
            "BoostedNaiveBayesClassifier",
            "NaiveBayesClassifier",
            *PEERS,
            "LogisticRegression",
            "GaussianNB",
        ),
    ),
    (
        "{} tables with numbers, means | RMSE % | CRPS % | CPU s of a fit",
        {"relative RMSE, %": 1, "relative CRPS, %": 1, "CPU s of a fit, mean": 2},
        ("BoostedNaiveBayesRegressor", "NaiveBayesRegressor", *PEERS, "Ridge"),
    ),
)
"""Headings, columns with their digits, and models of the two tables."""

OVER_53 = {
    "`NaiveBayesClassifier`": "bayfold, default",
    "GaussianNB of scikit-learn": "GaussianNB",
    "LogisticRegression": "LogisticRegression",
    "RandomForest": "RandomForest",
    "HistGradientBoosting": "HistGradientBoosting",
}
OVER_38 = {
    "`BoostedNaiveBayesClassifier`": "interactions=2",
    "RandomForest": "RandomForest, one-hot",
    "HistGradientBoosting": "HistGradientBoosting",
}


def read_tables(name: str) -> list[list[dict[str, str]]]:
    """All tables of a result file, each as rows by heading."""
    return find_tables((RESULTS / f"{name}.md").read_text(encoding="utf-8"))


def find_tables(text: str) -> list[list[dict[str, str]]]:
    """All tables of a page."""
    tables = []
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        lines = [
            [cell.strip(" *") for cell in line.strip("|").split("|")] for line in block.splitlines()
        ]
        tables.append([dict(zip(lines[0], line, strict=False)) for line in lines[2:]])
    return tables


def make_speed() -> str:
    """Seconds and megabytes of a fit of a million rows."""
    table = read_tables("growth")[0]
    (row,) = (each for each in table if each["rows x columns, classes"] == SPEED_ROW)
    lines = ["| a fit of 1,000,000 rows, 20 numbers | CPU seconds |", "|---|---:|"]
    lines += [f"| {name} | {float(row[key]):.2f} |" for name, key in SPEED.items()]
    return "\n".join(lines)


def make_accuracy() -> str:
    """Mean errors over all datasets, of classes and of numbers, from the table of default settings."""
    text = DEFAULTS.read_text(encoding="utf-8")
    sizes = re.findall(r"^(\d+) datasets\.", text, re.MULTILINE)
    tables = [
        {row["model"]: row for row in table}
        for table in find_tables(text)
        if "mean rank" in table[0]
    ]
    blocks = []
    for table, size, (words, digits, shown) in zip(tables, sizes, ACCURACY, strict=True):
        lines = [f"| {words.format(size)} |", "|---|---:|---:|---:|"]
        for name in shown:
            if name in table:
                cells = [_round(table[name][key], n) for key, n in digits.items()]
                name = f"`{name}`" if "NaiveBayes" in name else name
                lines.append(f"| {name} | {' | '.join(cells)} |")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _round(cell: str, digits: int) -> str:
    """A number of a table; a model without a distribution has no CRPS."""
    return f"{float(cell):.{digits}f}" if cell else ""


def fill(text: str) -> str:
    """The page with its tables as the files have them."""
    for name, table in (("speed", make_speed()), ("accuracy", make_accuracy())):
        mark = f"<!-- {name} -->"
        text = re.sub(f"{mark}.*?{mark}", f"{mark}\n{table}\n{mark}", text, flags=re.DOTALL)
    return text


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(fill(page.read_text(encoding="utf-8")), encoding="utf-8")
