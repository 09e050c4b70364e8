"""Errors of a reader under the name of the file and the place in it."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from bayfold import errors


@contextmanager
def name_place(path: str, place: str = "") -> Iterator[None]:
    """Whatever goes wrong inside is said of this place of this file."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, EOFError, zlib.error, ValueError) as error:
        if isinstance(error, (errors.SourceError, errors.DatasetError)):
            raise  # named already
        line = re.search(r"Row #(\d+): ", str(error))
        if line:
            place = f"line {line[1]}"
        raise errors.bad_file(path, place, error) from error
