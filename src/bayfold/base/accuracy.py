"""The accuracy of a classifier, for all kinds of classes that it can learn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.base import ClassifierMixin

from bayfold import errors
from bayfold.base.inputs import read_target, read_weights
from bayfold.base.options import TableLike, VectorLike
from bayfold.core.frames import find_groups


class AccuracyScore(ClassifierMixin):
    """A classifier that says how often it is right, also where scikit-learn's ``score`` refuses the classes (dates)."""

    classes_: np.ndarray

    def score(self, X: TableLike, y: VectorLike, sample_weight: VectorLike | None = None) -> float:
        """Accuracy: the share of the rows that are predicted correctly.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
        y : array-like of shape (n_rows,)
            The true classes. Rows where it is missing are left out, and classes that the model has not learnt are
            wrong, each with a warning.
        sample_weight : array-like of shape (n_rows,), optional

        Returns
        -------
        accuracy : float
        """
        predicted, labels = find_groups(self.predict(X))
        truth = find_truth(y, self.classes_, len(predicted))
        weights = read_weights(sample_weight, len(predicted))
        if weights is not None and not weights.any():
            raise errors.all_weights_zero()
        place = {label: k for k, label in enumerate(self.classes_.tolist())}
        of_label = np.array([place[label] for label in labels.tolist()], np.int64)
        right = truth.place_of == of_label[predicted[truth.known]]
        return float(np.average(right, weights=None if weights is None else weights[truth.known]))


@dataclass(frozen=True, eq=False)
class Truth:
    """The true classes of rows that a model is judged by.

    Attributes
    ----------
    known : ndarray of bool
        Which rows have a class.
    place_of : ndarray of int
        Of these rows: the position of the class among those of the model, -1 for others.
    """

    known: np.ndarray
    place_of: np.ndarray


def find_truth(y: VectorLike, classes: np.ndarray, n_rows: int) -> Truth:
    """The true classes as positions; rows without one are left out, and other classes are wrong, with a warning."""
    truth, groups = find_groups(read_target(y, n_rows))
    known = truth >= 0
    if not known.any():
        raise errors.target_missing_entirely()
    if not known.all():
        errors.warn(errors.missing_targets(int((~known).sum())))
    place = {label: k for k, label in enumerate(classes.tolist())}
    unknown = [label for label in groups.tolist() if label not in place]
    if unknown:
        errors.warn(errors.classes_not_learnt(unknown, classes.tolist()))
    of_truth = np.array([place.get(label, -1) for label in groups.tolist()], np.int64)
    return Truth(known, of_truth[truth[known]])
