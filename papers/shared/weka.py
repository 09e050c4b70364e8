"""The original system, WEKA, on our folds: an option of the reproduction, found where the user has it.

The package ``python-weka-wrapper3`` holds ``weka.jar``; ``WEKA_JAR`` may name another. A Java development kit must be
there (11 or later). Without them, the columns that need WEKA are not measured.
"""

from __future__ import annotations

import atexit
import importlib.util
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.number_peers import find_nominal

PROGRAM = Path(__file__).with_name("Folds.java")
M5 = ("weka.classifiers.trees.M5P",)
M5_UNSMOOTHED = (*M5, "-U")
C45 = ("weka.classifiers.trees.J48",)
BOOSTED_C45 = ("weka.classifiers.meta.AdaBoostM1", "-I", "100", "-W", *C45)
"""Pruned, as they come; AdaBoost.M1 with 100 rounds of reweighting."""

Fold = tuple[np.ndarray, np.ndarray]


@cache
def find_jar() -> Path | None:
    """``weka.jar``, if it and Java are there."""
    if shutil.which("java") is None:
        return None
    if os.environ.get("WEKA_JAR"):
        return Path(os.environ["WEKA_JAR"])
    package = importlib.util.find_spec("weka")
    places = list(package.submodule_search_locations or []) if package else []
    jars = [Path(place, "lib", "weka.jar") for place in places]
    return next((jar for jar in jars if jar.exists()), None)


def predict_folds(
    X: pd.DataFrame, y: np.ndarray, folds: Sequence[Fold], classifier: Sequence[str]
) -> list[np.ndarray]:
    """What the classifier, fitted to each fold's training rows, says of the rows held out."""
    with tempfile.TemporaryDirectory() as folder:
        rows, parts = Path(folder, "rows.arff"), Path(folder, "folds.txt")
        classes = write_arff(rows, X, y)
        parts.write_text("".join(mark_rows(len(y), *fold) + "\n" for fold in folds))
        numbers = ask_weka([str(rows), str(parts), *classifier], len(folds))
    return numbers if classes is None else [classes[found.astype(int)] for found in numbers]


def ask_weka(asked: Sequence[str], n_answers: int) -> list[np.ndarray]:
    """A line of numbers for each fold."""
    system = start_weka()
    assert system.stdin is not None
    assert system.stdout is not None
    system.stdin.write("\t".join(asked) + "\n")
    system.stdin.flush()
    found = []
    for _ in range(n_answers):
        line = system.stdout.readline()
        if not line or line.startswith("!"):
            raise RuntimeError(f"WEKA failed: {line[1:].strip() or 'it has ended'}")
        found.append(np.array(line.split(), float))
    return found


@cache
def start_weka() -> subprocess.Popen[str]:
    """Java with our program, WEKA and the libraries beside it (model trees need one of matrices).

    It is compiled and started once in a process: a start takes as long as ten folds of a small table.
    """
    if (jar := find_jar()) is None:
        raise ImportError("neither WEKA nor a JDK is here")
    places = [str(jar), str(jar.parent / "*")]
    options = [
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC",
    ]  # compiling well costs more than it saves
    options += ["--add-opens", "java.base/java.lang=ALL-UNNAMED"]
    command = ["java", *options, "-cp", os.pathsep.join(places), str(PROGRAM)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    system = subprocess.Popen(command, text=True, **pipes)
    atexit.register(system.kill)
    return system


def mark_rows(n_rows: int, train: np.ndarray, test: np.ndarray) -> str:
    """One character for each row."""
    marks = np.full(n_rows, "0")
    marks[train], marks[test] = "1", "2"
    return "".join(marks)


def write_arff(path: Path, X: pd.DataFrame, y: np.ndarray) -> np.ndarray | None:
    """A table with its target last; the classes, if it has such."""
    nominal = set(find_nominal(X))
    columns, lines = [], ["@relation rows"]
    for k, name in enumerate(X.columns):
        is_nominal = name in nominal
        columns.append(_write_cells(X[name].astype(object), is_nominal))
        lines.append(f"@attribute a{k} {_declare(columns[-1]) if is_nominal else 'numeric'}")
    classes = None
    if y.dtype.kind == "f":
        target = ["?" if np.isnan(value) else repr(float(value)) for value in y]
        lines.append("@attribute target numeric")
    else:
        classes, codes = np.unique(y.astype(str), return_inverse=True)
        target = [f"c{code}" for code in codes]
        lines.append(f"@attribute target {{{','.join(f'c{k}' for k in range(len(classes)))}}}")
    lines += ["@data", *(",".join(cells) for cells in zip(*columns, target, strict=True))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return classes


def _write_cells(cells: pd.Series, is_nominal: bool) -> list[str]:
    if is_nominal:  # by number: names may hold quotes and commas
        codes, _ = pd.factorize(cells, sort=True)
        return ["?" if code < 0 else f"v{code}" for code in codes]
    return ["?" if pd.isna(cell) else repr(float(cell)) for cell in cells]


def _declare(cells: list[str]) -> str:
    return "{" + ",".join(sorted(set(cells) - {"?"}) or ["v0"]) + "}"
