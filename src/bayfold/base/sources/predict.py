"""Answers for all rows of a source, written as they come."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bayfold import errors
from bayfold.base.sources.atomic import write_atomically
from bayfold.base.sources.fit import with_one_thread
from bayfold.base.sources.follow import Callback, follow_pass
from bayfold.core.engine import resolve_threads
from bayfold.core.engine.engine import map_in_order
from bayfold.core.frames import Table
from bayfold.core.frames.sources import Chunk, open_source
from bayfold.core.frames.sources.chunk import cut_chunks, partition_rows
from bayfold.core.frames.sources.write import ONE_FILE, ParquetSink, attach_answers

Answer = Callable[[Any, Table], Mapping[str, np.ndarray]]
"""From an estimator and a table to columns of answers."""


@dataclass(frozen=True)
class OutputOptions:
    """Where answers go and what goes with them: as the parameters of ``predict_source`` say."""

    output: Any
    keep: Sequence[str] = ()
    overwrite: bool = False
    progress: bool = True
    callback: Callback | None = None

    def find_path(self) -> Path:
        """The file or folder to be written; refused if something is there."""
        errors.check_flag("overwrite", self.overwrite)
        path = Path(self.output)
        if path.exists() and not self.overwrite:
            raise errors.output_exists(str(path))
        return path


def write_answers(estimator: Any, answer: Answer, source: Any, options: OutputOptions) -> Path:
    """Read a source, answer for its rows, and write the answers in the order of the rows."""
    errors.check_flag("progress", options.progress)
    errors.check_callable("callback", options.callback)
    path = options.find_path()
    opened = open_source(source)
    features = _find_features(estimator)
    for parameter, names in (("source", features), ("keep", options.keep)):
        for name in names:
            if name not in opened.names:
                raise errors.no_such_column(parameter, name, opened.names)
    columns = list(dict.fromkeys([*features, *options.keep]))
    alone = with_one_thread(estimator)

    def answer_chunk(chunk: Chunk) -> Any:
        answers = answer(alone, chunk.table(features))
        taken = [name for name in answers if name in options.keep]
        if taken:
            raise errors.name_taken(taken[0])
        return attach_answers(chunk, options.keep, answers)

    chunks = cut_chunks(opened.chunks(columns, plain=options.keep), partition_rows(len(columns)))
    is_folder = path.suffix.lower() not in ONE_FILE
    n_threads = resolve_threads(estimator.n_jobs)
    with (
        write_atomically(path) as aside,
        ParquetSink(aside, is_folder) as sink,
        follow_pass(opened, "predicting", options.progress, options.callback) as advance,
    ):
        n_written = 0
        for n_rows, n_bytes, table in map_in_order(answer_chunk, chunks, n_threads):
            sink.write(table)
            n_written += n_rows
            advance(n_rows, n_bytes)
        opened.check_unchanged()
        if not n_written:
            raise errors.source_without_rows()
    return path


def _find_features(estimator: Any) -> list[str]:
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        raise errors.model_without_names(type(estimator).__name__)
    return list(names)
