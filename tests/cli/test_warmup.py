"""After a warm-up, estimators find their kernels compiled."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import bayfold

SOURCES = Path(bayfold.__file__).parent
CODE = """
import json, sys, warnings
from importlib import import_module
from rich.console import Console
from bayfold.cli.warming import warm_up

warm_up(Console(stderr=True), n_processes=1)
packages = [import_module(name) for name in json.loads(sys.argv[1])]
cold = [k for p in packages for k in p.__all__ if not getattr(getattr(p, k), "signatures", True)]
print(json.dumps(cold))
"""

FIT = """
import numpy as np, pandas as pd, warnings
import bayfold
from bayfold.core.kernels.compiler import NOTICE

warnings.simplefilter("ignore")
rng, n = np.random.default_rng(1), 700
X = pd.DataFrame({"x": rng.normal(size=n), "few": rng.integers(0, 5, n), "flag": rng.random(n) < 0.5})
X["letter"], X["many"] = rng.choice(list("abc"), n), rng.choice([f"v{k}" for k in range(400)], n)
y, z = np.where(X.x + X.few > 2, "a", np.where(X.flag, "b", "c")), X.x + X.few
for model in (
    bayfold.NaiveBayesClassifier(),
    bayfold.NaiveBayesTreeClassifier(max_depth=2),
    bayfold.AdaBoostNaiveBayesClassifier(n_rounds=2),
    bayfold.BoostedNaiveBayesClassifier(n_rounds=5),
):
    model.fit(X, y).predict(X)
    model.fit(X, y == "a").predict(X)
for model in (bayfold.NaiveBayesRegressor(), bayfold.BoostedNaiveBayesRegressor(n_rounds=5)):
    model.fit(X, z).predict_interval(X)
bayfold.NaiveBayesMixture(2, random_state=0).fit(X).predict(X)
print(NOTICE.n_compiled)
"""
"""Another table than that of the warm-up, with codes of one byte and of two."""


def test_only_what_is_named_is_compiled(tmp_path):
    changed = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "bayfold", "warmup", "--for", "MDL"]
    told = subprocess.run(command, capture_output=True, text=True, check=True, env=changed)
    assert re.search(r"\d+ kernels compiled in \d+ s", told.stderr)
    assert list(tmp_path.rglob("*find_mdl_cuts*.nbc"))
    assert not list(tmp_path.rglob("*boost_rounds*"))
    again = subprocess.run(command, capture_output=True, text=True, check=True, env=changed)
    assert "warm" in again.stderr
    command[-1] = "forest"
    told = subprocess.run(command, capture_output=True, text=True, check=False, env=changed)
    assert told.returncode == 2
    assert "--for forest: no such estimator. There are " in told.stderr


def find_called() -> set[str]:
    """Kernels that Python code calls; others are called by kernels and compiled into them."""
    files = [path for path in SOURCES.rglob("*.py") if "kernels" not in path.parts]
    return {name for path in files for name in re.findall(r"kernels\.(\w+)\(", path.read_text())}


def test_every_kernel_is_compiled():
    packages = [
        ".".join(("bayfold", *path.relative_to(SOURCES).parts))
        for path in SOURCES.rglob("kernels")
        if (path / "__init__.py").exists()
    ]
    command = [sys.executable, "-c", CODE, json.dumps(packages)]
    told = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ)
    assert set(json.loads(told.stdout)) & find_called() == set()
    assert "compiled" in told.stderr
    assert "bayfold compiles its kernels" not in told.stderr
    told = subprocess.run(
        [sys.executable, "-c", FIT], capture_output=True, text=True, check=True, env=os.environ
    )
    assert told.stdout.split() == ["0"], "a fresh process compiles"
