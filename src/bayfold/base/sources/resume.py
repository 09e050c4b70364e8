"""A fit that can be interrupted: the sums so far, in a folder."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bayfold import errors
from bayfold.base.sources import checkpoint_kinds as checkpoint_kinds  # what files hold of it
from bayfold.base.sources.copying import Copy
from bayfold.base.sources.output import write_to_place
from bayfold.base.sources.passes import Learnt
from bayfold.base.sources.reading import Roles
from bayfold.core.counts.sums import Sum
from bayfold.core.counts.survey import Survey
from bayfold.core.engine import TreeSum
from bayfold.core.frames.sources import Source
from bayfold.core.frames.sources.chunk import partition_rows
from bayfold.core.schema import Schema
from bayfold.persist import expect, register
from bayfold.persist.archive import CHECKPOINT
from bayfold.persist.checks import RefusedError
from bayfold.persist.files import pack, unpack_checkpoint
from bayfold.version import __version__

SAVE_SECONDS = 10.0
"""Between two writings: some megabytes each time, and no more work than this is lost."""

FILE_NAME = "fit.checkpoint"
ROWS_NAME = "fit.rows"


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
    copy: Copy | None = None


KIND_OF_PASS = {"looking": Survey, "counting": Learnt}
"""What is added up in passes that all methods have; a further pass has a sum of its own."""


def check_saved(fit: SavedFit) -> None:
    """Sums of the kind that each pass adds up."""
    parts = [(name, part) for name, tree in fit.sums.items() for part in tree.sums]
    for name, part in [*parts, *fit.totals.items()]:
        expect(isinstance(part, KIND_OF_PASS.get(name, Sum) | None), "the sums so far")


register(SavedFit, check_saved)


class Checkpoint:
    """Where a fit is saved; nowhere, if no folder is given.

    Parameters
    ----------
    folder : path-like or None
    key : dict of str to str
        What another fit must agree in to go on from here.
    """

    def __init__(self, folder: Any, key: dict[str, str]) -> None:
        self.folder = None if folder is None else Path(folder)
        self._path = None if self.folder is None else self.folder / FILE_NAME
        self._key = key
        self._saved = time.monotonic()

    def load(self) -> SavedFit:
        """What was saved last, or a beginning."""
        if self._path is None or not self._path.exists():
            return SavedFit()
        name = str(self._path)
        try:
            key, make = unpack_checkpoint(self._path.read_bytes(), name)
            differing = [part for part in self._key if key.get(part) != self._key[part]]
            fit = SavedFit() if differing else make()
            expect(type(fit) is SavedFit, "the fit")
        except RefusedError as reason:
            raise errors.bad_checkpoint(name, f"{reason} does not fit") from None
        except errors.ModelFileError:
            raise errors.bad_checkpoint(name, "a file of another kind, version or size") from None
        except Exception as error:  # whatever a file provokes that is not what it says to be
            what = f"{type(error).__name__} on reading it"
            raise errors.bad_checkpoint(name, what) from error
        if differing:
            raise errors.other_fit(str(self._path.parent), differing)
        return fit

    def save(self, fit: SavedFit, now: bool = False) -> None:
        """Save the fit, if it is time or has to be ``now``."""
        if self._path is None or not self.is_due(now):
            return
        try:
            content = pack(fit, CHECKPOINT, notes=self._key)
        except errors.ModelFileError:
            errors.warn(errors.checkpoint_too_large(str(self.folder)))
            self._path = None
            return
        with write_to_place(self._path) as aside:
            aside.write_bytes(content)
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


def find_key(estimator: Any, source: Source, roles: Roles) -> dict[str, str]:
    """What two fits agree in if one can go on from where the other stopped, as text."""
    parameters = estimator.get_params(deep=True)
    key = {
        "version": __version__,
        "estimator": type(estimator).__name__,
        "parameters": {n: _plain(v) for n, v in parameters.items() if n != "n_jobs"},
        "source": source.identity(),
        "columns": (roles.features, roles.target, roles.weight, *roles.extras),
        "partitions": partition_rows(len(roles.columns), source.text_bytes(roles.columns)),
    }
    return {name: json.dumps(value, sort_keys=True, default=repr) for name, value in key.items()}


def _plain(value: Any) -> Any:
    return value.to_dict() if isinstance(value, Schema) else repr(value)
