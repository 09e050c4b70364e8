"""Numbers of clusters by the accuracy of what is trained on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from bayfold.core.evidence import Records
from bayfold.families.decomposition.folds import DealtByClass
from bayfold.families.decomposition.rough import has_densities_of, make_rough
from bayfold.families.decomposition.search import AccuracySearch, Numbers
from bayfold.families.decomposition.splitter import Splitter

Say = Callable[[str], None]

LEVELS = (1, 2, 3, 4, 6, 8, 12)
"""Numbers of clusters that ``n_clusters="accuracy"`` tries for all classes at once."""

LAST_WORD = 2.0
"""Standard errors by which the estimator must gain: the split was chosen on the same rows. With one it kept splits
that lost 2.5 points on autos (205 rows); where splits are worth it, as on vehicle and vowel, by three and more."""


def choose_by_accuracy(
    splitter: Splitter, dealt: DealtByClass, most: np.ndarray, seed: int, say: Say
) -> tuple[list[Any], Records]:
    """The number of clusters of each class, and what was tried.

    A search trains some hundred models, so splits are compared by a rough one where there is one. With other densities
    it gains more by a split than the estimator does, so the estimator has the last word: it is trained on whole classes
    and on the best split alone. With the same densities and no weights it gains as much: a last word lost eleven points
    on glass (214 rows) and three on ionosphere, and was worth nothing on three other tables.

    Parameters
    ----------
    splitter : Splitter
    dealt : DealtByClass
        The fold in which each row is left out.
    most : ndarray of int
        The largest number of clusters each class may have.
    seed : int
    say : callable
        Told what has just been tried.
    """
    levels = [level for level in LEVELS if level == 1 or level <= most.max()]
    rough = make_rough(splitter.estimator)
    search = start_search(splitter, rough, dealt, seed, say)
    chosen = search.choose([int(limit) for limit in most], levels)
    if has_densities_of(rough, splitter.estimator):
        name = "estimator" if rough is splitter.estimator else "rough"
        return list(chosen), describe_searches({name: search})
    last, whole = start_search(splitter, splitter.estimator, dealt, seed, say), (1,) * len(most)
    if chosen != whole and not last.is_better(last.right(chosen), last.right(whole), LAST_WORD):
        chosen = whole
    return list(chosen), describe_searches({"rough": search, "estimator": last})


def start_search(
    splitter: Splitter, estimator: Any, dealt: DealtByClass, seed: int, say: Say
) -> AccuracySearch:
    """A search in which splits are judged by an estimator on rows left out."""
    group_of, fold_of = splitter.rows.group_of, dealt.fold_of

    def evaluate(numbers: Numbers) -> tuple[np.ndarray, np.ndarray]:
        right, log_p = np.zeros(len(fold_of), bool), np.full(len(fold_of), -np.inf)
        for fold in np.unique(fold_of).tolist():
            train, test = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
            if len(np.unique(group_of[train])) > 1:
                subclasses = splitter.split(train, list(numbers), seed + fold, fold)
                model = splitter.train(estimator, train, subclasses, shared_schema=True)
                right[test], log_p[test] = splitter.judge(model, subclasses, train, test)
        return right, log_p

    search = AccuracySearch(evaluate, fold_of, splitter.weights, dealt.unit_weights)
    search.report = lambda numbers: say(
        f"clusters {numbers}: accuracy {search.accuracy(numbers):.4f}"
    )
    return search


def describe_searches(searches: Mapping[str, AccuracySearch]) -> Records:
    """What was tried, with which model, and its accuracy."""
    tried = [
        (model, search, numbers) for model, search in searches.items() for numbers in search.tried
    ]
    return Records(
        {
            "clusters": np.array([" ".join(map(str, numbers)) for *_, numbers in tried], object),
            "accuracy": np.array([search.accuracy(numbers) for _, search, numbers in tried]),
            "model": np.array([model for model, *_ in tried], object),
        }
    )
