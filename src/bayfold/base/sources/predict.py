"""Answers for all rows of a source, written as they come."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from bayfold import errors
from bayfold.base.sources.fit import with_one_thread
from bayfold.base.sources.follow import follow_pass
from bayfold.base.sources.output import Output, OutputOptions
from bayfold.base.sources.reading import check_name
from bayfold.core.engine import (
    TreeSum,
    lies_on_cluster,
    open_rows,
    open_with_engine,
    resolve_threads,
)
from bayfold.core.engine.engine import map_in_order
from bayfold.core.frames import Table
from bayfold.core.frames.labels import label_of
from bayfold.core.frames.sources import Chunk, Source
from bayfold.core.frames.sources.chunk import cut_chunks, partition_rows
from bayfold.core.frames.sources.write import attach_answers, number_parts, write_part

Answer = Callable[[Any, Table], Mapping[str, np.ndarray]]
"""From an estimator and a table to columns of answers."""


def write_answers(estimator: Any, answer: Answer, source: Any, options: OutputOptions) -> Path:
    """Read a source, answer for its rows, and write the answers in the order of the rows."""
    errors.check_flag("progress", options.progress)
    errors.check_callable("callback", options.callback)
    opened = open_rows(source)
    features = find_features(estimator)
    known = dict.fromkeys(opened.names)
    for parameter, names in (("source", features), ("keep", options.keep)):
        for name in names:
            check_name(parameter, name, known)
    output = Output.find(options, opened)
    columns = list(dict.fromkeys([*features, *output.kept.values()]))
    answer_chunk = AnswerChunk(with_one_thread(estimator), answer, features, output.kept)
    if output.is_folder and lies_on_cluster(source):
        _write_where_rows_are(answer_chunk, source, opened, columns, output, options)
        return output.path
    size = partition_rows(len(columns), opened.text_bytes(columns))
    chunks = cut_chunks(opened.chunks(columns, plain=answer_chunk.plain), size)
    n_threads = resolve_threads(estimator.n_jobs)
    with (
        output.open() as sink,
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
    return output.path


class AnswerChunk:
    """Answers for the rows of a chunk, beside the columns that are kept."""

    def __init__(
        self, estimator: Any, answer: Answer, features: list[str], kept: Mapping[str, str]
    ) -> None:
        self.plain = list(kept.values())
        self._estimator = estimator
        self._answer = answer
        self._features = features
        self._kept = kept

    def __call__(self, chunk: Chunk) -> Any:
        """An Arrow table."""
        answers = self._answer(self._estimator, chunk.table(self._features))
        taken = [name for name in answers if name in self._kept]
        if taken:
            raise errors.name_taken(taken[0])
        return attach_answers(chunk, self._kept, answers)


@dataclass(frozen=True, eq=False)
class WrittenParts:
    """Names of files in the order of their rows."""

    names: tuple[str, ...]

    def __add__(self, other: WrittenParts) -> WrittenParts:
        return WrittenParts(self.names + other.names)


class WriteChunk:
    """Writes the answers for a chunk where its rows are. A task that is run twice writes two files, and names one."""

    def __init__(self, answer: AnswerChunk, folder: Path) -> None:
        self.plain: Sequence[str] = answer.plain
        self.answer = answer
        self.folder = folder

    def __call__(self, chunk: Chunk) -> WrittenParts:
        """The name of the file."""
        table = self.answer(chunk)
        name = f"{uuid4().hex}.parquet"
        try:
            write_part(self.folder / name, table)
        except OSError as error:
            raise errors.workers_cannot_write(str(self.folder.parent.parent), error) from error
        return WrittenParts((name,))

    def learn_from(self, tree: TreeSum) -> None:
        """Nothing is to be learnt on the way."""


def _write_where_rows_are(
    answer: AnswerChunk,
    source: Any,
    opened: Source,
    columns: list[str],
    output: Output,
    options: OutputOptions,
) -> None:
    """Let the workers write their rows, into a folder that all of them and this process can write to."""
    engine = open_with_engine(source, None, 1)[1]
    with (
        output.set_aside() as folder,
        follow_pass(opened, "predicting", options.progress, options.callback) as advance,
    ):
        folder.mkdir()
        write = WriteChunk(answer, folder)
        written: WrittenParts | None = engine.reduce(write, opened, columns, TreeSum(), advance)
        if written is None:
            raise errors.source_without_rows()
        try:
            number_parts(folder, written.names)
        except FileNotFoundError as error:
            raise errors.workers_cannot_write(str(output.path.parent), error) from error


def find_features(estimator: Any) -> list[str]:
    """The columns of the training table by name."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        raise errors.model_without_names(type(estimator).__name__)
    return list(names)


Answers = Mapping[str, np.ndarray]
"""Columns by name."""


def name_answers(classes: np.ndarray, best: np.ndarray, probability: np.ndarray) -> Answers:
    """The best class and the probability of each as columns."""
    names = [f"probability_{label_of(label)}" for label in classes.tolist()]
    return {"prediction": classes[best], **dict(zip(names, probability.T, strict=True))}
