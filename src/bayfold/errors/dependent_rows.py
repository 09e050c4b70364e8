"""What is wrong with groups and times of rows, and what to do where rows depend on each other."""

from __future__ import annotations

from bayfold.errors.kinds import DataWarning, MergeError


def missing_units(name: str, n_rows: int) -> ValueError:
    """Rows without a group or a time."""
    rows = f"{n_rows:,} rows" if n_rows > 1 else "1 row"
    return ValueError(
        f"`{name}` must be known for every row. Got none for {rows}. Leave these rows out, or give each "
        f"{'a group of its own' if name == 'groups' else 'the time it was observed at'}."
    )


def not_a_column_of_rows(name: str, shape: tuple[int, ...]) -> ValueError:
    """Groups or times with several columns."""
    return ValueError(
        f"`{name}` must be 1-dimensional, with one entry per row of `X`. Got an array of shape {shape}."
    )


def name_in_place_of_values(name: str, given: str) -> ValueError:
    """The name of a column where its values are wanted."""
    return ValueError(
        f"`{name}` must have one entry per row of `X`. Got the name {given!r}. Give the values, such as X[{given!r}], "
        "and leave the column out of `X`; only `fit_source` takes names."
    )


def time_without_order(found: str) -> ValueError:
    """Times that are texts or categories."""
    return ValueError(
        f"`time` must be dates or numbers, which have an order. Got a {found} column. Read texts as dates first, for "
        "example by pandas.to_datetime."
    )


def one_unit() -> ValueError:
    """A single group: nothing can be held out."""
    return ValueError(
        "`groups` must be at least two, so that one can be held out. Got one group in all rows. Leave `groups` out, or "
        "give what tells independent rows apart."
    )


def few_units(n_units: int, least: int) -> DataWarning:
    """So few groups that folds are single ones."""
    return DataWarning(
        f"There are {n_units} groups, fewer than {least}: each fold leaves out one of them, and what is found on so "
        "few is uncertain. More groups would say more than more rows."
    )


def one_time() -> ValueError:
    """All rows of the same time: none is later."""
    return ValueError(
        "`time` must have at least two values, so that later rows can be held out. Got the same time in all rows. "
        "Leave `time` out."
    )


def units_left_out(models: str) -> MergeError:
    """A sum of rows with times and rows without."""
    return MergeError(
        f"Models to add must all have been given `{models}`, or none. Got both kinds. "
        f"Fit the other models with `{models}` too."
    )


def units_overlap() -> MergeError:
    """A sum of rows with groups and rows without, some of which are equal."""
    return MergeError(
        "Models to add, of which only one was given `groups`, must not share rows. Got equal rows in both. "
        "Fit the other models with `groups` too."
    )


def units_not_taken(name: str, estimator: str) -> TypeError:
    """Groups or times for an estimator whose fit has no use for them."""
    return TypeError(
        f"`{name}` must be of use to the estimator that is fitted. Got {estimator}, which holds no rows out or takes "
        f"no `{name}`. Leave `{name}` out."
    )


def leaves_out_single_rows(setting: str) -> ValueError:
    """Groups or times for a method that is kept as published."""
    return ValueError(
        f"`groups` and `time` say which rows are held out together. Got them with {setting}, which leaves out one row "
        "at a time, as published. Take another setting, or leave them out."
    )


def near_copies(share: float, column: str | None, n_repeats: int) -> DataWarning:
    """Rows that depend on each other, as it seems, and no groups."""
    if column is None:
        advice = "If they belong to one patient, customer or day, say so: pass `groups=`."
    else:
        advice = f"A value of `{column}` repeats {n_repeats} times: pass `groups=`, and leave the column out of `X`."
    return DataWarning(
        f"{share:.0%} of the rows are near-copies of others, far nearer to them than to the rest. Held out one by one "
        f"they give the answer away, and the model is too sure of new ones. {advice}"
    )
