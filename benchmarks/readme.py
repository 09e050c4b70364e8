"""The two small tables of the README, from the files that the benchmarks wrote.

``python -m benchmarks.readme`` writes them; a test says when the README and the files differ.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
PAGES = (ROOT / "README.md", ROOT / "docs" / "index.md")

SPEED_ROW = "1,000,000 x 20, 2"
SPEED = {
    "`NaiveBayesClassifier`": "default, s",
    "`BoostedNaiveBayesClassifier`": "boosted, s",
    "GaussianNB of scikit-learn": "GaussianNB, s",
    "HistGradientBoosting of scikit-learn": "HistGradientBoosting, s",
}
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
    tables = []
    text = (RESULTS / f"{name}.md").read_text(encoding="utf-8")
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
    """Mean error and log-loss over two collections of datasets."""
    over_53 = {row["model"]: row for row in read_tables("accuracy")[0]}
    means = [row for table in read_tables("additive_accuracy") for row in table]
    over_38 = [row for row in means if row.get("dataset") == "mean"][1]
    lines = ["| error in % / log-loss, means | 53 tables | 38 tables |", "|---|---:|---:|"]
    for name in [*dict.fromkeys([*OVER_53, *OVER_38])]:
        first = over_53.get(OVER_53.get(name, ""))
        cell = f"{float(first['error %']):.1f} / {float(first['log-loss']):.2f}" if first else ""
        lines.append(f"| {name} | {cell} | {_round(over_38.get(OVER_38.get(name, ''), ''))} |")
    return "\n".join(lines)


def _round(cell: str) -> str:
    parts = zip(cell.split("/"), (1, 2), strict=False)
    return " / ".join(f"{float(part):.{digits}f}" for part, digits in parts if part)


def fill(text: str) -> str:
    """The page with its tables as the files have them."""
    for name, table in (("speed", make_speed()), ("accuracy", make_accuracy())):
        mark = f"<!-- {name} -->"
        text = re.sub(f"{mark}.*?{mark}", f"{mark}\n{table}\n{mark}", text, flags=re.DOTALL)
    return text


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(fill(page.read_text(encoding="utf-8")), encoding="utf-8")
