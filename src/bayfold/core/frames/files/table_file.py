"""A table that was read from a file, with what is needed to write it back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from bayfold import errors
from bayfold.core.frames.files.formats import CsvDialect
from bayfold.core.frames.files.write_text import as_texts
from bayfold.core.frames.output import make_frame
from bayfold.core.frames.vectors import read_vector


@dataclass(frozen=True, eq=False)
class TableFile:
    """The columns of a file.

    Attributes
    ----------
    path : str
        The file, or "-" for standard input.
    format : str
        The format it had.
    frame : pyarrow.Table
        The columns as a model reads them: numbers, times, strings, missing cells.
    written : pyarrow.Table
        The columns as they go out again: of a CSV file the cells as they were written.
    dialect : CsvDialect or None
        Of a CSV file.
    line_of : function or None
        The line of a row (both from 0 and 1), where the file has lines.
    notices : tuple of str
        What a reader should know about how the file was understood.
    """

    path: str
    format: str
    frame: Any
    written: Any
    dialect: CsvDialect | None = None
    line_of: Callable[[int], int] | None = None
    notices: tuple[str, ...] = ()

    @cached_property
    def names(self) -> list[str]:
        """The names of the columns."""
        return list(self.frame.column_names)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.frame.num_rows)

    def find_counters(self, names: Sequence[str]) -> list[str]:
        """The columns that go up by one from row to row."""
        from pyarrow import types

        whole = [n for n in names if types.is_integer(self.frame[n].type) and self.n_rows > 2]
        return [n for n in whole if (np.diff(self.frame[n].to_numpy()) == 1).all()]

    def select(self, names: Sequence[str]) -> Any:
        """The columns of these names, as a model reads them."""
        return self.frame.select(list(names))

    def vector(self, name: str) -> np.ndarray:
        """One column as an array, such as a target."""
        return read_vector(self.frame[name])

    def texts(self, name: str) -> np.ndarray:
        """One column as text, None where it is missing."""
        import pyarrow as pa
        import pyarrow.compute as pc

        known = pc.is_valid(self.frame[name])
        shown = self.written[name].cast(pa.string())
        return pc.if_else(known, shown, None).to_numpy(zero_copy_only=False)

    def count_missing(self, names: Sequence[str]) -> int:
        """How many cells of these columns are missing."""
        return sum(self.frame[name].null_count for name in names)

    def take(self, rows: Sequence[int] | np.ndarray) -> TableFile:
        """The given rows alone."""
        chosen = np.asarray(rows, np.int64)
        lines = self.line_of
        return replace(
            self,
            frame=self.frame.take(chosen),
            written=self.written.take(chosen),
            line_of=None if lines is None else lambda row: lines(int(chosen[row])),
        )

    def with_labels(self, names: Sequence[str]) -> TableFile:
        """The same with these columns as text, whatever they hold: numbers that are labels."""
        import pyarrow as pa

        changed = {}
        for name in names:
            column = self.frame[name]
            if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
                changed[name] = column.cast(pa.string())
        return replace(self, frame=_with_changed(self.frame, changed))

    def filled(self, frame: Any) -> TableFile:
        """The same with the missing cells taken from another table of the same columns."""
        import pyarrow.compute as pc

        filled = dict(zip(frame.column_names, frame.columns, strict=True))
        written = dict(filled)
        if self.dialect is not None:
            for name, cells in filled.items():
                texts = as_texts(cells, self.dialect.decimal)
                known = pc.is_valid(self.frame[name])
                written[name] = pc.if_else(known, self.written[name], texts)
        return replace(
            self,
            frame=_with_changed(self.frame, filled),
            written=_with_changed(self.written, written),
        )

    def with_columns(self, kept: Sequence[str], added: Mapping[str, Any], form: str) -> Any:
        """An Arrow table of the kept columns and of new ones, to be written in the given format.

        From CSV to CSV the cells are those that were read, to the letter; other formats have types.
        """
        table = (self.written if form == "csv" else self.frame).select(list(kept))
        new = make_frame(added, "arrow")
        for name in new.column_names:
            table = table.append_column(name, new[name])
        return table


def _with_changed(frame: Any, changed: Mapping[str, Any]) -> Any:
    """The table with other cells in some columns, all at once: each change of one copies the list of all."""
    import pyarrow as pa

    columns = zip(frame.column_names, frame.columns, strict=True)
    return pa.table({name: changed.get(name, column) for name, column in columns})


def check_unrepeated(path: str, line: int | None, names: Sequence[str]) -> None:
    """Refuse two columns of one name."""
    first: dict[str, int] = {}
    for place, name in enumerate(names, start=1):
        if first.setdefault(name, place) != place:
            raise errors.repeated_column(path, line, name, first[name], place)
