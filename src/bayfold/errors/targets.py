"""What is wrong with a target, classes or weights."""

from __future__ import annotations

from bayfold.errors.kinds import DataWarning, few
from bayfold.errors.parameters import bad_parameter


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
        f"y should be a 1d array, got an array of shape {shape} instead. `y` must have one entry per row."
    )


def single_class(label: object, adds_up: bool = False) -> ValueError:
    """Only one class at fit; models that add up have a way around."""
    shards = "for shards that may hold one class, use partial_fit and add the models up"
    return ValueError(
        f"`y` must hold at least two classes. Got only the class {label!r}. "
        f"Add rows of another class; {shards if adds_up else 'one class has nothing to be told from'}."
    )


def class_outside(labels: list[object], classes: list[object]) -> ValueError:
    """A new class although `classes` was given."""
    return ValueError(
        f"`y` must hold only the classes given by `classes`, {classes!r}. Got {few(labels)}. "
        "Nothing of this batch was counted. Add the class to `classes` in the first call, or leave `classes` out."
    )


def negative_weights(value: float) -> ValueError:
    """A negative or missing weight."""
    return ValueError(
        f"`sample_weight` must be finite and not negative. Got {value!r}. Weights are frequencies: 2 is the row twice."
    )


def weights_out_of_range(total: float, least: float, most: float) -> ValueError:
    """Weights so small or so large that sums of them say nothing."""
    return ValueError(
        f"`sample_weight` must add up to at least {least:g} and at most {most:.0e}. Got a sum of {total:g}. "
        "Divide them by their mean: weights are frequencies, 2 is the row twice."
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


def target_not_numeric(value: object) -> ValueError:
    """A target of labels where numbers are learnt."""
    return ValueError(
        f"`y` must hold numbers. Got {value!r}. Convert it to numbers, or use a classifier."
    )


def target_of_times(is_date: bool) -> ValueError:
    """Dates or durations where numbers are learnt: in which unit is for the user to say."""
    if is_date:
        what = "dates"
        how = 'np.asarray(y).astype("datetime64[s]").astype(float)'
        return ValueError(
            f"`y` must hold numbers. Got {what}. Give seconds since 1970, or days since a day of your choice: {how}."
        )
    how = 'np.asarray(y) / np.timedelta64(1, "s")'
    return ValueError(
        f"`y` must hold numbers. Got durations. Give them in a unit, such as seconds: {how}."
    )


def total_among_targets(total: float) -> DataWarning:
    """A number that is the sum of all others."""
    return DataWarning(
        f"A target of {total:.10g} is the sum of all others: a row of totals? Leave it out: it outweighs the rest."
    )


def target_below_resolution(low: float, high: float) -> DataWarning:
    """A target that varies, but by so little that floats of its size cannot tell."""
    return DataWarning(
        f"`y` varies by less than floats of its size can resolve, from {low!r} to {high!r}, and is taken for a "
        "constant. Subtract a constant near it before fitting, and add it to the predictions."
    )


def target_out_of_range(largest: float, limit: float) -> ValueError:
    """A target whose sums and differences leave the floats."""
    advice = "Divide it by" if largest > limit else "Multiply it with"
    return ValueError(
        f"`y` must lie between -{limit:g} and {limit:g}, and not all of it nearer to zero than {1 / limit:g}. "
        f"Got a largest size of {largest!r}. {advice} a constant before fitting."
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


def needs_rate(name: str) -> ValueError:
    """An exposure or offset for a loss whose tables do not multiply."""
    return ValueError(
        f"`{name}` must be None with loss='squared', whose tables add up. Choose loss='poisson' for counts, 'gamma' "
        "for amounts above zero or 'tweedie' for amounts that may be zero."
    )


def no_rating_table() -> ValueError:
    """Factors of tables that add up."""
    return ValueError(
        "A rating table must be of a model whose tables multiply. Got loss='squared'. Fit with loss='poisson', 'gamma' "
        "or 'tweedie', or see `evidence_`."
    )


def bad_exposure(value: float, row: int) -> ValueError:
    """An exposure that no total can be a total of."""
    return ValueError(
        f"`exposure` must be a finite number above 0 for every row. Got {value!r} in row {row}. Leave out rows that "
        "were not observed, or fill in how long they were."
    )


def bad_offset(value: float, row: int, largest: float) -> ValueError:
    """An offset whose exponential is no factor."""
    return ValueError(
        f"`offset` must be a finite number between -{largest:g} and {largest:g} for every row. Got {value!r} in row "
        f"{row}. It is the logarithm of what the mean is multiplied by."
    )


def negative_totals(loss: str, value: float) -> ValueError:
    """A negative target of a loss of rates."""
    return ValueError(
        f"`y` must not be negative with loss={loss!r}. Got {value!r}. Leave out or correct those rows, or choose "
        "loss='squared'."
    )


def only_zero_totals(loss: str) -> ValueError:
    """A rate of nothing."""
    return ValueError(
        f"`y` must be above 0 for at least one row with loss={loss!r}. Got only zeros: there is no rate to learn."
    )


def zero_amounts(count: int) -> ValueError:
    """Zeros for a gamma distribution."""
    return ValueError(
        f"`y` must be above 0 for every row with loss='gamma'. Got {count} zero(s). Fit rows above zero only "
        "(severity), or choose loss='tweedie'."
    )


def broken_counts(value: float) -> ValueError:
    """Rates or amounts where counts are asked for."""
    return ValueError(
        f"`y` must hold whole numbers with loss='poisson'. Got {value!r}. Give counts, and what they were divided by "
        "as `exposure`; for amounts choose loss='tweedie'."
    )
