"""Saving: what every estimator can do with a model file."""

from __future__ import annotations

from collections.abc import Mapping

from bayfold import errors
from bayfold.base.options import FileLike
from bayfold.base.summarised import SummarisedEstimator
from bayfold.persist import write_model


class SavedEstimator(SummarisedEstimator):
    """An estimator that can be saved to a file."""

    def save(
        self, file: FileLike, *, statistics: bool = True, notes: Mapping[str, str] | None = None
    ) -> None:
        """Write the model to a file that ``bayfold.load`` reads. Nothing in it is run when it is read.

        Parameters
        ----------
        file : str, PathLike or binary file object
            A file of that name is replaced as a whole once the new one is complete.
        statistics : bool, default=True
            False: a smaller file for predictions and explanations. The loaded model cannot be added to others or
            learn from further batches, and does not know its rounds.
        notes : dict of str to str, optional
            Kept in the file for whoever uses it, such as the name of the target; ``bayfold info`` shows them.

        Examples
        --------
        >>> import io, bayfold
        >>> model = bayfold.NaiveBayesClassifier().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
        >>> file = io.BytesIO()
        >>> model.save(file)
        >>> bayfold.load(io.BytesIO(file.getvalue())).predict([[2.5]])
        array([1])
        """
        errors.check_flag("statistics", statistics)
        self._make_ready()
        errors.check_notes("notes", notes)
        write_model(self, file, statistics=bool(statistics), notes=notes)
