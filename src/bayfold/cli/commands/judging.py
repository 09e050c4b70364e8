"""``bayfold evaluate``, ``compare`` and ``drift``: what a model is worth, on held-out rows and on later ones."""

from __future__ import annotations

from typing import Annotated

import typer

from bayfold.cli import options


def evaluate(
    data: options.DataArgument,
    wanted: options.TargetOptions,
    model: options.ModelOptions,
    columns: options.ColumnOptions,
    units: options.UnitOptions,
    file: options.FileOptions,
    folds: options.FoldsOption = 10,
    repeats: options.RepeatsOption = 1,
    json: options.JsonOption = False,
) -> None:
    """Cross-validate a model, beside what it must beat to be of use.

    Example: bayfold evaluate churn.csv --target churn --model boosted
    """
    # the models and their libraries: not for --help
    from bayfold.cli.judging import MEASURES, judge
    from bayfold.cli.models import choose_model, choose_name
    from bayfold.cli.reading import read_training
    from bayfold.cli.show import show_json, show_records
    from bayfold.evaluate.peers import make_peers

    training = read_training(data, file, columns, wanted, units.columns)
    models = {choose_name(training.task, model): choose_model(training.task, model)}
    models |= make_peers(training.task, model.seed, only_baselines=True)
    measures = MEASURES[training.task]
    found = measures.summarise(judge(models, training, folds, repeats, model.seed))
    if json:
        show_json({"task": training.task, "folds": folds, "repeats": repeats, "models": found})
        return
    show_records(f"On rows held out ({folds} folds)", found, measures.digits)


def compare(
    data: options.DataArgument,
    wanted: options.TargetOptions,
    columns: options.ColumnOptions,
    units: options.UnitOptions,
    file: options.FileOptions,
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
    folds: options.FoldsOption = 10,
    repeats: options.RepeatsOption = 1,
    seed: options.SeedOption = 0,
    json: options.JsonOption = False,
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


def drift(
    model: options.ModelArgument,
    data: options.DataArgument,
    file: options.FileOptions,
    level: Annotated[
        float,
        typer.Option(
            min=0.0,
            max=1.0,
            help="How often equal tables may be called different, all columns together.",
        ),
    ] = 0.05,
    stream: options.StreamOption = None,
    json: options.JsonOption = False,
) -> None:
    """Compare a table with the rows a model was fitted on: each column and the score, worst first.

    Example: bayfold drift churn.bayfold new.csv
    """
    # the models and their libraries: not for --help
    from bayfold.cli.reading import names_of, open_model, read_as_fitted, read_for_model
    from bayfold.cli.show import show_json, show_records
    from bayfold.cli.streaming import choose_stream, open_for_model

    fitted = open_model(model)
    file = read_as_fitted(model, file)
    if choose_stream(data, file, stream):
        found = fitted.compare_source(open_for_model(fitted, data, file), level=level)
    else:
        rows = read_for_model(fitted, data, file)
        found = fitted.compare_data(rows.select(names_of(fitted)), level=level)
    if json:
        show_json({"level": level, "columns": found})
        return
    show_records(
        "Rows that are compared with those of the training", found, {"psi": 4, "p": 4, "p_holm": 4}
    )
