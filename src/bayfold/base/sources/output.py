"""Where the answers for a source are written, and in which format; places that cannot be written to are refused."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bayfold import errors
from bayfold.base.sources.follow import Callback
from bayfold.core.frames.files.formats import ending_without_format, name_format
from bayfold.core.frames.files.write import choose_dialect
from bayfold.core.frames.sources import Source
from bayfold.core.frames.sources.write import (
    STREAMED,
    FolderSink,
    Sink,
    find_foreign,
    make_sink,
    open_output,
)
from bayfold.core.output_files import find_identity, find_overlap, write_atomically


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


ENDINGS = (".parquet", ".arrow", ".csv")
"""Of files; a name without an ending is a folder."""


@dataclass(frozen=True)
class OutputOptions:
    """Where answers go and what goes with them: as the parameters of ``predict_source`` say."""

    output: Any
    keep: Sequence[str] = ()
    overwrite: bool = False
    progress: bool = True
    callback: Callback | None = None
    form: str | None = None

    def find_path(self) -> Path:
        """The file or folder to be written; refused if its name says neither, or if something is there."""
        errors.check_flag("overwrite", self.overwrite)
        given = os.fspath(self.output)
        has_unknown_ending = self.form is None and ending_without_format(given) is not None
        if not given or has_unknown_ending:
            raise errors.output_without_format(given, list(ENDINGS))
        path = Path(given)
        if path.exists() and not self.overwrite:
            raise errors.output_exists(given)
        return path


@dataclass(frozen=True, eq=False)
class Output:
    """An output that has been looked at, and can be opened.

    Attributes
    ----------
    path : Path
        The file or folder.
    stream : file-like or None
        What is written to instead, such as standard output.
    form : str or None
        The format of a file; None for a folder.
    kept : dict of str to str
        Kept columns by the names they have in the output, with those the source knows them by.
    dialect : CsvDialect or None
        As the source is written.
    overwrite : bool
        Whether something may be there.
    """

    path: Path
    stream: Any
    form: str | None
    kept: dict[str, str]
    dialect: Any = None
    overwrite: bool = False

    @classmethod
    def find(cls, options: OutputOptions, source: Source) -> Output:
        """Look at what was asked for; refused if something is there or the format has no streams."""
        stream = options.output if hasattr(options.output, "write") else None
        path = Path("-") if stream else options.find_path()
        form = options.form or name_format(path.name)
        if form not in (*STREAMED, None):
            raise errors.stream_format(form, list(STREAMED))
        if stream is None:
            check_place(path, is_folder=form is None, inputs=getattr(source, "paths", ()))
        # from CSV to CSV, cells come out to the letter
        written = getattr(source, "written_name", None) if form == "csv" else None
        kept = {name: written(name) if written else name for name in options.keep}
        dialect = getattr(source, "dialect", None)
        return cls(path, stream, form, kept, dialect, options.overwrite)

    @contextmanager
    def open(self) -> Iterator[Sink]:
        """What writes rows. A file or folder takes its name when all is written."""
        if self.stream is not None:
            dialect = choose_dialect(self.path.name, self.dialect)
            with closing(make_sink(self.stream, self.form or "csv", dialect)) as sink:
                yield sink
            self.stream.flush()
            return
        with self.set_aside() as aside, ExitStack() as opened:
            yield opened.enter_context(closing(self._make_sink(aside, opened)))

    @property
    def is_folder(self) -> bool:
        """Whether files of a folder are written."""
        return self.form is None and self.stream is None

    @contextmanager
    def set_aside(self) -> Iterator[Path]:
        """A path to write to; what is written takes its name when all went well."""
        with write_to_place(self.path, partial(check_parts, self.path)) as aside:
            yield aside
            if self.path.exists() and not self.overwrite:  # since the first look
                raise errors.output_exists(str(self.path))

    def _make_sink(self, aside: Path, opened: ExitStack) -> Sink:
        if self.form is None:
            return FolderSink(aside)
        file = opened.enter_context(open_output(aside, self.path.name))
        return make_sink(file, self.form, choose_dialect(self.path.name, self.dialect))


def check_place(path: Path, is_folder: bool, inputs: Iterable[str]) -> None:
    """Refuse, before any row is read, a place where something would be lost that is not to be replaced.

    Parameters
    ----------
    path : Path
    is_folder : bool
        Whether a folder is to be written there.
    inputs : iterable of str
        Files, folders and globs that are read.
    """
    overlap = find_overlap(path, inputs)
    if overlap is not None:
        raise errors.output_is_source(str(path), overlap)
    if not path.exists():
        return
    if path.is_dir() != is_folder:
        raise errors.output_of_other_kind(str(path), is_folder)
    if is_folder:
        kept = [Path.cwd(), Path(os.path.expanduser("~"))]
        if os.path.ismount(path) or find_identity(path) in map(find_identity, kept):
            raise errors.folder_of_someone(str(path))
        check_parts(path, path)


def check_parts(path: Path, folder: Path) -> None:
    """Refuse to replace a folder, known as ``path``, that holds anything but answers of an earlier call."""
    name = find_foreign(folder)
    if name is not None:
        raise errors.folder_with_others(str(path), name)
