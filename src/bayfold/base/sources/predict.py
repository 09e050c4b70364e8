"""Answers for all rows of a source, written as they come."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from bayfold import errors
from bayfold.base.sources.fit import with_one_thread
from bayfold.base.sources.follow import follow_pass
from bayfold.base.sources.output import Output, OutputOptions
from bayfold.base.sources.reading import check_name
from bayfold.core.engine import open_rows, resolve_threads
from bayfold.core.engine.engine import map_in_order
from bayfold.core.frames import Table
from bayfold.core.frames.labels import label_of
from bayfold.core.frames.sources import Chunk
from bayfold.core.frames.sources.chunk import cut_chunks, partition_rows
from bayfold.core.frames.sources.write import attach_answers

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
    alone = with_one_thread(estimator)

    def answer_chunk(chunk: Chunk) -> Any:
        answers = answer(alone, chunk.table(features))
        taken = [name for name in answers if name in options.keep]
        if taken:
            raise errors.name_taken(taken[0])
        return attach_answers(chunk, output.kept, answers)

    plain = list(output.kept.values())
    size = partition_rows(len(columns), opened.text_bytes(columns))
    chunks = cut_chunks(opened.chunks(columns, plain=plain), size)
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
