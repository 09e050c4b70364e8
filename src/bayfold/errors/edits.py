"""What is wrong with a change that somebody asks of a fitted model."""

from __future__ import annotations

from bayfold.errors.kinds import DataWarning, MergeError, NoTablesError, few
from bayfold.errors.parameters import bad_parameter


def cannot_edit(estimator: str) -> NoTablesError:
    """A model that is no sum of tables."""
    return NoTablesError(
        f"A model to be edited must be made of tables of bins. Got {estimator}. Use NaiveBayesClassifier with "
        '`numeric="mdl"`, BoostedNaiveBayesClassifier or BoostedNaiveBayesRegressor instead.'
    )


def curve_to_edit(column: str, kind: str) -> ValueError:
    """A column whose evidence is no table of bins."""
    advice = (
        'Fit with `numeric="mdl"`, "equal_frequency" or "equal_width" for it; `remove_column` takes it.'
        if kind == "numeric"
        else "`remove_column` takes it."
    )
    return bad_parameter("column", "a column or a pair with a table of bins", column, advice)


def no_pair_to_edit(given: object, pairs: list[str]) -> ValueError:
    """Two columns without a table."""
    condition = (
        f"a pair that has a table ({few(pairs, 8)})" if pairs else "one column: no pair has a table"
    )
    return bad_parameter("column", condition, given)


def pair_not_taken(action: str, given: object) -> ValueError:
    """Bins of two columns have no order."""
    return bad_parameter("column", f"one column for `{action}`", given)


def no_such_bin(name: str, column: str, labels: list[str], given: object) -> ValueError:
    """A bin that does not exist."""
    advice = f"{len(labels)} bins; `evidence_` lists them all." if len(labels) > 12 else ""
    return bad_parameter(name, f"a bin of {column!r} ({few(labels, 12)})", given, advice)


def apart_to_merge(column: str, labels: list[str]) -> ValueError:
    """Intervals with another one between them."""
    return bad_parameter("bins", f"neighbouring intervals of {column!r}", labels)


def too_few_to_merge(column: str, labels: list[str]) -> ValueError:
    """Nothing to merge."""
    return bad_parameter("bins", f"at least two bins of {column!r}", labels)


def unordered_to_smooth(column: str) -> ValueError:
    """Categories have no neighbours."""
    return bad_parameter("column", "a column of numbers with at least two bins", column)


def bad_weights_of_classes(classes: list, value: object) -> ValueError:
    """Weights that no bin can have."""
    condition = f"a dict from classes ({few(classes)}) to numbers, which add up to 0 if all classes are there"
    return bad_parameter("weight", condition, value)


def shift_out_of_reach(low: float, high: float, value: float) -> ValueError:
    """A mean that no place on the scale of the target has."""
    return bad_parameter(
        "weight", f"a shift within the range of the target, {low:.5g} to {high:.5g}", value
    )


def impossible_to_edit(column: str) -> ValueError:
    """Weights without a bound, of which there is no mean."""
    return bad_parameter("column", "one without impossible values", column, "Fit with smoothing.")


def bad_reason(value: object) -> ValueError:
    """An edit nobody can look up later."""
    return bad_parameter("reason", "a text that says why", value)


def bad_author(value: object) -> ValueError:
    """A name that is none."""
    return bad_parameter("author", "a text", value)


def no_such_edit(value: object, active: list[int]) -> ValueError:
    """An edit that was not made, or was taken back."""
    condition = (
        f"the number of an edit that counts ({few(active, 12)})"
        if active
        else "left out: no edit counts"
    )
    return bad_parameter("number", condition, value)


def edit_is_needed(number: int, why: str) -> ValueError:
    """An edit that a later one rests on."""
    advice = f"Without it a later one fails: {why} Undo that one first."
    return bad_parameter("number", "an edit that no later one rests on", number, advice)


def rows_to_refit() -> ValueError:
    """No rows, and none in the model."""
    return bad_parameter(
        "X", "given, with y: this model keeps no rows to balance its intercept by", None
    )


def no_balance(found: str) -> ValueError:
    """Rows that no intercept fits."""
    return bad_parameter("y", "rows of every class of the model", found)


def edits_do_not_add() -> MergeError:
    """Edited tables are no sums over rows."""
    return MergeError(
        "Models to add, and models that learn from further batches, must have no edits: these belong to tables, not "
        "to rows. Got an edited model. Use the model before its edits, and edit the sum."
    )


def edits_dropped(n_edits: int) -> DataWarning:
    """A fit that begins anew."""
    were = "1 edit is" if n_edits == 1 else f"{n_edits} edits are"
    return DataWarning(f"`fit` makes new tables: {were} dropped. Make them again on the new model.")


def order_edited_away(columns: list[str]) -> DataWarning:
    """An edit after which a column is not monotone any more."""
    return DataWarning(
        f"After this edit the model is not monotone in {few(columns)} any more: `monotone_violations_` lists where, "
        "and `undo()` takes the edit back."
    )


def nothing_edited(estimator: str) -> ValueError:
    """A comparison of a model with itself."""
    return ValueError(
        f"A model to compare with itself before its edits must have edits. Got {estimator} without any."
    )


def bad_factor(value: float) -> ValueError:
    """A factor that would leave nothing of a rate."""
    return bad_parameter("weight", "a factor above 0", value)
