"""Many files of one table as one source."""

from __future__ import annotations

import copy
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from bayfold import errors
from bayfold.core.frames.files.formats import ReadOptions
from bayfold.core.frames.sources.arff import ArffFile
from bayfold.core.frames.sources.chunk import Chunk
from bayfold.core.frames.sources.columnar import IpcFile, ParquetFile
from bayfold.core.frames.sources.discover import FoundFile, find_files
from bayfold.core.frames.sources.text_files import WRITTEN, CsvFile
from bayfold.core.frames.sources.types import bring_to_types, find_labelled, unite_types

_READERS = {"parquet": ParquetFile, "arrow": IpcFile, "arff": ArffFile}
"""Of the formats that say themselves how they are written."""


WHOLE_KEY = re.compile("-?[0-9]{1,18}")
"""The value of a column in the name of a folder, where it is a number that 64 bits hold."""


class Piece(Protocol):
    """A part of a file that is read from its beginning."""

    @property
    def path(self) -> str:
        """Of the file."""

    @property
    def n_rows(self) -> int | None:
        """None where only reading would tell."""

    def batches(self, columns: Sequence[str], plain: Sequence[str]) -> Iterator[Any]:
        """Some columns, as Arrow tables of some thousand rows."""


@dataclass(frozen=True)
class _State:
    """What is seen to change when a file is written again."""

    size: int
    modified: int

    @classmethod
    def of(cls, path: str) -> _State:
        try:
            found = os.stat(path)
        except OSError as error:
            raise errors.bad_file(path, "", error) from error
        return cls(found.st_size, found.st_mtime_ns)


class FileSource:
    """The rows of some files, one file after the other.

    Parameters
    ----------
    paths : path-like, or list of them
        Files, globs and folders.
    options : ReadOptions, optional
        How CSV files are written and what their columns are; by default both are detected.

    Attributes
    ----------
    paths : list of str
        What was given, and all files that were found: none of these may be written to while they are read.
    """

    def __init__(self, paths: Any, options: ReadOptions | None = None) -> None:
        options = options or ReadOptions()
        found = find_files(paths, options.format)
        self._states = {file.path: _State.of(file.path) for file in found}
        given = [paths] if isinstance(paths, (str, os.PathLike)) else paths
        self.paths = [*dict.fromkeys([*map(os.fspath, given), *self._states])]
        files: list[Any] = [_open_file(file, options) for file in found]
        self.formats = {file.format for file in found}
        self.dialect = next((file.dialect for file in files if hasattr(file, "dialect")), None)
        self.notices = [notice for file in files for notice in getattr(file, "notices", ())]
        self.pieces: list[Piece] = [piece for file in files for piece in file.pieces()]
        self._keys = _read_keys(found)
        self._types = _unite_schemas(files, self._keys)

    def only(self, pieces: list[Piece]) -> FileSource:
        """The source of some of the pieces: what whoever reads only these must know."""
        part = copy.copy(self)
        paths = {piece.path for piece in pieces}
        part.pieces = pieces
        part._states = {path: state for path, state in self._states.items() if path in paths}
        part._keys = {path: keys for path, keys in self._keys.items() if path in paths}
        for name in ("n_rows", "n_bytes"):  # counted anew
            vars(part).pop(name, None)
        if part.n_rows is not None and self.n_rows:
            part.n_bytes = self.n_bytes * part.n_rows // self.n_rows
        return part

    @property
    def names(self) -> list[str]:
        """The columns of the files, then those in the names of folders."""
        return list(self._types)

    def written_name(self, name: str) -> str:
        """The name under which a column of CSV files comes as it was written; other formats have types."""
        in_folders = any(name in keys for keys in self._keys.values())
        return name if in_folders or self.formats != {"csv"} else WRITTEN + name

    @cached_property
    def n_rows(self) -> int | None:
        """Known where every file says so."""
        rows = [piece.n_rows for piece in self.pieces]
        return None if None in rows else sum(n for n in rows if n is not None)

    @cached_property
    def n_bytes(self) -> int:
        """The size of all files."""
        return sum(state.size for state in self._states.values())

    def text_bytes(self, columns: Sequence[str]) -> float:
        """The most that any piece has of them."""
        sizes = [getattr(piece, "text_sizes", {}) for piece in self.pieces]
        return max((sum(size.get(name, 0.0) for name in columns) for size in sizes), default=0.0)

    def identity(self) -> list[list]:
        """Names, sizes and times of the files."""
        return [[os.path.abspath(p), s.size, s.modified] for p, s in self._states.items()]

    def check_unchanged(self) -> None:
        """Compare sizes and times with those at the beginning."""
        for path in self._states:
            self._check_file(path)

    def _check_file(self, path: str) -> None:
        if _State.of(path) != self._states[path]:
            raise errors.file_changed(path)

    def chunks(
        self, columns: Sequence[str], skip: int = 0, plain: Sequence[str] = ()
    ) -> Iterator[Chunk]:
        """Read the pieces in turn; each file is looked at before and after for having changed."""
        n_seen = 0
        for piece in self.pieces:
            if piece.n_rows is not None and n_seen + piece.n_rows <= skip:
                n_seen += piece.n_rows
                continue
            self._check_file(piece.path)
            for data in self._read_piece(piece, columns, plain):
                start = max(n_seen, skip)
                stop = n_seen + data.num_rows
                n_bytes = self._bytes_before(stop) - self._bytes_before(start)
                found = [Chunk(data.slice(start - n_seen), n_bytes)] if start < stop else []
                n_seen = stop
                del data  # who gets a chunk is the last to hold it
                while found:
                    yield found.pop()
            self._check_file(piece.path)

    def first_rows(self, column: str, n_rows: int) -> tuple[Any, bool]:
        """One column of at least the first ``n_rows``, as an Arrow table, and whether these are all."""
        import pyarrow as pa

        parts = [pa.table({column: pa.array([], self._types[column])})]
        chunks = self.chunks([column], plain=[column])
        n_read = 0
        while n_read < n_rows:
            chunk = next(chunks, None)
            if chunk is None:
                return pa.concat_tables(parts), True
            parts.append(chunk.data)
            n_read += chunk.n_rows
        return pa.concat_tables(parts), next(chunks, None) is None

    def _read_piece(
        self, piece: Piece, columns: Sequence[str], plain: Sequence[str]
    ) -> Iterator[Any]:
        import pyarrow as pa

        keys = self._keys[piece.path]
        inside = [name for name in columns if name not in keys]
        if not inside:  # a table without columns has no rows: one column of the file tells how many
            inside = [name for name in self._types if name not in keys][:1]
        types = {name: self._types.get(name, pa.string()) for name in columns}
        labelled = find_labelled(types, plain)

        def complete(data: Any) -> Any:
            for name in columns:
                if name in keys:
                    data = data.append_column(name, pa.repeat(keys[name], data.num_rows))
            return bring_to_types(data.select(list(columns)), types, labelled)

        return map(complete, piece.batches(inside, plain))

    def _bytes_before(self, row: int) -> int:
        """Every row is as long as any other, for all that progress needs to know."""
        return self.n_bytes * row // self.n_rows if self.n_rows else 0


def _open_file(file: FoundFile, options: ReadOptions) -> Any:
    if file.format == "csv":
        return CsvFile(file.path, options)
    return _READERS[file.format](file.path)


def _read_keys(found: list[FoundFile]) -> dict[str, dict[str, Any]]:
    """What the folders of each file say, as Arrow scalars: whole numbers where all of a column are."""
    import pyarrow as pa

    types: dict[str, Any] = {}
    for name in dict.fromkeys(name for file in found for name in file.keys):
        cells = [file.keys[name] for file in found if file.keys.get(name) is not None]
        whole = all(WHOLE_KEY.fullmatch(cell) for cell in cells if cell is not None)
        types[name] = pa.int64() if whole else pa.string()
    return {
        file.path: {name: pa.scalar(cell).cast(types[name]) for name, cell in file.keys.items()}
        for file in found
    }


def _unite_schemas(files: list[Any], keys: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The type of each column; a file that lacks one, or has another kind of it, is named."""
    united: dict[str, Any] = {}
    first = ""
    for file in files:
        fields = {field.name: field.type for field in file.schema}
        if not fields:  # nothing is in it, not even names
            continue
        if len(fields) < len(file.schema):
            raise errors.repeated_columns(file.path, file.schema.names)
        for name, value in keys[file.path].items():
            if name in fields:
                raise errors.key_is_column(file.path, name)
            fields[name] = value.type
        if not united:
            united = fields
            first = file.path
        for name in [*united, *fields]:
            if name not in fields or name not in united:
                lacking = file.path if name not in fields else first
                raise errors.column_lacking(name, lacking, first if lacking != first else file.path)
            common = unite_types(united[name], fields[name])
            if common is None:
                raise errors.types_differ(name, (first, united[name]), (file.path, fields[name]))
            united[name] = common
    return united
