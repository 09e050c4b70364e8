"""Writes the files of the current protocol that later versions must read: ``python -m tests.persist.protocol``.

Run it once when the protocol is raised, for a folder of the new number. The files of a protocol that was released are
never written again: they stand for the files that people have.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import bayfold
from bayfold.persist.archive import PROTOCOL
from bayfold.persist.kinds import known_parts

FOLDERS = Path(__file__).parent


def rows(n: int = 40) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """A table of few rows, without random numbers, so that it is the same forever."""
    k = np.arange(n)
    X = pd.DataFrame(
        {
            "age": 20.0 + (k * 7) % 31,
            "kind": np.array(["a", "b", "\N{SNAKE}"], object)[(k * k) % 3],
            "size": (k * 3) % 4 + 0.5 * (k % 2),
        }
    )
    X.loc[5, "age"], X.loc[11, "kind"] = np.nan, None
    y = np.array(["no", "yes"])[((k * 7) % 31 + 3 * (k % 4) > 18).astype(int)]
    return X, y, (k * 7) % 31 + 0.25 * (k % 5)


MODELS: dict[str, Any] = {
    "naive_bayes": bayfold.NaiveBayesClassifier(),
    "gaussian": bayfold.NaiveBayesClassifier(numeric="gaussian"),
    "kernel": bayfold.NaiveBayesClassifier(numeric="kernel"),
    "pairs": bayfold.AveragedOneDependenceClassifier(),
    "additive": bayfold.BoostedNaiveBayesClassifier(n_rounds=6, n_models=1, random_state=0),
    "votes": bayfold.AdaBoostNaiveBayesClassifier(n_rounds=3, random_state=0),
    "votes_of_trees": bayfold.AdaBoostNaiveBayesClassifier(max_depth=1, n_rounds=2, random_state=0),
    "confidence": bayfold.AdaBoostNaiveBayesClassifier(method="real", n_rounds=3),
    "tree": bayfold.NaiveBayesTreeClassifier(min_samples_split=5, pruning=None),
    "decomposition": bayfold.ClassDecompositionClassifier(n_clusters=2, random_state=0),
    "regression": bayfold.NaiveBayesRegressor(grid_size=10),
    "via_regression": bayfold.ViaRegressionClassifier(),
    "mte": bayfold.MTERegressor(n_pieces=3),
    "mixture": bayfold.NaiveBayesMixture(n_components=2, random_state=0),
    "imputer": bayfold.NaiveBayesImputer(),
    "discretizer": bayfold.MDLDiscretizer(),
}


def fit(model: Any) -> Any:
    """A model of the table."""
    X, y, target = rows()
    if isinstance(model, bayfold.MDLDiscretizer):
        return model.fit(X[["age", "size"]], y)
    return model.fit(X, target if hasattr(model, "predict_interval") else y)


def answer(model: Any) -> list:
    """What a model says of the first rows, as numbers and strings."""
    X = rows()[0][:12]
    if isinstance(model, bayfold.MDLDiscretizer):
        X = X[["age", "size"]]
    ask = next(a for a in ("predict_proba", "predict_interval", "transform") if hasattr(model, a))
    return np.asarray(getattr(model, ask)(X)).tolist()


def main() -> None:
    """Write a file and its answers for each model, and the parts of all kinds."""
    folder = FOLDERS / f"protocol_{PROTOCOL}"
    if any(folder.glob("*.bayfold")) and "--again" not in sys.argv:
        raise SystemExit(f"{folder} has files already, which are to stay; --again writes them anew")
    folder.mkdir(exist_ok=True)
    warnings.simplefilter("ignore")
    answers = {}
    for name, model in MODELS.items():
        fit(model).save(folder / f"{name}.bayfold")
        answers[name] = answer(model)
    write_json(folder / "answers.json", answers)
    write_json(folder / "parts.json", known_parts())


def write_json(path: Path, content: Any) -> None:
    """The content with one line for each key."""
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in content.items()]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
