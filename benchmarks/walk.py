"""Print the way a default fit takes through the code: modules, functions and changes of layer.

Command: ``python -m benchmarks.walk NaiveBayesClassifier [--calls]``. The table is a small mixed pandas frame.
A layer is a folder of ``bayfold`` (``core.counts``, ``families.boosting``). A change of layer is a pair of functions of
two layers, one of which calls the other; a call in a loop counts once, because a reader follows it once.
"""

from __future__ import annotations

import argparse
import inspect
import sys
import threading
import warnings
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pandas as pd

import bayfold

ROOT = Path(bayfold.__file__).parent


class Walk:
    """Records which functions of bayfold are entered, in the thread that fits."""

    def __init__(self) -> None:
        self.modules: dict[str, int] = {}
        self.functions: dict[tuple[str, str], int] = {}
        self.layer_changes: set[tuple[tuple[str, str], tuple[str, str]]] = set()
        self._thread = threading.get_ident()

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or threading.get_ident() != self._thread:
            return
        name = _function_of(frame)
        if name is None:
            return
        module = name[0]
        self.modules[module] = self.modules.get(module, 0) + 1
        self.functions[name] = self.functions.get(name, 0) + 1
        caller = _caller_of(frame)
        if caller is not None and _layer(caller[0]) != _layer(module):
            self.layer_changes.add((caller, name))


def _function_of(frame: FrameType) -> tuple[str, str] | None:
    path = frame.f_code.co_filename
    if not path.startswith(str(ROOT)):
        return None
    module = ".".join(Path(path).relative_to(ROOT).with_suffix("").parts)
    return module, frame.f_code.co_qualname


def _caller_of(frame: FrameType) -> tuple[str, str] | None:
    caller = frame.f_back
    while caller is not None and _function_of(caller) is None:
        caller = caller.f_back
    return None if caller is None else _function_of(caller)


def _layer(module: str) -> str:
    return module.rpartition(".")[0]


def make_table(n: int = 300) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Numbers, categories, booleans and gaps, with a class and a number to predict."""
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, n)
    frame = pd.DataFrame(
        {
            "income": rng.lognormal(3.0 + group),
            "age": rng.integers(18, 80, n).astype(float),
            "city": rng.choice(["Bern", "Oslo", "Rome"], n),
            "owner": rng.random(n) < 0.3 + 0.4 * group,
        }
    )
    frame.loc[rng.random(n) < 0.1, "income"] = np.nan
    return frame, np.array(["no", "yes"])[group], rng.normal(group, 1.0)


def walk(name: str) -> Walk:
    """The way of the second fit: the first one imports and compiles."""
    X, classes, numbers = make_table()
    y = numbers if name.endswith("Regressor") else classes
    estimator = getattr(bayfold, name)
    fit = estimator().fit
    arguments = (X, y) if "y" in inspect.signature(fit).parameters else (X,)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit(*arguments)
        model = estimator()
        steps = Walk()
        sys.setprofile(steps)
        try:
            model.fit(*arguments)
        finally:
            sys.setprofile(None)
    return steps


def main() -> None:
    """Print the way of one estimator."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("estimator")
    parser.add_argument("--calls", action="store_true", help="list the functions by module")
    arguments = parser.parse_args()
    steps = walk(arguments.estimator)
    for module, calls in sorted(steps.modules.items()):
        print(f"{calls:6d}  {module}")
        if arguments.calls:
            inside = {f: n for (where, f), n in steps.functions.items() if where == module}
            print("\n".join(f"{n:14d}  {function}" for function, n in inside.items()))
    # Python calls them like functions (from 3.12 on generators and lambdas alone), a reader opens none of them
    inner = sum(name.endswith(("comp>", "<genexpr>", "<lambda>")) for _, name in steps.functions)
    print(
        f"{arguments.estimator}().fit: {len(steps.modules)} modules, {len(steps.functions)} functions "
        f"({inner} of them comprehensions and lambdas), {len(steps.layer_changes)} changes of layer"
    )


if __name__ == "__main__":
    main()
