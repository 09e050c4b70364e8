"""``bayfold impute`` and ``bayfold cluster``: rows filled in, or put into clusters."""

from __future__ import annotations

from typing import Annotated

import typer

from bayfold.cli import options


def impute(
    data: options.DataArgument,
    columns: options.ColumnOptions,
    file: options.FileOptions,
    output: options.OutputOption = "-",
    strategy: Annotated[
        str,
        typer.Option(
            help="expected: the mean or the most probable category; draw: a draw from them."
        ),
    ] = "expected",
    seed: options.SeedOption = 0,
    output_format: options.FormatOption = None,
) -> None:
    """Fill the missing cells of a table from the other cells of their rows; all others stay as they are.

    Example: bayfold impute survey.csv -o filled.csv --drop id
    """
    # the models and their libraries: not for --help
    from bayfold import NaiveBayesImputer
    from bayfold.cli.command import blame_parameters, say
    from bayfold.cli.output import write_rows
    from bayfold.cli.reading import read_features
    from bayfold.errors import cells_filled

    rows, names, weight = read_features(data, file, columns)
    # a word that is no strategy is refused by the imputer
    imputer = NaiveBayesImputer(strategy=strategy, random_state=seed)  # type: ignore[arg-type]
    with blame_parameters(imputer):
        filled = imputer.fit_transform(rows.select(names), sample_weight=weight)
    whole = rows.filled(filled)
    say(cells_filled(rows.count_missing(names), whole.count_missing(names)))
    write_rows(whole, whole.names, {}, output, output_format)


def cluster(
    data: options.DataArgument,
    columns: options.ColumnOptions,
    file: options.FileOptions,
    clusters: Annotated[
        int, typer.Option(min=0, help="How many; 0: as many as held-out rows find best.")
    ] = 0,
    output: options.OutputOption = "-",
    save: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Also save the model, for `bayfold predict`."),
        options.Writes("model"),
    ] = None,
    report: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Also write a report in HTML: what makes each cluster."),
        options.Writes("page"),
    ] = None,
    probabilities: Annotated[
        bool, typer.Option(help="Also write the probability of each cluster.")
    ] = False,
    seed: options.SeedOption = 0,
    output_format: options.FormatOption = None,
) -> None:
    """Find clusters of rows, numbers and categories together, and write the cluster of each row.

    Example: bayfold cluster customers.csv --clusters 4 -o clustered.csv
    """
    # the models and their libraries: not for --help
    from bayfold.cli.fitting import describe_clusters, find_clusters, report_clusters
    from bayfold.cli.output import AnswerOptions, add_answers, write_rows
    from bayfold.cli.reading import note_how, read_features

    rows, names, weight = read_features(data, file, columns)
    mixture = find_clusters(rows.select(names), weight, clusters, seed)
    if save is not None:
        mixture.set_params(progress=False).save(save, notes=note_how(None, file, rows.dialect))
    if report is not None:
        report_clusters(mixture, rows.select(names), data, report)
    describe_clusters(mixture, rows.select(names))
    wanted = AnswerOptions(probabilities)
    answers = add_answers(mixture, rows.select(names), rows.names, wanted)
    write_rows(rows, rows.names, answers, output, output_format)
