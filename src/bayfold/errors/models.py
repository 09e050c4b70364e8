"""What is wrong with a parameter of a model, cannot be had from it, or cannot be added up."""

from __future__ import annotations

from bayfold.errors.kinds import DataWarning, MergeError, NoTablesError, SchemaError, few
from bayfold.errors.parameters import bad_parameter


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
        f"Ask for {left} or fewer."
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


def boosting_gave_up(n_failed: int, n_made: int, n_rounds: int) -> DataWarning:
    """Too many models in a row worse than chance."""
    return DataWarning(
        f"Boosting stopped after {n_made} of {n_rounds} rounds: {n_failed} models in a row were wrong on half of the "
        "weight or more. Use a deeper tree (`max_depth`) or BoostedNaiveBayesClassifier."
    )


def no_tables() -> NoTablesError:
    """Tables asked of an ensemble whose rounds do not add up to tables."""
    return NoTablesError(
        '`method` must be "real" for a model of tables. Got "m1": votes do not add up to weights of evidence. '
        "Fit with the other method, or use BoostedNaiveBayesClassifier."
    )


def collapsed_cannot_learn() -> AttributeError:
    """Rows given to a model that has no rounds any more."""
    return AttributeError(
        "A collapsed model must be made by `collapse()` of a fitted boosted model. Got rows to learn from. "
        "Use `BoostedNaiveBayesClassifier().fit(X, y).collapse()`, or the regressor's."
    )


def too_many_pairs(n_values: int, n_classes: int, gigabytes: float) -> ValueError:
    """A table of pairs that no memory would hold."""
    return ValueError(
        "Pairs of columns must have a table of at most 2 GB. "
        f"Got {n_values} values in all columns and {n_classes} classes, which take {gigabytes:.1f} GB. "
        "Leave out columns with many categories, or use NaiveBayesClassifier."
    )


def no_evidence(estimator: str) -> NoTablesError:
    """Evidence of a model that is made of one without."""
    return NoTablesError(
        f"What a model is made of must have evidence of its own. Got {estimator}, which has none. Use an estimator of "
        "bayfold in its place, such as NaiveBayesClassifier or NaiveBayesRegressor."
    )


def no_importances(estimator: str) -> AttributeError:
    """A model that does not know how much its columns matter."""
    return AttributeError(
        f"{estimator} must know its training rows, or be made of estimators with `feature_importances_`, to have "
        "`feature_importances_`. `sklearn.inspection.permutation_importance` measures them on rows of yours."
    )


def ambiguous_name(parameter: str, name: str, count: int) -> ValueError:
    """A name that several columns have, where one column is meant."""
    return ValueError(
        f"`{parameter}` must be given by names that one column has. Got {name!r}, the name of {count} columns. "
        "Give the position of the column, or rename the columns."
    )


def no_such_nominal_column(name: object) -> SchemaError:
    """Categories for a column that has none."""
    return SchemaError(
        f"`categories` must be about nominal columns of the schema. Got {name!r}. Leave it out, or make the "
        "column nominal with categorical_features."
    )


def no_such_field(name: object, names: list[str]) -> KeyError:
    """A column that records do not have."""
    return KeyError(f"Records have the columns {few(names, 20)}. Got {name!r}.")


def no_such_record(name: str, value: object, values: list) -> ValueError:
    """A value that no record has, most likely misspelt."""
    return bad_parameter(name, f"found in the records, such as {few(values)}", value)


def cannot_compare(estimator: str) -> NoTablesError:
    """A model without counts of its training rows."""
    return NoTablesError(
        f"A model to compare rows with must keep the counts of its training rows. Got {estimator} without them. Give "
        "rows as `reference` to `compare_data`, or save the model with its statistics."
    )


def nothing_held_out(estimator: str, is_calibrated: bool) -> ValueError:
    """Sets of classes asked of a model that held out no rows."""
    advice = (
        'Fit with `calibration` other than None, on 20 rows of each class or more, and (of AdaBoost) `method="m1"`'
        if is_calibrated
        else "Use NaiveBayesClassifier or BoostedNaiveBayesClassifier"
    )
    return ValueError(
        "A model must have held out rows to predict sets of classes that hold their level. Got "
        f"{estimator} without any. {advice}; a model of an older file must be fitted again."
    )


def held_out_before_edits() -> DataWarning:
    """Sets of classes by scores of a model that was edited since."""
    return DataWarning(
        "Sets of classes should be made by the model that rows were held out of. Got a model with edits: sets are made "
        "by its probabilities, but by the limits from before the edits. Use `undo()`, or measure on other rows how "
        "often they hold."
    )


def edges_differ(column: str) -> MergeError:
    """Statistics over different bins."""
    return MergeError(
        f"Models to add must have the same bin edges. Got different edges in column {column!r}. "
        "Fit the other models with schema=first.schema_."
    )


def ngrams_differ(column: str) -> MergeError:
    """Statistics of words and of sequences of words."""
    return MergeError(
        f"Models to add must have the same `ngrams`. Got different ones in column {column!r}. "
        "Fit the other models with schema=first.schema_."
    )


def sparse_columns_differ(first: int | None, second: int | None) -> MergeError:
    """Statistics of sparse matrices with other columns, or of one sparse matrix and a column of text."""
    return MergeError(
        "Models of sparse matrices to add must have the same columns in the same order. Got "
        f"{first or 'no'} and {second or 'no'} columns, or other names. Make all matrices by one fitted vectorizer."
    )


def columns_differ(first: list[str], second: list[str]) -> MergeError:
    """Statistics over different columns."""
    return MergeError(
        f"Models to add must have the same columns of the same kinds. Got {first!r} and {second!r}. "
        "Fit the other models with schema=first.schema_."
    )


def classes_of_two_types(first: list, second: list) -> MergeError:
    """Classes that cannot be put in one order."""
    return MergeError(
        f"Models to add must have classes of one type. Got {first!r} and {second!r}. "
        "Convert the targets to one type before fitting."
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


def rows_needed(missing: str) -> MergeError:
    """Gaps that are filled from all rows at once: no sums, no batches."""
    return MergeError(
        f'`missing` must be "available" for models that are added or learn in batches. Got {missing!r}, which '
        "needs all rows at once. Call fit with all of them."
    )
