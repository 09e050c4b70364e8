"""pandas' timestamps as text and back: objects of its own that people have as classes."""

from __future__ import annotations

from typing import Any


def is_timestamp(value: Any) -> bool:
    """Whether a value is a pandas Timestamp, without importing pandas to find out."""
    kind = type(value)
    return kind.__name__ == "Timestamp" and kind.__module__.partition(".")[0] == "pandas"


def write_timestamp(value: Any) -> str:
    """The instant in nanoseconds, the unit it is kept in, and the time zone if it has one.

    >>> import pandas as pd
    >>> write_timestamp(pd.Timestamp("1970-01-01 00:00:01", tz="UTC").as_unit("s"))
    '1000000000 s UTC'
    """
    zone = "" if value.tz is None else f" {value.tz}"
    return f"{value.value} {value.unit}{zone}"


def read_timestamp(text: str) -> Any:
    """The timestamp that was written.

    >>> read_timestamp("1000000000 s UTC")
    Timestamp('1970-01-01 00:00:01+0000', tz='UTC')
    """
    import pandas as pd  # here, because of the time it takes to import

    instant, unit, *zone = text.split(" ", 2)
    return pd.Timestamp(int(instant), unit="ns", tz=zone[0] if zone else None).as_unit(unit)
