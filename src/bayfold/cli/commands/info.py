"""``bayfold info``."""

from __future__ import annotations

from bayfold.cli.options import JsonOption, ModelArgument


def info(model: ModelArgument, json: JsonOption = False) -> None:
    """Show what is in a model file: its kind, what it was fitted on, its columns and parameters.

    Example: bayfold info churn.bayfold
    """
    # the models and their libraries: not for --help
    from bayfold.cli.reading import open_model
    from bayfold.cli.show import describe_model, show_json, show_model

    described = describe_model(open_model(model), model)
    if json:
        show_json(described)
    else:
        show_model(described)
