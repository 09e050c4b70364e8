"""``bayfold evaluate``."""

from __future__ import annotations

from bayfold.cli.options import (
    ColumnOptions,
    DataArgument,
    FileOptions,
    FoldsOption,
    JsonOption,
    ModelOptions,
    RepeatsOption,
    TargetOptions,
    UnitOptions,
)


def evaluate(
    data: DataArgument,
    wanted: TargetOptions,
    model: ModelOptions,
    columns: ColumnOptions,
    units: UnitOptions,
    file: FileOptions,
    folds: FoldsOption = 10,
    repeats: RepeatsOption = 1,
    json: JsonOption = False,
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
