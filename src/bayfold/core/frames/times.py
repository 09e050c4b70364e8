"""Times as seconds since 1970 and back, and timestamps of pandas, which people have as classes, as text and back."""

from __future__ import annotations

import datetime
import re
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np


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


UTC_START = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
"""What seconds are counted from."""
UTC_NAMES = frozenset({"", "UTC", "Etc/UTC", "Z", "Zulu", "Etc/Zulu", "+00:00", "UTC+00:00"})
"""What times without a zone count as, under its names."""
ZONES_KEPT = 64
"""Zones that are remembered; a table has a few."""


def seconds(times: np.ndarray) -> np.ndarray:
    """Timestamps or durations of any unit as seconds, NaT as NaN.

    One unit for all sources, because pandas, polars and Arrow store the same column in different ones.
    """
    unit = np.datetime64(0, "s") if times.dtype.kind == "M" else np.timedelta64(0, "s")
    return (times - unit) / np.timedelta64(1, "s")


def local_time(value: float, zone: str) -> str:
    """Seconds since 1970 as date and time of a zone; without a zone as they are.

    >>> local_time(0.0, ""), local_time(0.0, "+05:30"), local_time(1719820800.0, "Europe/Berlin")
    ('1970-01-01 00:00:00', '1970-01-01 05:30:00', '2024-07-01 10:00:00')
    """
    shift = 0.0
    if zone:
        try:
            moment = UTC_START + datetime.timedelta(seconds=round(value))
            offset = moment.astimezone(_find_zone(zone)[0]).utcoffset()
            shift = 0.0 if offset is None else offset.total_seconds()
        except OverflowError:  # years that the zone's rules do not know
            shift = 0.0
    return str(np.datetime64(round(value + shift), "s")).replace("T", " ")


def name_zone(zone: str) -> str:
    """The zone that times are shown in: its own name, or UTC where this machine does not know it.

    >>> name_zone("Europe/Berlin"), name_zone("+01:00"), name_zone("Mars/Olympus")
    ('Europe/Berlin', '+01:00', 'UTC')
    """
    return _find_zone(zone)[1] if zone else ""


@lru_cache(maxsize=ZONES_KEPT)
def _find_zone(zone: str) -> tuple[datetime.tzinfo, str]:
    """The rules of a zone given by name or as a distance from UTC, and its name."""
    distance = re.fullmatch(r"(?:UTC)?([+-])(\d\d):?(\d\d)", zone)
    try:
        if distance is None:
            return ZoneInfo(zone), zone
        sign, hours, minutes = distance.groups()
        east = datetime.timedelta(hours=int(hours), minutes=int(minutes))
        return datetime.timezone(-east if sign == "-" else east), zone
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return datetime.UTC, "UTC"
