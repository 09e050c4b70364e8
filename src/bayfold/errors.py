"""Exceptions and warnings. The wording of every message lives in this file.

Errors read "`{thing}` must be {condition}. Got {value}." followed by what to type.
"""

from __future__ import annotations

import sys
import warnings


class SchemaError(ValueError):
    """A table does not fit the schema it is used with."""


class MergeError(ValueError):
    """Two models or statistics cannot be added up."""


class ColumnTypeError(TypeError):
    """A column holds something that is neither a number nor a category."""


class DatasetError(ValueError):
    """A dataset cannot be found or a file cannot be read."""


class DataWarning(UserWarning):
    """Something in the data that is handled, but that the user should know."""


class UnseenCategoryWarning(DataWarning):
    """A category that did not occur in training; it gives no evidence."""


# tables


def sparse_refused(kind: str) -> TypeError:
    """A scipy sparse matrix or array."""
    return TypeError(
        f"`X` must be a dense table. Got a sparse {kind}. "
        "Use X.toarray() if it fits in memory; for word counts, "
        "scikit-learn's MultinomialNB and ComplementNB take sparse input."
    )


def lazy_refused(kind: str) -> TypeError:
    """A query that has not been run."""
    return TypeError(
        f"`X` must be a table. Got a {kind}, which holds no rows yet. Use X.collect()."
    )


def complex_refused(column: str | None = None) -> ValueError:
    """Complex numbers. The first words are scikit-learn's."""
    found = "" if column is None else f" Got complex numbers in column {column!r}."
    return ValueError(
        f"Complex data not supported. `X` must hold real numbers or categories.{found}"
    )


def not_two_dimensional(n: int) -> ValueError:
    """Not rows and columns but ``n`` dimensions. The first words are scikit-learn's."""
    found = {0: "scalar array", 1: "1D array"}.get(n, f"array with dim {n}")
    return ValueError(
        f"Expected 2D array, got {found} instead. `X` must have rows and columns. Reshape your data "
        "either using X.reshape(-1, 1) if it is a single column or X.reshape(1, -1) if it is a single row."
    )


def mixed_names(kinds: list[str]) -> TypeError:
    """Some column names are strings and some are not. The first words are scikit-learn's."""
    return TypeError(
        "Feature names are only supported if all input features have string names, "
        f"but your input has {kinds} as feature name / column name types. "
        "If you want feature names to be stored and validated, you must convert "
        "them all to strings, by using X.columns = X.columns.astype(str) for example."
    )


def cell_type_error(column: str, found: str) -> ColumnTypeError:
    """A cell that is neither a number nor a category."""
    return ColumnTypeError(
        f"Column {column!r}: every cell argument must be a string, a boolean or a number, or missing. "
        f"Got {found}. Turn such cells into numbers or strings, or drop the column."
    )


def kind_mismatch(column: str, expected: str, found: str) -> SchemaError:
    """A column of another kind than at fit."""
    return SchemaError(
        f"Column {column!r} must be {expected}, as it was at fit. Got {found}. "
        f"Convert the column, or fit again with it as it is now."
    )


def infinite_cells(columns: list[str]) -> ValueError:
    """Infinity in a numeric column."""
    return ValueError(
        f"`X` must be finite or missing. Got infinity in {_named_columns(columns)}. "
        "Replace it by NaN (missing) or by a large finite number."
    )


def infinite_target() -> ValueError:
    """Infinity in the target."""
    return ValueError(
        "`y` must be finite or missing. Input y contains infinity. Leave those rows out, or give them a class."
    )


def empty_table(n_rows: int, n_columns: int) -> ValueError:
    """No rows or no columns. The first words are scikit-learn's."""
    what = "sample(s)" if n_rows == 0 else "feature(s)"
    return ValueError(
        f"Found array with 0 {what} (shape=({n_rows}, {n_columns})) while a minimum of 1 is required. "
        "`X` must have at least one row and one column."
    )


def wrong_number_of_features(found: int, estimator: str, expected: int) -> ValueError:
    """Not as many columns as at fit, in scikit-learn's words."""
    return ValueError(
        f"X has {found} features, but {estimator} is expecting {expected} features as input."
    )


def wrong_names(unexpected: list[str], absent: list[str]) -> ValueError:
    """Other column names than at fit, in scikit-learn's words."""
    message = "The feature names should match those that were passed during fit.\n"
    if unexpected:
        message += "Feature names unseen at fit time:\n" + _listed(unexpected)
    if absent:
        message += "Feature names seen at fit time, yet now missing:\n" + _listed(absent)
    if not unexpected and not absent:
        message += "Feature names must be in the same order as they were in fit.\n"
    return ValueError(message)


def unequal_lengths(what: str, found: int, n_rows: int) -> ValueError:
    """Target or weights of another length than the table."""
    return ValueError(
        f"Found input variables with inconsistent numbers of samples: [{n_rows}, {found}]. "
        f"`{what}` must have one entry per row of `X`."
    )


def nominal_columns(columns: list[str]) -> ColumnTypeError:
    """Categories where only numbers can be cut."""
    return ColumnTypeError(
        f"`X` must hold numeric columns. Got categories in {_named_columns(columns)}. Choose the numeric columns, "
        "for example with sklearn.compose.make_column_transformer."
    )


# targets and weights


def target_missing_entirely() -> ValueError:
    """No row has a target."""
    return ValueError("`y` must have at least one known entry. Input y contains NaN or None only.")


def target_required(estimator: str) -> ValueError:
    """No target given, in scikit-learn's words."""
    return ValueError(
        f"This {estimator} estimator requires y to be passed, but the target y is None."
    )


def continuous_target() -> ValueError:
    """A target of real numbers. The first words are scikit-learn's."""
    return ValueError(
        "Unknown label type: continuous. `y` must hold classes: strings, booleans or whole numbers. "
        "Cut the numbers into classes, or use a regressor."
    )


def unknown_label_type(found: str) -> ValueError:
    """A target that cannot be compared or sorted."""
    return ValueError(
        f"Unknown label type: {found}. `y` must hold classes: strings, booleans or whole numbers, of one type."
    )


def target_shape(shape: tuple[int, ...]) -> ValueError:
    """A target with several columns. The first words are scikit-learn's."""
    return ValueError(
        f"y should be a 1d array, got an array of shape {shape} instead. `y` must have one class per row."
    )


def single_class(label: object) -> ValueError:
    """Only one class at fit."""
    return ValueError(
        f"`y` must hold at least two classes. Got only the class {label!r}. "
        "Add rows of another class; for shards that may hold one class, use partial_fit and add the models up."
    )


def class_outside(labels: list[object], classes: list[object]) -> ValueError:
    """A new class although `classes` was given."""
    return ValueError(
        f"`y` must hold only the classes given by `classes`, {classes!r}. Got {_few(labels)}. "
        "Nothing of this batch was counted. Add the class to `classes` in the first call, or leave `classes` out."
    )


def negative_weights(value: float) -> ValueError:
    """A negative or missing weight."""
    return ValueError(
        f"`sample_weight` must be finite and not negative. Got {value!r}. Weights are frequencies: 2 is the row twice."
    )


def all_weights_zero() -> ValueError:
    """No weight at all."""
    return ValueError("`sample_weight` must be positive for at least one row. Got only zeros.")


def classes_changed(now: list[object], before: list[object]) -> ValueError:
    """Other `classes` than in the first call of partial_fit. The first words are scikit-learn's."""
    return ValueError(
        f"`classes={now!r}` is not the same as on last call to partial_fit, was: {before!r}. "
        "`classes` must be all classes there will be, in the first call; later calls may leave it out."
    )


# parameters


def bad_parameter(name: str, condition: str, value: object, advice: str = "") -> ValueError:
    """A parameter outside its domain."""
    return ValueError(f"`{name}` must be {condition}. Got {value!r}. {advice}".rstrip())


# merging


def edges_differ(column: str) -> MergeError:
    """Statistics over different bins."""
    return MergeError(
        f"Models to add must have the same bin edges. Got different edges in column {column!r}. "
        "Fit the other models with schema=first.schema_."
    )


def columns_differ(first: list[str], second: list[str]) -> MergeError:
    """Statistics over different columns."""
    return MergeError(
        f"Models to add must have the same columns of the same kinds. Got {first!r} and {second!r}. "
        "Fit the other models with schema=first.schema_."
    )


def parameters_differ(names: list[str]) -> MergeError:
    """Models with different settings."""
    return MergeError(
        f"Models to add must have the same parameters. Got different {', '.join(names)}. "
        "Fit the other models with the same parameters."
    )


def moments_missing(column: str) -> ValueError:
    """A Gaussian asked of statistics that were collected without moments."""
    return ValueError(
        f'`numeric` must be the same as at fit for a Gaussian column. Got "gaussian" for {column!r}, '
        "whose sums were not collected. Fit again with this setting."
    )


# warnings


def warn(warning: Warning) -> None:
    """Warn at the line that called bayfold, however deep inside it the reason was found."""
    level = 1
    frame = sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == "bayfold":
        frame, level = frame.f_back, level + 1  # type: ignore[assignment]
    warnings.warn(warning, stacklevel=level)


def missing_targets(count: int) -> DataWarning:
    """Rows without a target."""
    return DataWarning(f"{count} row(s) have no target and were left out.")


def unseen_categories(column: str, values: list[str]) -> UnseenCategoryWarning:
    """Categories that did not occur in training."""
    return UnseenCategoryWarning(
        f"Column {column!r} holds categories that did not occur in training: {_few(values)}. "
        "They give no evidence."
    )


def harmless_column(columns: list[str], what: str) -> DataWarning:
    """Columns that cannot tell anything."""
    named = _named_columns(columns).removeprefix("column")
    return DataWarning(
        f"Column{named} {what}. Kept, but of no use to the model; consider dropping."
    )


def weights_far_from_one(mean: float) -> DataWarning:
    """Weights whose mean is far from one."""
    return DataWarning(
        f"The mean of `sample_weight` is {mean:.3g}, far from 1. Weights are taken as frequencies, and smoothing "
        "counts rows. If they are not frequencies, rescale them: sample_weight / sample_weight.mean()."
    )


def column_vector() -> UserWarning:
    """A target with one column, in scikit-learn's words."""
    from sklearn.exceptions import DataConversionWarning

    return DataConversionWarning(
        "A column-vector y was passed when a 1d array was expected. "
        "Please change the shape of y to (n_samples,), for example using ravel()."
    )


def renamed_features(estimator: str, fitted_with_names: bool) -> UserWarning:
    """Names at fit or at predict but not at both, in scikit-learn's words."""
    if fitted_with_names:
        return UserWarning(
            f"X does not have valid feature names, but {estimator} was fitted with feature names"
        )
    return UserWarning(f"X has feature names, but {estimator} was fitted without feature names")


def _named_columns(columns: list[str]) -> str:
    return f"column{'s' if len(columns) > 1 else ''} {_few(list(columns))}"


def _few(values: list, limit: int = 5) -> str:
    shown = ", ".join(repr(value) for value in values[:limit])
    return shown if len(values) <= limit else f"{shown} and {len(values) - limit} more"


def _listed(names: list[str], limit: int = 5) -> str:
    lines = [f"- {name}\n" for name in names[:limit]]
    return "".join(lines) + ("- ...\n" if len(names) > limit else "")


# datasets


def unknown_frame_library(library: object, known: list[str]) -> ValueError:
    """Say which frame libraries `make_frame` can build for."""
    return ValueError(f"`library` must be one of {known}. Got {library!r}.")


def frame_library_not_installed(library: str, package: str) -> ImportError:
    """Say how to install the library a frame was asked for."""
    return ImportError(
        f"`library` must be an installed library. Got {library!r}, but {package} cannot be "
        f"imported. Run `pip install {package}`."
    )


def unequal_column_lengths(lengths: dict[str, int]) -> ValueError:
    """Say which columns of a table have another length than the first."""
    return ValueError(
        f"`columns` must be equally long. Got lengths {lengths!r}. Give every column one value "
        "per row, with None for a missing cell."
    )


def unreadable_column(name: str, reason: object) -> ColumnTypeError:
    """Say which column of a table mixes types or has more than one dimension."""
    return ColumnTypeError(
        f"`columns[{name!r}]` must be one-dimensional, with values of one type. Got: {reason}. "
        "Convert it to numbers or to strings first."
    )


_CATEGORIES_RULES = {
    "codes": "one-dimensional integer codes",
    "range": "codes from -1 to the position of the last label",
    "strings": "labels that are strings",
    "distinct": "labels that are all distinct",
}


def bad_categories(rule: str, value: object) -> ValueError:
    """Say which rule of a nominal column's codes and labels is broken."""
    return ValueError(
        f"`Categories` must have {_CATEGORIES_RULES[rule]}. Got {value!r}. Give the position of "
        "each row's label in `labels`, or -1 where the cell is missing."
    )


_ARFF_RULES = {
    "quote": "every quote must be closed. Got {value!r}. Add the closing quote.",
    "header": "a header line must start with @relation, @attribute or @data. Got {value!r}.",
    "no data": "the header must end with `@data`. Got the end of the file. Add the data.",
    "no attributes": "`@data` must follow an `@attribute`. Got none. Declare the columns.",
    "repeated name": "attribute names must differ. Got {value!r} twice. Rename one of them.",
    "no type": "`@attribute` must have a name and a type. Got {value!r}.",
    "type": "the type of `{name}` must be numeric, real, integer, string or a list of values in "
    "braces. Got {value!r}. Convert or drop the attribute.",
    "brace": "the values of `{name}` must end with a brace. Got {value!r}. Close the list.",
    "repeated value": "the values of `{name}` must differ. Got {value!r}. Declare each once.",
    "sparse": "rows must be dense. Got the sparse row {value!r}. Write all its values.",
    "length": "a row must have {expected} values, one per attribute. Got {found}: {value!r}. Write "
    "? for a missing cell, and quote values with blanks, commas or quotes.",
    "undeclared": "`{name}` must be one of its declared values {labels}. Got {value!r}. Declare "
    "the value or correct the row.",
    "number": "`{name}` must be a number. Got {value!r}. Write ? for a missing cell.",
}


def bad_arff(place: str, rule: str, value: object, **details: object) -> DatasetError:
    """Say which line of an ARFF file breaks which rule; `place` is `file:line`."""
    return DatasetError(f"{place}: {_ARFF_RULES[rule].format(value=value, **details)}")


def unknown_dataset(name: str, folder: object, close: list[str]) -> DatasetError:
    """Say that the data folder has no such dataset, and which names are close."""
    hint = f"Did you mean {' or '.join(map(repr, close))}? " if close else ""
    return DatasetError(
        f"`name` must be a dataset in the folder BAYFOLD_DATA names ({folder}). Got {name!r}. "
        f"{hint}`list_datasets()` gives all names; unset BAYFOLD_DATA to download from OpenML."
    )


def ambiguous_dataset(name: str, tasks: list[str]) -> DatasetError:
    """Say that a name stands for several datasets, one per task."""
    return DatasetError(
        f"`name` must stand for one dataset. Got {name!r}, which exists for {' and '.join(tasks)}. "
        f'Add `task="{tasks[0]}"` or `task="{tasks[1]}"`.'
    )


def unknown_task(task: object, known: list[str]) -> ValueError:
    """Say which tasks there are."""
    return ValueError(f"`task` must be one of {known}, or None for any. Got {task!r}.")


def other_task(name: str, asked: str, found: str) -> DatasetError:
    """Say that a dataset's target fits another task than the one asked for."""
    return DatasetError(
        f"`task` must fit the target of {name!r}, which is a {found} dataset. Got {asked!r}. "
        f'Leave `task` out or pass `task="{found}"`.'
    )


def no_data_folder(folder: str | None) -> DatasetError:
    """Say that BAYFOLD_DATA does not name a folder."""
    return DatasetError(
        "The environment variable BAYFOLD_DATA must name a folder with `classification/*.arff` "
        f"or `regression/*.arff`. Got {folder!r}. Set it to such a folder; `load_dataset` "
        "downloads from OpenML when it is unset."
    )


def openml_failed(name: str, reason: object) -> DatasetError:
    """Say that OpenML did not give a dataset, and how to read it from disk instead."""
    cause = str(reason).rstrip(".")
    return DatasetError(
        f"`name` must be a dataset that OpenML can deliver as a dense table. Got {name!r}: "
        f"{cause}. Check the name on openml.org and the network, or set BAYFOLD_DATA to a folder "
        "with ARFF files."
    )


def openml_target(name: str, target_name: object) -> DatasetError:
    """Say that a dataset of OpenML has no target, or several."""
    return openml_failed(name, f"its target is {target_name!r}, not one of its columns")


def openml_sparse(name: str) -> DatasetError:
    """Say that a dataset of OpenML is not a dense table."""
    return openml_failed(name, "its rows are sparse")


def bad_n_rows(n_rows: object) -> ValueError:
    """Say how many rows can be drawn."""
    return ValueError(f"`n_rows` must be a whole number from 1. Got {n_rows!r}.")


def bad_missing_rate(missing: object) -> ValueError:
    """Say what a rate of missing cells can be."""
    return ValueError(f"`missing` must be a probability from 0 to 1. Got {missing!r}.")


def unknown_credit_column(name: object, known: list[str]) -> ValueError:
    """Say which columns the demo's model knows."""
    return ValueError(f"`columns` must be among {known}. Got {name!r}. Leave it out.")


def impossible_credit_value(column: str, value: object) -> ValueError:
    """Say which value the demo's model never draws."""
    return ValueError(
        f"`columns[{column!r}]` must hold values that `make_credit` can draw. Got {value!r}. "
        "Use None for a missing cell."
    )


# regression


def target_not_numeric(value: object) -> ValueError:
    """A target of labels where numbers are learnt."""
    return ValueError(
        f"`y` must hold numbers. Got {value!r}. Convert it to numbers, or use a classifier."
    )


def infinite_numeric_target() -> ValueError:
    """Infinity in a numeric target. The middle words are scikit-learn's."""
    return ValueError(
        "`y` must be finite or missing. Input y contains infinity or a value too large. Leave those rows out."
    )


def schema_without_target(schema: object) -> ValueError:
    """A classifier's schema given to a regressor."""
    return bad_parameter(
        "schema",
        "one with the cells of a numeric target",
        schema,
        "Take schema_ from a fitted regressor.",
    )


# mixtures and class decomposition


def too_many_components(n_components: int, n_rows: int) -> ValueError:
    """More components than rows."""
    return ValueError(
        f"`n_components` must not exceed the number of rows, {n_rows}. Got {n_components} "
        f"(n_samples = {n_rows}). Ask for fewer components or give more rows."
    )


def components_died_out(asked: int, left: int) -> DataWarning:
    """Components without any weight after EM."""
    return DataWarning(
        f"Only {left} of {asked} components are left: the others lost all their rows. "
        "Ask for fewer components, or give more starts with `n_init`."
    )


def weights_not_taken(estimator: str) -> ValueError:
    """Weights for a classifier that takes none."""
    return ValueError(
        f"`sample_weight` must be None for {estimator}, whose fit takes no weights. Got weights. "
        "Use another estimator, or repeat rows instead."
    )


def number_not_taken(clusterer: str, number: object) -> ValueError:
    """A clusterer that cannot be told, or cannot find, the number of clusters."""
    return ValueError(
        f"`clusterer` must have a parameter `n_clusters` or `n_components`, and be a NaiveBayesMixture for "
        f'`n_clusters="cv"`. Got {clusterer} and {number!r}. Give `n_clusters` as a number or as "accuracy".'
    )


# boosting and trees


def boosting_gave_up(n_failed: int, n_made: int, n_rounds: int) -> DataWarning:
    """Too many models in a row worse than chance."""
    return DataWarning(
        f"Boosting stopped after {n_made} of {n_rounds} rounds: {n_failed} models in a row were wrong on half of the "
        'weight or more. Use a deeper tree (`max_depth`) or method="additive".'
    )


# evaluation


def missing_targets_refused(count: int) -> ValueError:
    """Rows without a class where folds are to be dealt."""
    return ValueError(
        f"`y` must have a class for every row. Got {count} missing. Leave those rows out of X and y first."
    )


# boosting


def no_tables(method: str) -> AttributeError:
    """Tables asked of a method whose rounds do not add up to tables."""
    return AttributeError(
        f'`method` must be "additive" or "real" for a model of tables. Got {method!r}: votes do not add up to '
        "weights of evidence. Fit with one of the other methods."
    )


# pairs of columns


def too_many_pairs(n_values: int, n_classes: int, gigabytes: float) -> ValueError:
    """A table of pairs that no memory would hold."""
    return ValueError(
        "Pairs of columns must have a table of at most 2 GB. "
        f"Got {n_values} values in all columns and {n_classes} classes, which take {gigabytes:.1f} GB. "
        "Leave out columns with many categories, or use NaiveBayesClassifier."
    )


def no_such_nominal_column(name: object) -> SchemaError:
    """Categories for a column that has none."""
    return SchemaError(
        f"`categories` must be about nominal columns of the schema. Got {name!r}. Leave it out, or make the "
        "column nominal with categorical_features."
    )


# evaluation and plots


def probabilities_of_other_classes(shape: tuple[int, ...], classes: list) -> ValueError:
    """Not one column of probabilities per class."""
    return ValueError(
        "`p` must have one column per class, or one dimension for two classes. "
        f"Got the shape {shape} for {_few(classes)}. Give `classes=model.classes_`, in the order of the columns."
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


def no_evidence_to_plot(kind: str) -> TypeError:
    """A model whose evidence does not come column by column."""
    return TypeError(
        f"`model` must have evidence per column, such as a NaiveBayesClassifier. Got {kind}."
    )


# incomplete data


def rows_needed(missing: str) -> MergeError:
    """Gaps that are filled from all rows at once: no sums, no batches."""
    return MergeError(
        f'`missing` must be "available" for models that are added or learn in batches. Got {missing!r}, which '
        "needs all rows at once. Call fit with all of them."
    )
