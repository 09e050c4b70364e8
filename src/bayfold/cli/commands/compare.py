"""``bayfold compare``."""

from __future__ import annotations

from typing import Annotated

import typer

from bayfold.cli.options import (
    ColumnOptions,
    DataArgument,
    FileOptions,
    FoldsOption,
    JsonOption,
    RepeatsOption,
    SeedOption,
    TargetOptions,
    UnitOptions,
)


def compare(
    data: DataArgument,
    wanted: TargetOptions,
    columns: ColumnOptions,
    units: UnitOptions,
    file: FileOptions,
    models: Annotated[
        list[str] | None,
        typer.Option(metavar="NAMES", help="Models of bayfold, parted by commas; by default all."),
    ] = None,
    peers: Annotated[bool, typer.Option(help="Also the models of scikit-learn.")] = True,
    limit: Annotated[
        float,
        typer.Option(
            min=0.0,
            metavar="SECONDS",
            help="A model whose fits would take longer together is left out; 0: none is.",
        ),
    ] = 120.0,
    folds: FoldsOption = 10,
    repeats: RepeatsOption = 1,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Cross-validate all models on the same folds, best first, with the significance of differences.

    Example: bayfold compare churn.csv --target churn --models naive-bayes,boosted
    """
    # the models and their libraries: not for --help
    from bayfold.cli.judging import choose_models, compare_models, show_comparison
    from bayfold.cli.reading import read_training
    from bayfold.cli.show import show_json
    from bayfold.evaluate.peers import make_peers

    training = read_training(data, file, columns, wanted, units.columns)
    chosen = choose_models(training.task, models, seed)
    if peers:
        chosen |= make_peers(training.task, seed, only_baselines=False)
    found = compare_models(chosen, training, folds, repeats, seed, limit or None)
    if json:
        show_json({"task": training.task, "folds": folds, "repeats": repeats, "models": found})
        return
    show_comparison(found, training.task, folds, repeats)
