"""Where a pass over a source writes to: the folder is made, and a place that cannot be written to is named."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bayfold import errors
from bayfold.core.atomic import write_atomically


@contextmanager
def write_to_place(
    path: Path, check_replaced: Callable[[Path], object] | None = None
) -> Iterator[Path]:
    """A path to write to, which takes its place when all went well; ``check_replaced`` as in ``write_atomically``."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with write_atomically(path, check_replaced) as aside:
            yield aside
    except OSError as error:
        raise errors.cannot_write(str(path), error) from error
