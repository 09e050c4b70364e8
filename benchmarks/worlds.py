"""Default models in random worlds whose truth is known: every harm beyond three standard errors, by seed.

    python -m benchmarks.worlds --first 1000 --count 500 --keep after.jsonl     # an hour on two cores
    python -m benchmarks.worlds --first 1017 --count 1 --model MTERegressor     # one world again
    python -m benchmarks.worlds --read after.jsonl --before before.jsonl --output benchmarks/results/worlds.md

The tables are described in ``world_tables.py``, the judgement in ``world_judge.py``. A seed is a world, on any machine.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks.report import describe_run, format_table, publish

ABOUT = """Worlds are random tables whose truth is known (`benchmarks/world_tables.py`): columns of fourteen kinds; no
column, one, several, pairs or class-wise independent ones that tell of the target; copies, noise, missing cells,
weights; 2 to 5 classes with rates down to 1 in 500, or nine kinds of numbers; 60 to 100,000 rows. A harm
(`benchmarks/world_judge.py`) is more than three standard errors off: worse than knowing nothing, a biased mean,
intervals that do not hold their level, far behind logistic regression, ridge or histogram boosting where the model can
represent the truth, not finite, an error, or more than a minute. In % of the worlds that a model was fitted to.
`AdaBoostNaiveBayesClassifier` gives shares of votes, which its page does not call probabilities; it is judged like the
others."""

Record = dict[str, Any]
"""What is kept of a world: its seed, what it is, harms and CPU seconds by model."""


def run_world(seed: int, models: list[str]) -> Record:
    """Fit the models that suit the world of a seed, and judge them."""
    from benchmarks.world_judge import REACH, make_judge
    from benchmarks.world_tables import draw_world

    world = draw_world(seed)
    judge = make_judge(world)
    record: Record = {"seed": seed, "world": str(world), "models": {}}
    for name in REACH[world.task]:
        if not models or name in models:
            harms, seconds = judge.judge(name)
            found = [[harm.kind, harm.amount] for harm in harms]
            record["models"][name] = {"seconds": round(seconds, 2), "harms": found}
    return record


def run_worlds(seeds: Iterable[int], models: list[str], n_workers: int) -> Iterator[Record]:
    """The records of the worlds, in order."""
    run = partial(run_world, models=models)
    if n_workers == 1:
        yield from map(run, seeds)
        return
    with ProcessPoolExecutor(n_workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(run, seeds)


def print_record(record: Record) -> None:
    """Every harm of a world in a line, with the world."""
    for name, found in record["models"].items():
        for kind, amount in found["harms"]:
            print(f"{record['seed']}\t{name}\t{kind}\t{amount}\t[{record['world']}]", flush=True)


def read_records(path: Path) -> list[Record]:
    """What ``--keep`` wrote."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def find_shares(records: list[Record]) -> dict[str, tuple[int, Counter[str]]]:
    """By model: how many worlds, and how many have harms of a kind, or any."""
    shares: dict[str, tuple[int, Counter[str]]] = {}
    for record in records:
        for name, found in record["models"].items():
            n_worlds, counts = shares.get(name, (0, Counter()))
            kinds = {join_kinds(kind) for kind, _ in found["harms"]}
            counts.update(kinds | ({"any"} if kinds else set()))
            shares[name] = n_worlds + 1, counts
    return shares


def join_kinds(kind: str) -> str:
    """All peers are one kind."""
    return "far behind a peer" if kind.startswith("far behind") else kind


def make_table(records: list[Record], before: list[Record]) -> str:
    """Harms by model and kind, before and after."""
    after, earlier = find_shares(records), find_shares(before)
    kinds = sorted(
        {kind for _, counts in [*after.values(), *earlier.values()] for kind in counts} - {"any"}
    )
    header = ["model", "worlds", "any harm", *kinds]
    rows = []
    for name in sorted({*after, *earlier}):
        n_worlds = [str(part[name][0]) for part in (earlier, after) if name in part]
        cells = [
            " → ".join(
                f"{100 * part[name][1][kind] / part[name][0]:.1f}"
                for part in (earlier, after)
                if name in part
            )
            for kind in ("any", *kinds)
        ]
        rows.append([name, " → ".join(n_worlds), *cells])
    return format_table(header, rows)


def write_page(records: list[Record], before: list[Record], command: str) -> str:
    """The page of harms."""
    parts = ["# Harms in random worlds", describe_run(command), ABOUT]
    if before:
        parts.append(f"Before → after: {describe_seeds(before)} → {describe_seeds(records)}.")
    parts.append(make_table(records, before))
    return "\n\n".join(parts) + "\n"


def describe_seeds(records: list[Record]) -> str:
    """The seeds of worlds."""
    seeds = [record["seed"] for record in records]
    return f"{len(seeds)} worlds, seeds {min(seeds)} to {max(seeds)}"


def main() -> None:
    """Run worlds, or read what was kept of them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=20, help="how many worlds")
    parser.add_argument("--model", nargs="*", default=[], help="only these models")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    parser.add_argument("--keep", type=Path, help="append every world to this file")
    parser.add_argument("--read", type=Path, help="worlds that were kept, instead of running any")
    parser.add_argument("--before", type=Path, help="worlds that an earlier state kept")
    parser.add_argument("--output", type=Path, help="the page to write")
    options = parser.parse_args()
    begin = time.perf_counter()
    records = read_records(options.read) if options.read else []
    if not options.read:
        seeds = range(options.first, options.first + options.count)
        for record in run_worlds(seeds, options.model, min(options.workers, options.count)):
            print_record(record)
            records.append(record)
            if options.keep:
                with options.keep.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(record) + "\n")
    before = read_records(options.before) if options.before else []
    publish(
        write_page(
            records, before, shlex.join(["python", "-m", "benchmarks.worlds", *sys.argv[1:]])
        ),
        options.output,
    )
    seconds = Counter()
    for record in records:
        seconds.update({name: found["seconds"] for name, found in record["models"].items()})
    print(", ".join(f"{name} {total:.0f} s" for name, total in seconds.most_common()))
    print(f"{len(records)} worlds, {time.perf_counter() - begin:.0f} s")


if __name__ == "__main__":
    main()
