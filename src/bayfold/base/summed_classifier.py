"""Classifiers derived from statistics that add up."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from bayfold import errors
from bayfold.base.classifier import TableClassifier
from bayfold.base.estimator import Readout
from bayfold.base.inputs import read_classes
from bayfold.base.options import TableLike, VectorLike
from bayfold.base.per_row import PerRow
from bayfold.base.stream import Stream
from bayfold.base.summed import SummedEstimator
from bayfold.core.counts import LabelledRows, Statistics
from bayfold.core.engine import resolve_threads
from bayfold.core.frames import read_vector
from bayfold.core.scoring import Scorer


class SummedClassifier(SummedEstimator, TableClassifier):
    """A classifier derived from statistics that add up over rows.

    A subclass infers a schema, learns statistics under it, and derives a ``Predictor`` from them.
    """

    def _keeps_unlabelled(self) -> bool:
        """Whether rows without a class, in group -1, are given to ``_learn`` by ``fit``."""
        return False

    def _read_rows(self, X: Any, y: Any, given: PerRow) -> LabelledRows:
        rows = read_classes(self, X, y, given, keep_missing=self._keeps_unlabelled())
        self._check_groups(rows.groups)
        return rows

    def _check_source(self) -> None:
        super()._check_source()
        if self._keeps_unlabelled():
            raise errors.not_from_sources("missing_target", "em", "drop")

    def _check_groups(self, groups: np.ndarray) -> None:
        if len(groups) < 2:
            raise errors.single_class(groups.tolist()[0], adds_up=True)

    def partial_fit(
        self,
        X: TableLike,
        y: VectorLike,
        classes: VectorLike | None = None,
        sample_weight: VectorLike | None = None,
        groups: VectorLike | None = None,
        time: VectorLike | None = None,
    ) -> Self:
        """Learn from some more rows.

        Parameters
        ----------
        X, y, sample_weight, groups, time
            As in ``fit``; a batch may hold a single class, and new categories and classes are learnt.
        classes : array-like, optional
            All classes there will be, in the first call. Another class is then an error.

        Returns
        -------
        self

        Notes
        -----
        Bin edges are drawn anew from the rows so far whenever these have doubled, until 10,000 rows have come;
        from then on they are fixed, but a new value of a column of few values gets a bin like a new category. Give
        ``schema=`` to fix edges from the start.
        """
        given = PerRow(sample_weight, groups, time)
        stream = self._stream_so_far()
        if classes is not None:
            stream = stream.expecting(np.unique(read_vector(classes)))
        rows = read_classes(self, X, y, given, classes=stream.classes)
        return self._add_batch(stream, rows)

    def _set_statistics(self, statistics: Statistics, predictor: Any, stream: Stream) -> None:
        super()._set_statistics(statistics, predictor, stream)
        self.classes_ = statistics.groups
        self.class_count_ = statistics.counts.totals

    def _log_prior(self) -> np.ndarray:
        return self._fitted().model.log_prior

    def _score(
        self, X: Any, readout: Readout | None = None, scorer: Scorer | None = None
    ) -> np.ndarray:
        predictor = self._fitted()
        n_threads = resolve_threads(self.n_jobs)
        return predictor.score(self._read(X), scorer=scorer, readout=readout, n_threads=n_threads)
