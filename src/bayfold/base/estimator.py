"""What all estimators for raw tables share: reading tables, model files, a summary, the answers for a source."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from bayfold import errors
from bayfold.base.inputs import check_features
from bayfold.base.notices import LEARNING, records_warnings
from bayfold.base.options import FileLike
from bayfold.core.engine import resolve_threads
from bayfold.core.evidence import Records, Summary, TrainingFacts, as_shares
from bayfold.core.evidence.card import write_card
from bayfold.core.frames import Table, read_table
from bayfold.core.scoring.edits import Edit
from bayfold.core.scoring.monotone import MonotoneRule
from bayfold.core.scoring.quality import HeldOutScore
from bayfold.persist import write_model

if TYPE_CHECKING:
    pass

Readout = Callable[[np.ndarray], np.ndarray]


class TableEstimator(BaseEstimator, ABC):
    """An estimator that reads NumPy arrays and frames, with strings and missing cells.

    It can be saved and has a summary. A subclass says what it saw of its columns (``_find_facts``), and what else it
    knows of them.
    """

    n_jobs: int | None
    n_features_in_: int
    fit_warnings_: tuple[str, ...]
    _takes_sparse: ClassVar[bool] = False
    _facts: TrainingFacts | None = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Whatever a subclass learns by, warnings are recorded."""
        super().__init_subclass__(**kwargs)
        for name in LEARNING:
            if isinstance(vars(cls).get(name), FunctionType):
                setattr(cls, name, records_warnings(vars(cls)[name]))

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

    def summary(self) -> Summary:
        """What the model has learnt, at a glance.

        Returns
        -------
        summary : Summary
            Rows, classes (or the target's distribution), how well held-out rows were predicted beside the prior alone
            where the model knows it, and for every column its kind, values, missing share, density, weight and
            importance. Printed it is a page of text; ``columns`` is a table, ``to_dict()`` plain data.

        Examples
        --------
        >>> from bayfold import NaiveBayesClassifier
        >>> model = NaiveBayesClassifier(calibration=None)
        >>> model.fit([[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"]).summary()
        NaiveBayesClassifier: 4 rows, 1 column
        classes: no 50.0%, yes 50.0%
        not held out: measure on other rows, or by `bayfold.evaluate.cross_validate`
        <BLANKLINE>
        column  kind     n_values  values  missing  density  weight  importance
        x0      numeric         4  0 to 3        0  smooth        1           1
        """
        check_is_fitted(self)
        facts = self._training_facts()
        n_rows = facts.n_rows
        rows: Any = int(n_rows) if n_rows == n_rows and n_rows == int(n_rows) else n_rows
        held_out = self._find_held_out()
        edits = {"edits": len(self._find_edits())} if self._find_edits() else {}
        if held_out is not None and edits:
            held_out = replace(held_out, how=f"{held_out.how}; before the edits")
        return Summary(
            type(self).__name__,
            {"rows": rows, "columns": self.n_features_in_}
            | self._say_more()
            | self._say_order()
            | edits,
            self._summarise_classes(),
            self._summarise_target(),
            held_out,
            self._summarise_columns(facts),
            getattr(self, "fit_warnings_", ()),
        )

    def card(self, about: str | None = None) -> str:
        """A model card in Markdown: what the model learnt from, what it goes by, how good it was on held-out rows.

        Parameters
        ----------
        about : str, optional
            What the model is for, in your words; without it the card asks for them.

        Returns
        -------
        card : str

        Examples
        --------
        >>> from bayfold import NaiveBayesClassifier
        >>> model = NaiveBayesClassifier().fit([[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"])
        >>> print(model.card("An example.")[:54])
        # NaiveBayesClassifier
        <BLANKLINE>
        ## Intended use
        <BLANKLINE>
        An example.
        """
        return write_card(self.summary(), find_changed(self), about)

    def _read(self, X: Any) -> Table:
        """A table with the columns of the training table."""
        table = read_table(X, resolve_threads(self.n_jobs), self._takes_sparse)
        schema = getattr(self, "schema_", None)
        if schema is not None and schema.bag is not None:
            table = table.as_bag()
        check_features(self, table)
        return table

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = self._takes_sparse
        return tags

    # what a subclass knows

    def _find_facts(self) -> TrainingFacts:
        """What was seen of the columns, and how much each matters."""
        return TrainingFacts.unknown(self.n_features_in_)

    def _say_more(self) -> dict[str, Any]:
        """Further facts in one number or word each."""
        return {}

    def _count_classes(self) -> np.ndarray | None:
        """Weight of the rows of each class, if they are known."""
        return getattr(self, "class_count_", None)

    def _summarise_target(self) -> dict[str, float] | None:
        """The distribution of a numeric target."""
        return None

    def _find_held_out(self) -> HeldOutScore | None:
        """How well held-out rows were predicted, where any were."""
        return None

    def _find_edits(self) -> tuple[Edit, ...]:
        """What people changed by hand in the fitted model."""
        return ()

    def _find_monotone(self) -> MonotoneRule | None:
        """What the model promises of the order of its scores."""
        return None

    def _describe_columns(self) -> dict[str, Any]:
        """The density (or split) and the weight of each column, by these names, as far as there are any."""
        return {}

    # how it is put together

    def _training_facts(self) -> TrainingFacts:
        if self._facts is None:
            self._facts = self._find_facts()
        return self._facts

    def _column_names(self) -> list[str]:
        if hasattr(self, "schema_"):
            return self.schema_.names[: self.n_features_in_]
        names = getattr(self, "feature_names_in_", None)
        return [f"x{j}" for j in range(self.n_features_in_)] if names is None else list(names)

    def _say_order(self) -> dict[str, str]:
        """The columns along which scores are ordered, and what that cost."""
        rule = self._find_monotone()
        return {} if rule is None else {"monotone": rule.describe(self._column_names())}

    def _summarise_classes(self) -> Records | None:
        if not hasattr(self, "classes_"):
            return None
        counts = self._count_classes()
        if counts is None:
            counts = np.full(len(self.classes_), np.nan)
        share = counts / max(float(counts.sum()), 1e-300)
        return Records({"class": self.classes_, "count": counts, "share": share})

    def _summarise_columns(self, facts: TrainingFacts) -> Records:
        names = self._column_names()
        known = self._describe_columns()
        n = len(names)
        unknown = np.full(n, np.nan)
        importances = unknown if facts.importances is None else facts.importances
        return Records(
            {
                "column": np.array(names, object),
                "kind": np.array(facts.kinds[:n], object),
                "n_values": facts.n_values[:n],
                "values": np.array(facts.values[:n], object),
                "missing": facts.missing[:n],
                "density": np.array(known.get("density", [""] * n), object),
                "weight": np.asarray(known.get("weight", unknown)),
                "weight_error": np.asarray(known.get("error", unknown)),
                "importance": np.asarray(importances),
                "note": np.array(facts.notes[:n], object),
            }
        )

    def _make_ready(self) -> None:
        """Derive what a file must hold and is not derived yet."""
        if self.__sklearn_is_fitted__():
            self._training_facts()

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_features_in_")


def find_changed(estimator: BaseEstimator) -> dict[str, Any]:
    """The parameters that are not the default."""
    default = type(estimator)().get_params(deep=False)
    given = estimator.get_params(deep=False)
    return {name: value for name, value in given.items() if repr(value) != repr(default[name])}


def borrow_facts(parts: Sequence[Any], n_columns: int) -> TrainingFacts:
    """The facts of a model made of others: what the first saw, and the mean of their importances if all have some."""
    first = parts[0]
    own = isinstance(first, TableEstimator)
    facts = first._training_facts() if own else TrainingFacts.unknown(n_columns)
    if not all(hasattr(part, "feature_importances_") for part in parts):
        return replace(facts, importances=None)
    found = np.mean([np.asarray(part.feature_importances_) for part in parts], axis=0)
    fits = found.shape == (n_columns,)
    return replace(facts, importances=as_shares(np.maximum(found, 0.0)) if fits else None)
