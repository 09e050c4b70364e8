"""Estimators that answer for all rows of a source."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bayfold.base.options import PathLike, SourceLike
from bayfold.base.sources.follow import Callback
from bayfold.base.sources.output import OutputOptions
from bayfold.base.sources.predict import write_answers
from bayfold.core.frames import Table
from bayfold.core.frames.labels import label_of

Answers = Mapping[str, np.ndarray]
"""Columns by name."""


class SourcePredictor(ABC):
    """What is predicted, as columns that can be written."""

    @abstractmethod
    def _answers(self, table: Table) -> Answers:
        """What is written of the rows of a table."""

    def predict_source(
        self,
        source: SourceLike,
        output: PathLike,
        *,
        keep: Sequence[str] = (),
        overwrite: bool = False,
        progress: bool = True,
        callback: Callback | None = None,
    ) -> Path:
        """Write the predictions for all rows of a source, in the order of the rows.

        Parameters
        ----------
        source : path-like, list of them, DuckDB relation, dataframe of Dask or Spark, frame or callable
            As for ``fit_source``; columns are found by their names, and others may be there. The partitions of a
            dataframe come here one by one.
        output : path-like
            A file if its name ends in ``.parquet``, ``.arrow`` or ``.csv``, a folder of Parquet files if it has no
            ending. It appears when it is complete, and is never what the source reads.
        keep : list of str
            Columns of the source to write beside the answers, such as an identifier.
        overwrite : bool, default=False
            Whether an output that exists is replaced; it stays until the new one is complete. A folder is replaced
            only if it is empty or holds nothing but what an earlier call wrote.
        progress : bool, default=True
            Show rows, rate and time left, on a terminal.
        callback : callable, optional
            Called after every partition with a ``SourceProgress``.

        Returns
        -------
        output : Path
            With the columns of ``keep``, ``prediction`` and, of a classifier, ``probability_`` and the name of each
            class.
        """
        check_is_fitted(self)
        options = OutputOptions(output, keep, overwrite, progress, callback)
        return write_answers(self, type(self)._answers, source, options)


def name_answers(classes: np.ndarray, best: np.ndarray, probability: np.ndarray) -> Answers:
    """The best class and the probability of each as columns."""
    names = [f"probability_{label_of(label)}" for label in classes.tolist()]
    return {"prediction": classes[best], **dict(zip(names, probability.T, strict=True))}
