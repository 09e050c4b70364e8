"""Where answers go, and in which format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bayfold import errors
from bayfold.base.sources.follow import Callback
from bayfold.base.sources.writing import write_to_place
from bayfold.core.frames.files.formats import name_format
from bayfold.core.frames.files.write import choose_dialect
from bayfold.core.frames.sources import Source
from bayfold.core.frames.sources.write import STREAMED, FolderSink, Sink, make_sink, open_output


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
        """The file or folder to be written; refused if something is there."""
        errors.check_flag("overwrite", self.overwrite)
        path = Path(self.output)
        if path.exists() and not self.overwrite:
            raise errors.output_exists(str(path))
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
    """

    path: Path
    stream: Any
    form: str | None
    kept: dict[str, str]
    dialect: Any = None

    @classmethod
    def find(cls, options: OutputOptions, source: Source) -> Output:
        """Look at what was asked for; refused if something is there or the format has no streams."""
        stream = options.output if hasattr(options.output, "write") else None
        path = Path("-") if stream else options.find_path()
        form = options.form or name_format(path.name)
        if form not in (*STREAMED, None):
            raise errors.stream_format(form, list(STREAMED))
        # from CSV to CSV, cells come out to the letter
        written = getattr(source, "written_name", None) if form == "csv" else None
        kept = {name: written(name) if written else name for name in options.keep}
        return cls(path, stream, form, kept, getattr(source, "dialect", None))

    @contextmanager
    def open(self) -> Iterator[Sink]:
        """What writes rows. A file or folder takes its name when all is written."""
        dialect = choose_dialect(self.path.name, self.dialect)
        if self.stream is not None:
            with closing(make_sink(self.stream, self.form or "csv", dialect)) as sink:
                yield sink
            self.stream.flush()
            return
        with write_to_place(self.path) as aside:
            if self.form is None:
                with closing(FolderSink(aside)) as sink:
                    yield sink
                return
            with (
                open_output(aside, self.path.name) as file,
                closing(make_sink(file, self.form, dialect)) as sink,
            ):
                yield sink
