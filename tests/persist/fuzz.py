"""Mutated model files, read and judged: ``python -m tests.persist.fuzz 10000`` writes what became of them.

A file must be refused by ModelFileError, or hold a model that works: the model that was saved, or, where a changed
value is one that a model may have (another parameter, another number in a table), a model that answers every question
without a crash, with a message of its own if its parameters are impossible.
"""

from __future__ import annotations

import io
import resource
import sys
import time
import warnings
from collections import Counter
from typing import Any

import numpy as np

import bayfold
from bayfold.errors import ModelFileError
from tests.persist.models import MODELS, answers, fitted, saved
from tests.persist.mutations import MUTATIONS, draw_mutation

SMALL = (
    "two classes",
    "gaussian",
    "kernel",
    "stream",
    "pairs",
    "additive, two",
    "votes",
    "votes of trees",
    "confidence",
    "tree",
    "threshold tree",
    "decomposition",
    "regression",
    "frank1998",
    "via regression",
    "mte",
    "mixture",
    "imputer",
    "discretizer",
    "collapsed",
    "additive, number",
    "collapsed, number",
)
"""One of every kind of model."""

IN_WORDS = (ValueError, TypeError, AttributeError)
"""What a model with impossible parameters, or without an attribute, says in words of its own."""


def read(content: bytes) -> Any:
    """The model, or None where the file is refused in the way it must be."""
    try:
        return bayfold.load(io.BytesIO(content))
    except ModelFileError:
        return None


def judge(model: Any, *whole: dict[str, Any]) -> str:
    """What became of a file: refused, one of the models it was made from, or another that answers or says why not."""
    if model is None:
        return "refused"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            said = answers(model)
        except IN_WORDS:
            return "another model, which says what is wrong with it"
    return "the same model" if said in whole else "another model, which answers"


def run(n: int, seed: int = 0, names: tuple[str, ...] = SMALL) -> Counter[tuple[str, str]]:
    """Mutate ``n`` files and count what became of them, by mutation."""
    rng = np.random.default_rng(seed)
    files = {name: saved(fitted(name)) for name in names}
    whole = {name: answers(fitted(name)) for name in names}
    found: Counter[tuple[str, str]] = Counter()
    for _ in range(n):
        name, other = (names[k] for k in rng.integers(0, len(names), 2))
        mutation = draw_mutation(rng)
        content = MUTATIONS[mutation](files[name], files[other], rng)
        try:
            verdict = judge(read(content), whole[name], whole[other])
        except BaseException:
            with open("/tmp/refused.bayfold", "wb") as kept:
                kept.write(content)
            print(
                f"{mutation} of {name!r} after {found.total()} files; kept in /tmp/refused.bayfold"
            )
            raise
        found[mutation, verdict] += 1
    return found


def main(n: int) -> None:
    """Write a table of what became of ``n`` files, and what memory it took."""
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    found = run(n)
    verdicts = sorted({verdict for _, verdict in found})
    print("| mutation |", " | ".join(verdicts), "|")
    print("|---|" + "---:|" * len(verdicts))
    for mutation in MUTATIONS:
        print(f"| {mutation} |", " | ".join(str(found[mutation, v]) for v in verdicts), "|")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"\n{found.total()} files in {time.process_time() - start:.0f} s of CPU time;")
    print(
        f"memory at most {peak / 1024:.0f} MiB, {before / 1024:.0f} MiB of it before the first file"
    )


if __name__ == "__main__":
    assert set(SMALL) <= set(MODELS)
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
