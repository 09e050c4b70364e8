"""A fit that can be interrupted: the sums so far, in a folder."""

from __future__ import annotations

import hashlib
import pickle
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bayfold import errors
from bayfold.base.sources.roles import Roles
from bayfold.base.sources.writing import write_to_place
from bayfold.core.engine import TreeSum
from bayfold.core.frames.sources import Source
from bayfold.core.frames.sources.chunk import partition_rows
from bayfold.core.schema import Schema

SAVE_SECONDS = 10.0
"""Between two writings: some megabytes each time, and no more work than this is lost."""

FILE_NAME = "fit.checkpoint"
ROWS_NAME = "fit.rows"

CHECKSUM_BYTES = hashlib.sha256().digest_size
"""In front of the content: a file that was changed or cut off is not read at all."""


@dataclass
class SavedFit:
    """How far a fit has come.

    Attributes
    ----------
    sums : dict of str to TreeSum
        Of passes that are under way, by their names.
    totals : dict of str to anything
        Of passes that are done.
    copy : Copy or None
        Of a method that copies its rows, what is in the file of them.
    """

    sums: dict[str, TreeSum] = field(default_factory=dict)
    totals: dict[str, Any] = field(default_factory=dict)
    copy: Any = None


class Checkpoint:
    """Where a fit is saved; nowhere, if no folder is given.

    Parameters
    ----------
    folder : path-like or None
    key : dict
        What another fit must agree in to go on from here.
    """

    def __init__(self, folder: Any, key: dict[str, Any]) -> None:
        self.folder = None if folder is None else Path(folder)
        self._path = None if self.folder is None else self.folder / FILE_NAME
        self._key = key
        self._saved = time.monotonic()

    def load(self) -> SavedFit:
        """What was saved last, or a beginning."""
        if self._path is None or not self._path.exists():
            return SavedFit()
        try:
            content = self._path.read_bytes()
            checksum, content = content[:CHECKSUM_BYTES], content[CHECKSUM_BYTES:]
            if hashlib.sha256(content).digest() != checksum:
                raise errors.checkpoint_changed()
            key, fit = pickle.loads(content)
        except Exception as error:  # whatever a file of another version makes pickle do
            raise errors.bad_checkpoint(str(self._path), error) from error
        differing = [name for name in self._key if key.get(name) != self._key[name]]
        if differing:
            raise errors.other_fit(str(self._path.parent), differing)
        return fit

    def save(self, fit: SavedFit, now: bool = False) -> None:
        """Save the fit, if it is time or has to be ``now``."""
        if self._path is None or not self.is_due(now):
            return
        with write_to_place(self._path) as aside:
            content = pickle.dumps((self._key, fit), protocol=5)
            aside.write_bytes(hashlib.sha256(content).digest() + content)
        self._saved = time.monotonic()

    def is_due(self, now: bool = False) -> bool:
        """Whether it is time to save."""
        is_time = now or time.monotonic() - self._saved >= SAVE_SECONDS
        return self._path is not None and is_time

    def clear(self) -> None:
        """The fit is done: nothing is left to go on from."""
        if self.folder is not None:
            for name in (FILE_NAME, ROWS_NAME):  # without the first, nobody reads the second
                (self.folder / name).unlink(missing_ok=True)


def find_key(estimator: Any, source: Source, roles: Roles) -> dict[str, Any]:
    """What two fits agree in if one can go on from where the other stopped."""
    parameters = estimator.get_params(deep=True)
    return {
        "estimator": type(estimator).__name__,
        "parameters": {n: _plain(v) for n, v in parameters.items() if n != "n_jobs"},
        "source": source.identity(),
        "columns": (roles.features, roles.target, roles.weight),
        "partitions": partition_rows(len(roles.columns), source.text_bytes(roles.columns)),
    }


def _plain(value: Any) -> Any:
    return value.to_dict() if isinstance(value, Schema) else repr(value)
