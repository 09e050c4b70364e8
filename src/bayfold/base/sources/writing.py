"""Where a pass over a source writes to: the folder is made, and a place that cannot be written to is named."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bayfold import errors
from bayfold.core.atomic import write_atomically


@contextmanager
def write_to_place(path: Path) -> Iterator[Path]:
    """A path to write a file or a folder to, which replaces whatever has the real name when all went well."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with write_atomically(path, over_folder=True) as aside:
            yield aside
    except OSError as error:
        raise errors.cannot_write(str(path), error) from error
