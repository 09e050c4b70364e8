"""What is wrong with groups and times of rows, and what to do where rows depend on each other."""

from __future__ import annotations


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


def time_without_order(found: str) -> ValueError:
    """Times that are texts or categories."""
    return ValueError(
        f"`time` must be dates or numbers, which have an order. Got a {found} column. Read texts as dates first, for "
        "example by pandas.to_datetime."
    )
