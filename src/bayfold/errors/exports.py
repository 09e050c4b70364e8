"""What cannot be exported, and why."""

from __future__ import annotations

from bayfold.errors.kinds import DataWarning, ExportError, few
from bayfold.errors.notices import MOST_EXAMPLES
from bayfold.errors.parameters import bad_parameter

REASONS = {
    "AveragedOneDependenceClassifier": "an average over parents is no sum",
    "AdaBoostNaiveBayesClassifier": "votes do not add up to weights of evidence",
    "NaiveBayesTreeClassifier": "a tree asks about many columns at once",
    "ClassDecompositionClassifier": "classes are unions of clusters, whose probabilities are added",
    "ViaRegressionClassifier": "probabilities are read off several regressions",
    "MTERegressor": "logarithms of sums of exponentials are no table",
    "BoostedNaiveBayesRegressor": "its tables add up on a scale of the target, from which means are read",
    "CollapsedRegressor": "its tables add up on a scale of the target, from which means are read",
}
"""By the name of the estimator."""

FOR_NUMBERS = "NaiveBayesRegressor (`--model naive-bayes` on the command line)"
OR_JSON = f"`to_json`, or {FOR_NUMBERS}"

INSTEAD = {
    "MTERegressor": FOR_NUMBERS,
    "BoostedNaiveBayesRegressor": OR_JSON,
    "CollapsedRegressor": OR_JSON,
}
"""What to use, where it is not the boosted classifier."""


def cannot_export(estimator: str) -> ExportError:
    """A model that is no sum of terms, or of other terms than an export knows."""
    why = REASONS.get(estimator, "it is none")
    instead = INSTEAD.get(estimator, "NaiveBayesClassifier or BoostedNaiveBayesClassifier")
    return ExportError(
        "An exported model must be a sum of what its columns say, alone and two by two. "
        f"Got {estimator}: {why}. Use {instead} instead."
    )


def scorecard_needs_two_classes(found: str) -> ExportError:
    """Points for more than one class against another."""
    return ExportError(
        f"A scorecard must be of a model of two classes without impossible values. Got {found}. "
        "Use `to_sql` or `to_json` instead."
    )


def scorecard_of_three_columns(names: list[str]) -> ExportError:
    """Points of cells of three columns, which nobody looks up."""
    return ExportError(
        f"A scorecard must be of tables of one and two columns. Got tables of three: {few(names, 4)}. Fit with "
        "`interactions=2`, or use `to_sql` or `to_json`."
    )


def names_alike(dialect: str, names: list[str]) -> ExportError:
    """Columns that a database cannot tell apart."""
    return ExportError(
        f"Columns must have names that {dialect} can tell apart. Got {names}. Rename the columns and fit again."
    )


def words_not_exported(column: str) -> ExportError:
    """Words of texts, which no export can split and find."""
    return ExportError(
        f"A model to be exported must have no column of text. Got {column!r}. Leave the column out and fit again, or "
        "save the model and predict with bayfold."
    )


def text_with_zero(text: str) -> ExportError:
    """Text that no SQL can hold."""
    return ExportError(
        f"Text in SQL must not have a zero character. Got {text!r}. Rename it and fit again."
    )


def onnx_not_installed() -> ImportError:
    """The extra is missing."""
    return ImportError(
        "`to_onnx` needs the package onnx. Install it with: pip install 'bayfold[onnx]'"
    )


def unwritable_classes(form: str, kinds: str, classes: list) -> ExportError:
    """Classes that an export has no way to write."""
    return ExportError(
        f"Classes in {form} must be {kinds}. Got {classes[:3]}. Fit with strings instead."
    )


def median_without_onnx() -> ExportError:
    """A median, which takes a search along the distribution."""
    return ExportError(
        'A regressor in ONNX must have `statistic="mean"`. Got a median. Use `to_sql` or `to_json` instead, '
        "or read the median off `probabilities`."
    )


def means_of_rates_alone() -> ExportError:
    """A median or quantiles of counts or amounts."""
    return ExportError(
        'An exported model of counts or amounts must have `statistic="mean"` and no quantiles. Got others. '
        "Use `predict_quantiles` instead."
    )


def too_many_points(points: float, most: int) -> ExportError:
    """A curve that would be cut into more steps than anybody reads, or than memory holds."""
    return ExportError(
        f"A column of a scorecard must rise by at most {most:,} points. Got {points:.3g}. Choose a smaller "
        "`points_to_double_odds`."
    )


def points_too_large(points: float) -> ExportError:
    """Points that are no longer counted one by one."""
    return ExportError(
        f"Points of a scorecard must be below 2^53. Got {points:.3g}. Choose a smaller `points_to_double_odds` or "
        "`base_points`."
    )


def card_without_rows(lacking: str) -> ValueError:
    """Rows without classes, or the other way round."""
    return ValueError(f"`{lacking}` must be given too, to count rows by bin. Got None.")


def card_of_one_class() -> ValueError:
    """Rows of one class tell nothing of how well points part them."""
    return ValueError("`y` must hold both classes of the model. Got one.")


def unknown_good_class(good: object, classes: list) -> ValueError:
    """Points for a class that there is not."""
    return bad_parameter("good", f"one of the classes {classes}", good)


def wants_numbers(examples: dict[str, str]) -> DataWarning:
    """Columns that were strings with units at fit, and must be numbers where an exported model reads them."""
    shown = [
        f"{name!r} (12 for {written!r})" for name, written in list(examples.items())[:MOST_EXAMPLES]
    ]
    rest = f" and {len(examples) - len(shown)} more" if len(examples) > len(shown) else ""
    return DataWarning(
        f"The exported model reads numbers, not strings with units: convert {', '.join(shown)}{rest} first."
    )
