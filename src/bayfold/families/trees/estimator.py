"""Trees with naive Bayes leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bayfold import errors
from bayfold.base.classifier import TableClassifier
from bayfold.base.estimator import Readout
from bayfold.base.given_bins import infer_given_schema, resolve_nominal
from bayfold.base.inputs import read_classes, record_features
from bayfold.base.notices import warn_about_columns, warn_about_near_copies
from bayfold.base.options import Bins, Columns, NumericColumns, TableLike, VectorLike
from bayfold.base.per_row import PerRow
from bayfold.base.sources.fit import SourceFit
from bayfold.base.sources.scratch import ScratchLearner
from bayfold.core.counts import LabelledRows
from bayfold.core.engine import resolve_threads
from bayfold.core.evidence import Records, TrainingFacts, as_shares, describe_training
from bayfold.core.evidence.training import name_kind
from bayfold.core.schema import RowBlock, Schema
from bayfold.core.scoring.conformal import ConformalScores
from bayfold.core.scoring.predictor import score_table
from bayfold.core.scoring.score_scale import ScoreScale
from bayfold.errors import check_choice, check_number, check_unused, check_whole
from bayfold.families.trees.binning import BinnedRows
from bayfold.families.trees.explain import (
    TreeWords,
    describe_leaves,
    explain_tree_rows,
    export_tree,
    weigh_tree_columns,
)
from bayfold.families.trees.grower import TreeSettings
from bayfold.families.trees.held_out import find_score_scale
from bayfold.families.trees.model import LeafSettings, NaiveBayesTree
from bayfold.families.trees.prepare import (
    Coding,
    CodingPlan,
    Prepared,
    make_grower,
    prepare_rows,
    prepare_source,
)

SPLITS = ("multiway", "threshold")
UTILITIES = ("gain_ratio", "leave_one_out")
DENOMINATORS = ("known", "all")
PRUNINGS = ("leave_one_out", None)

OF_SPLITS = ("split", "utility", "min_samples_split", "min_samples_branch")
"""Parameters that a tree of depth 0, which splits nothing, makes no use of."""


class NaiveBayesTreeClassifier(ScratchLearner, TableClassifier):
    """A shallow decision tree with a naive Bayes model in every leaf.

    The tree takes care of the strongest interactions, naive Bayes of everything else. Columns split by on the way to a
    leaf are left out of its model. A row whose cell is missing where a node splits goes down every branch in part, in
    training and in prediction.

    Parameters
    ----------
    max_depth : int, default=1
        Most splits on the way to a leaf; 0 is naive Bayes, and takes no parameter of splits.
    split : {"multiway", "threshold"}, default="multiway"
        How nodes split by numeric columns: a branch for each of their MDL bins, or two branches at a threshold.
        Categories always have a branch each.
    utility : {"gain_ratio", "leave_one_out"}, default="gain_ratio"
        How a split is chosen: by C4.5's gain ratio among splits of at least average gain, or by how often naive Bayes
        in the branches is right on rows left out, if that makes at least 5 % of the node's errors go away.
    min_samples_split : float, default=30
        A node with fewer rows is not split.
    min_samples_branch : float or None, default=None
        No branch may have fewer rows. None: C4.5's rules, two branches with two rows, and on either side of a
        threshold a tenth of the mean size of a class (2 rows at least, 25 at most).
    pruning : "leave_one_out" or None, default="leave_one_out"
        A nominal column of many values (more than 8, with fewer than 100 rows each) is split by, and counts in a leaf,
        only if rows left out of the counts find their class more probable by it; and a split has at most 254
        branches. None: no split pays for its branches, as in [1]_; with ``calibration=None`` too, copies of a row
        count as rows.
    calibration : "temperature" or None, default="temperature"
        One factor for the evidence in all leaves and an intercept per class, fitted on held-out rows, because naive
        Bayes is too sure of itself. None: naive Bayes in the leaves as it is written.
    m : float, default=2.0
        Strength of the m-estimate in the leaves: so many pseudo-rows spread like the whole column.
    denominator : {"known", "all"}, default="known"
        Whether the probability of a value is a share of the rows in which the cell is known, or of all rows, as
        in [1]_.
    categorical_features : array-like of str, int or bool, default=None
        Columns to take as categories whatever their type, by name, position or mask.
    numeric_features : array-like of str, int or bool, or dict, default=None
        Columns of strings that must be numbers. A dict says the decimal sign of each: ``{"weight": ","}``.
    bins : int or dict, default=None
        Bins that are taken exactly as given, by column: cuts (``{"age": [18, 25, 40]}`` is ``< 18``, ``[18, 25)``,
        ``[25, 40)``, ``>= 40``), groups of categories (``{"region": [["north", "east"], ["south"]]}``), or a number:
        of bins of equal width, or of categories, the rarest of which then share one. A number alone is about all
        columns of numbers.
    n_jobs : int, default=None
        Number of threads; all cores by default (one inside a joblib worker). The result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        Sorted class labels.
    class_count_ : ndarray
        Weight of the training rows of each class.
    tree_ : NaiveBayesTree
        Nodes and leaves as arrays.
    evidence_ : Records
        The weight of evidence of every bin of every column in every leaf.
    depth_, n_leaves_ : int
    feature_importances_ : ColumnArray
        Share of each column in the evidence, by position or name: the mean over training rows of what its splits and
        its cells add. What cells say otherwise in one leaf than on average is halved with the columns split by.
    schema_ : Schema
        What the columns are and how they are coded.
    n_features_in_ : int
    feature_names_in_ : ndarray
        Only if the table had column names.

    Notes
    -----
    With ``utility="gain_ratio"`` and ``pruning=None`` this is LNBT(d), the leveled naive Bayes tree of Ting and Zheng
    [1]_. The other utility is a variant of NBTree [2]_: leave-one-out in place of five-fold accuracy, because counts
    without a row are the counts less that row and nothing has to be fitted again. Categories that none of a node's
    rows has are treated like missing cells there.

    References
    ----------
    .. [1] K. M. Ting, Z. Zheng (2003). A study of AdaBoost with naive Bayesian classifiers: weakness and improvement.
       Computational Intelligence 19(2), 186-200. https://doi.org/10.1111/1467-8640.00219
    .. [2] R. Kohavi (1996). Scaling up the accuracy of naive-Bayes classifiers: a decision-tree hybrid. KDD, 202-207.

    Examples
    --------
    Naive Bayes cannot learn an exclusive or; a tree of depth one can:

    >>> import numpy as np
    >>> from bayfold import NaiveBayesTreeClassifier
    >>> X = np.array([["a", "a"], ["a", "b"], ["b", "a"], ["b", "b"], ["b", "b"]] * 20)
    >>> y = np.array(["same", "different", "different", "same", "same"] * 20)
    >>> NaiveBayesTreeClassifier(max_depth=0, calibration=None).fit(X, y).score(X, y)
    0.4
    >>> model = NaiveBayesTreeClassifier(max_depth=1, calibration=None).fit(X, y)
    >>> model.score(X, y)
    1.0
    >>> print(model.export_text())
    all  [100 rows: same 60%, different 40%]
    x0 = a  [40 rows: different 50%, same 50%]
    |   naive Bayes by x1 (3.04)
    x0 = b  [60 rows: same 67%, different 33%]
    |   naive Bayes by x1 (3.22)
    """

    def __init__(
        self,
        max_depth: int = 1,
        *,
        split: Literal["multiway", "threshold"] = "multiway",
        utility: Literal["gain_ratio", "leave_one_out"] = "gain_ratio",
        min_samples_split: float = 30,
        min_samples_branch: float | None = None,
        pruning: Literal["leave_one_out"] | None = "leave_one_out",
        calibration: Literal["temperature"] | None = "temperature",
        m: float = 2.0,
        denominator: Literal["known", "all"] = "known",
        categorical_features: Columns = None,
        numeric_features: NumericColumns = None,
        bins: Bins = None,
        n_jobs: int | None = None,
    ) -> None:
        self.max_depth = max_depth
        self.split = split
        self.utility = utility
        self.min_samples_split = min_samples_split
        self.min_samples_branch = min_samples_branch
        self.pruning = pruning
        self.calibration = calibration
        self.m = m
        self.denominator = denominator
        self.categorical_features = categorical_features
        self.numeric_features = numeric_features
        self.bins = bins
        self.n_jobs = n_jobs

    _stays_with_rows = True

    def _check_source(self) -> None:
        resolve_tree_settings(self)

    def fit(
        self,
        X: TableLike,
        y: VectorLike,
        sample_weight: VectorLike | None = None,
        groups: VectorLike | None = None,
        time: VectorLike | None = None,
    ) -> NaiveBayesTreeClassifier:
        """Grow the tree.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            NumPy, pandas, polars, pyarrow, a DuckDB relation, or anything with ``__arrow_c_stream__``.
        y : array-like of shape (n_rows,)
            Strings, booleans or whole numbers; rows where it is missing are left out with a warning.
        sample_weight : array-like of shape (n_rows,), optional
            Frequencies: weight 2 is the row twice, weight 0 the row absent.
        groups, time : array-like of shape (n_rows,), optional
            Rows of one group are held out together; rows that are held out are later than those that are learnt from.

        Returns
        -------
        self : NaiveBayesTreeClassifier
        """
        settings = resolve_tree_settings(self)
        rows = read_classes(self, X, y, PerRow(sample_weight, groups, time))
        if len(rows.groups) < 2:
            raise errors.single_class(rows.groups.tolist()[0])
        warn_about_near_copies(rows)
        plan = self._plan(settings)
        n_threads = resolve_threads(self.n_jobs)
        prepared = prepare_rows(rows, self._infer_schema(rows), plan=plan, n_threads=n_threads)
        self._learn(prepared, settings, plan)
        record_features(self, rows.table)
        return self

    def _fit_kept(self, fit: SourceFit) -> None:
        settings = resolve_tree_settings(self)
        plan = self._plan(settings)
        nominal = resolve_nominal(self, list(fit.roles.features))
        with closing(prepare_source(fit, nominal, self._infer_schema, plan=plan)) as prepared:
            self._learn(prepared, settings, plan)
        record_features(self, fit.roles.header())

    def _find_obstacles(self) -> Iterator[str]:
        if self.utility == "leave_one_out":
            yield "utility"

    def _plan(self, settings: TreeSettings) -> CodingPlan:
        copies_count = not settings.prune and self.calibration is None
        return CodingPlan(settings.threshold, settings.prune, copies_count)

    def _infer_schema(self, rows: LabelledRows) -> Schema:
        names = [column.name for column in rows.table.columns]
        return infer_given_schema(self, rows, resolve_nominal(self, names))

    def _learn(self, prepared: Prepared, settings: TreeSettings, plan: CodingPlan) -> None:
        coding = prepared.coding
        warn_about_columns(coding.counts, coding.effective)
        tree = _grow(prepared, settings)
        conformal = None
        if self.calibration is not None:
            scale = _find_scale(coding, settings, plan)
            tree = tree.scaled(scale)
            conformal = scale.conformal
        # what people are shown is counted as it was given
        self.tree_ = tree.with_counts_times(1 / coding.share)
        self._binner = coding.binner
        self._conformal = conformal
        self.classes_ = coding.counts.groups
        self.class_count_ = coding.counts.totals
        self.schema_ = coding.binner.leaves.schema
        self.depth_ = self.tree_.depth
        self.n_leaves_ = self.tree_.n_leaves
        importances = as_shares(weigh_tree_columns(self.tree_, coding.binner.leaves))
        self._facts = replace(describe_training(coding.counts), importances=importances)

    # what was learnt

    def _find_conformal(self) -> ConformalScores | None:
        return self._conformal

    def _find_facts(self) -> TrainingFacts:
        """Of a model file without them, what the leaves know."""
        facts = replace(super()._find_facts(), kinds=tuple(map(name_kind, self.schema_.columns)))
        importances = as_shares(weigh_tree_columns(self.tree_, self._binner.leaves))
        return replace(facts, importances=importances)

    def _say_more(self) -> dict[str, Any]:
        return {"leaves": self.n_leaves_, "depth": str(self.depth_)}

    def _describe_columns(self) -> dict[str, Any]:
        tree = self.tree_
        n_columns = self.n_features_in_
        n_splits = np.bincount(tree.column[tree.column >= 0], minlength=n_columns)
        n_leaves = [int((weigh > 0).sum()) for weigh in self._strengths().T]
        return {
            "density": [
                _describe_use(s, k) for s, k in zip(n_splits.tolist(), n_leaves, strict=True)
            ]
        }

    def _strengths(self) -> np.ndarray:
        """How far each column moves a row of each leaf."""
        words = self._words()
        return np.stack([words.strength(leaf) for leaf in range(self.n_leaves_)])

    def export_text(self) -> str:
        """The tree as text: one line per node, and the columns that matter most in each leaf.

        The number behind a column is how far it moves a row of the leaf on average, in units of evidence.

        Returns
        -------
        text : str
        """
        return export_tree(self._words())

    def explain(self, X: TableLike) -> Records:
        """Why each row is scored as it is: its leaf, and the weight of evidence of each of its cells there.

        Parameters
        ----------
        X : array-like or frame

        Returns
        -------
        records : Records
            Columns row, path, share, column, value, bin, class and weight. The first record of a row in a leaf is the
            leaf's prior. Where the share is 1 the weights add up to ``decision_function``; a row whose tested
            cell is missing is in several leaves, and the answer is the mixture of their probabilities.

        Examples
        --------
        >>> X = [["a", "a"], ["a", "b"], ["b", "a"], ["b", "b"], ["b", "b"]] * 20
        >>> model = NaiveBayesTreeClassifier(calibration=None).fit(X, [1, 0, 0, 1, 1] * 20)
        >>> model.explain([["b", "a"]])
        row  path    share  column   value  bin  class  weight     low    high  whole_low  whole_high
          0  x0 = b      1  (prior)                  1   0.669   0.143   1.195     -5.003      -1.820
          0  x0 = b      1  x0       b      b        1   0.000  -0.027   0.027     -5.003      -1.820
          0  x0 = b      1  x1       a      a        1  -4.081  -5.583  -2.579     -5.003      -1.820
        """
        words = self._words()
        return explain_tree_rows(words, self._read(X))

    @property
    def evidence_(self) -> Records:
        """Weight of evidence of every bin of every column in every leaf."""
        return describe_leaves(self._words())

    def _words(self) -> TreeWords:
        check_is_fitted(self)
        return TreeWords(self.tree_, self._binner, self.classes_)

    def _log_prior(self) -> np.ndarray:
        check_is_fitted(self)
        return np.log(self.class_count_ / self.class_count_.sum())

    def _score(self, X: Any, readout: Readout | None = None) -> np.ndarray:
        check_is_fitted(self)
        table = self._read(X)

        def score(block: RowBlock) -> np.ndarray:
            rows = self._binner.bin_block(block)
            return self.tree_.score(rows.split_codes, rows.codes)

        n_scores = self.tree_.prior.shape[1]
        n_threads = resolve_threads(self.n_jobs)
        return score_table(self._binner.coder, table, score, n_scores, readout, n_threads)


def _grow(prepared: Prepared, settings: TreeSettings) -> NaiveBayesTree:
    return make_grower(prepared, settings).grow(keep_occurrence=True)


def _find_scale(coding: Coding, settings: TreeSettings, plan: CodingPlan) -> ScoreScale:
    """How far the leaves are believed, by rows that their trees have not seen."""

    def learn(others: Prepared) -> Callable[[BinnedRows], np.ndarray]:
        tree = _grow(others, settings)
        return lambda rows: tree.score(rows.split_codes, rows.codes)

    return find_score_scale(coding, learn, plan)


def _describe_use(n_splits: int, n_leaves: int) -> str:
    """In how many nodes a column is split by, and in how many leaves its cells count."""
    split = f"split in {n_splits} node{'s' * (n_splits != 1)}" if n_splits else ""
    used = f"used in {n_leaves} lea{'f' if n_leaves == 1 else 'ves'}" if n_leaves else ""
    return ", ".join(filter(None, (split, used))) or "no weight"


def resolve_tree_settings(tree: NaiveBayesTreeClassifier) -> TreeSettings:
    """The parameters of trees, checked."""
    check_whole("max_depth", tree.max_depth)
    check_choice("split", tree.split, SPLITS)
    check_choice("utility", tree.utility, UTILITIES)
    check_number("min_samples_split", tree.min_samples_split, above=True)
    check_number("min_samples_branch", tree.min_samples_branch, above=True, words=[None])
    check_choice("pruning", tree.pruning, PRUNINGS)
    check_choice("calibration", tree.calibration, ["temperature", None])
    check_number("m", tree.m, above=True)
    check_choice("denominator", tree.denominator, DENOMINATORS)
    for name in OF_SPLITS if tree.max_depth == 0 else ():
        check_unused(tree, name, "max_depth=0")
    least = tree.min_samples_branch
    return TreeSettings(
        max_depth=int(tree.max_depth),
        threshold=tree.split == "threshold",
        min_split=float(tree.min_samples_split),
        min_branch=0.0 if least is None else float(least),
        leave_one_out=tree.utility == "leave_one_out",
        prune=tree.pruning is not None,
        leaf=LeafSettings(float(tree.m), tree.denominator == "all"),
    )
