"""What cannot be evaluated or drawn."""

from __future__ import annotations

from bayfold.errors.kinds import DataWarning, few
from bayfold.errors.parameters import bad_parameter


def missing_targets_refused(count: int) -> ValueError:
    """Rows without a class where folds are to be dealt."""
    return ValueError(
        f"`y` must have a class for every row. Got {count} missing. Leave those rows out of X and y first."
    )


def cost_curve_of_many(classes: list) -> ValueError:
    """A threshold parts two classes."""
    return ValueError(
        f"`y` must have two classes for a cost curve. Got {len(classes)}: {few(classes)}."
    )


def errors_not_finite(name: str, count: int) -> ValueError:
    """Scores to be compared that are missing or infinite."""
    return ValueError(
        f"The errors of `{name}` must be finite. Got {count} that are not. "
        "Leave those datasets or folds out for all models."
    )


def bad_counts(wins: object, losses: object) -> ValueError:
    """Counts of wins and losses that are none."""
    return bad_parameter("wins and losses", "counts that are not negative", (wins, losses))


def not_paired(first: tuple[int, ...], second: tuple[int, ...]) -> ValueError:
    """Errors that do not come in pairs."""
    condition = "two rows of at least two numbers, of equal length"
    return bad_parameter("first and second", condition, (first, second))


def not_errors_by_name(found: object) -> ValueError:
    """Something else than a dict of errors."""
    return bad_parameter("errors_of", "a dict from names to errors", found)


def too_few_models(found: list) -> ValueError:
    """Fewer models than a test compares."""
    return bad_parameter("errors_of", "about at least two models", found)


def unequal_datasets(found: object) -> ValueError:
    """Models that were not tried on the same datasets."""
    return bad_parameter("errors_of", "one error per dataset for every model", found)


def no_rows_to_judge(shape: tuple[int, ...]) -> ValueError:
    """Predictions of no rows."""
    return bad_parameter("p", "of at least one row", shape)


def not_models_by_name(found: object) -> ValueError:
    """Something else than a dict of models, or an empty one."""
    return ValueError(
        "`models` must be a dict with at least one classifier. "
        f'Got {found!r}. Name each model: {{"tree": model}}.'
    )


def models_too_slow(names: list[str], limit: float) -> DataWarning:
    """Models that were left out of a comparison for the time they would have taken."""
    return DataWarning(
        f"Left out, as all fits of one would have taken more than {limit:g} seconds: {', '.join(names)}. Give more "
        "(`time_limit`, or `--limit`), fewer folds, or fewer rows."
    )


def no_model_in_time() -> ValueError:
    """No model was fast enough to be judged."""
    return ValueError(
        "`time_limit` must be enough for one model at least. Give more, or fewer folds."
    )


def probabilities_of_other_classes(shape: tuple[int, ...], classes: list) -> ValueError:
    """Not one column of probabilities per class."""
    return ValueError(
        "`p` must have one column per class, or one dimension for two classes. "
        f"Got the shape {shape} for {few(classes)}. Give `classes=model.classes_`, in the order of the columns."
    )


def matplotlib_not_installed() -> ImportError:
    """A picture without a library to draw it."""
    return ImportError(
        'Plots must have matplotlib installed. Got no module of that name. Run `pip install "bayfold[plot]"`.'
    )


def nothing_to_plot(models: object) -> TypeError:
    """Neither models nor probabilities."""
    return TypeError(
        "`models` must be a fitted classifier, an array of probabilities, or a dict from names to these. "
        f"Got {type(models).__name__}."
    )


def rows_to_plot_missing(what: str) -> ValueError:
    """Models without rows to predict, or probabilities without the truth."""
    return ValueError(
        f"`{what}` must be given. Got None. Pass the table and the true classes: X, y."
    )


def no_tree_to_plot(kind: str) -> TypeError:
    """A model that is no tree."""
    return TypeError(f"`model` must be a NaiveBayesTreeClassifier. Got {kind}.")


def no_evidence_to_plot(kind: str) -> TypeError:
    """A model whose evidence does not come column by column."""
    return TypeError(
        f"`model` must have evidence per column, such as a NaiveBayesClassifier. Got {kind}."
    )


def one_row_to_plot(n_rows: int) -> ValueError:
    """Several rows where one is drawn."""
    return ValueError(
        f"`row` must be one row of a table. Got {n_rows}. Give `X.iloc[[7]]` or `X[7:8]`."
    )


def no_such_class_to_plot(label: object, known: list) -> ValueError:
    """A class that weights do not speak for."""
    return bad_parameter("label", f"a class that weights speak for ({few(known, 8)})", label)


def no_class_to_plot(label: object) -> ValueError:
    """A class of a model that predicts numbers."""
    return bad_parameter("label", "None for a regressor, which has no classes", label)


def no_pairs_to_plot(name: str) -> TypeError:
    """A model that has no tables of two columns."""
    return TypeError(
        f"`model` must have tables of two columns to be drawn. Got {name}. Use BoostedNaiveBayesClassifier or "
        "BoostedNaiveBayesRegressor."
    )


def model_without_pairs() -> ValueError:
    """A boosted model in which no two columns say something together."""
    return ValueError(
        "`model` must have a table of two columns. Got one without. Fit with `interactions=2`, or draw its columns by "
        "`plot_evidence`."
    )


def nomogram_of_three_columns(names: list[str]) -> ValueError:
    """A model with tables of three columns as lines of points."""
    return ValueError(
        f"A nomogram must be of a model without tables of three columns. Got {few(names, 4)}. Fit with "
        "`interactions=2`, or 1."
    )


def no_such_pair(pair: str, names: list[str]) -> ValueError:
    """A pair of columns that the model does not have."""
    return bad_parameter("pair", f"one of the model's pairs ({few(names, 8)})", pair)


def slice_of_two(name: str) -> ValueError:
    """A bin of a third column where there are two."""
    return bad_parameter("at", f"None for {name!r}, a table of two columns", name)


def no_such_slice(at: str, labels: list[str]) -> ValueError:
    """A bin that the third column does not have."""
    return bad_parameter("at", f"a bin of the third column ({few(labels, 8)})", at)


def no_distribution_to_plot(name: str) -> TypeError:
    """A model that predicts no distribution."""
    return TypeError(
        f"`model` must have `predict_distribution` to be drawn. Got {name}. Use NaiveBayesRegressor."
    )


def too_many_rows_to_plot(n_rows: int, most: int) -> ValueError:
    """More distributions than a picture can show."""
    return ValueError(f"`rows` must be 1 to {most} rows. Got {n_rows}. Give some, such as X[:3].")


def no_mixture_to_plot(name: str) -> TypeError:
    """A model that has no components."""
    return TypeError(
        f"`mixture` must have components to be drawn. Got {name}. Use NaiveBayesMixture."
    )


def no_nomogram(name: str) -> TypeError:
    """A model that is no sum of points."""
    return TypeError(
        f"`model` must add up evidence to be drawn as a nomogram. Got {name}. Use NaiveBayesClassifier, "
        "BoostedNaiveBayesClassifier or BoostedNaiveBayesRegressor, or draw single rows by `plot_explanation`."
    )


def impossible_in_nomogram(column: str) -> ValueError:
    """Values that rule a class out, which no number of points stands for."""
    return ValueError(
        f"`model` must give every value a finite weight. Got a value of {column!r} that rules a class out. Fit with "
        "`smoothing` above zero, or draw the columns by `plot_evidence`."
    )


def nothing_in_nomogram() -> ValueError:
    """A model in which no column has points."""
    return ValueError(
        "`model` must have a column of numbers or categories that tells the classes apart. Got one without. Draw its "
        "columns by `plot_evidence`."
    )


def nothing_to_compare_against() -> ValueError:
    """A comparison of clusters."""
    return ValueError(
        "`against` must be None without a target. Got a model. Models of classes or numbers can be compared."
    )


def other_kind_of_model(name: str, other: str) -> TypeError:
    """Two models that do not answer the same question."""
    return TypeError(
        f"`against` must be a model that predicts what {name} predicts. Got {other}. Compare classifiers with "
        "classifiers, and regressors with regressors."
    )


def columns_of_the_other_model(names: list[str]) -> ValueError:
    """Rows without columns that another model reads."""
    return ValueError(
        f"`against` must be a model of columns that the table has. Got one that reads {few(names)}, too. Give the "
        "report a table with these columns, or leave `against` out."
    )
