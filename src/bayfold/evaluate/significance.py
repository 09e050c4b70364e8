"""What a difference between models is worth: sign test, t-test, Friedman's test with Nemenyi's ranks."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from bayfold import errors
from bayfold.core.evidence import Records
from bayfold.core.evidence.drift import adjust_by_holm


def sign_test(wins: int, losses: int) -> float:
    """Probability of so many wins or more if winning were a matter of tossing a coin; ties do not count.

    Exact and one-tailed, as Ting & Zheng (2003) use it.

    >>> round(sign_test(14, 11), 4), round(sign_test(20, 5), 4), round(sign_test(19, 6), 4)
    (0.345, 0.002, 0.0073)
    """
    if not all(errors.is_whole(count) and count >= 0 for count in (wins, losses)):
        raise errors.bad_counts(wins, losses)
    if wins + losses == 0:
        return 1.0
    return float(stats.binomtest(wins, wins + losses, 0.5, alternative="greater").pvalue)


def compare_pairs(errors_of: Mapping[str, ArrayLike]) -> Records:
    """Every model against every other over the same datasets, smaller errors being better.

    Parameters
    ----------
    errors_of : mapping of str to array of shape (n_datasets,)
        Errors of at least two models on the same datasets.

    Returns
    -------
    records : Records
        model, against, wins, losses, ties, sign_p (of the wins), mean_difference, mean_ratio (geometric, over the
        datasets where both have errors).

    Examples
    --------
    >>> compare_pairs({"a": [0.1, 0.2, 0.3], "b": [0.2, 0.3, 0.3]}).where(model="a")
    model  against  wins  losses  ties  sign_p  mean_difference  mean_ratio
    a      b           2       0     1   0.250           -0.067       0.693
    """
    table = _stack(errors_of)
    rows: dict[str, list] = {name: [] for name in PAIR_COLUMNS}
    for a, first in table.items():
        for b, second in table.items():
            if a == b:
                continue
            wins = int((first < second).sum())
            losses = int((first > second).sum())
            both = (first > 0) & (second > 0)
            ratio = np.exp(np.log(first[both] / second[both]).mean()) if both.any() else np.nan
            values = (a, b, wins, losses, len(first) - wins - losses, sign_test(wins, losses))
            differences = float((first - second).mean()), float(ratio)
            for name, value in zip(PAIR_COLUMNS, (*values, *differences), strict=True):
                rows[name].append(value)
    return _records(rows)


PAIR_COLUMNS = (
    "model",
    "against",
    "wins",
    "losses",
    "ties",
    "sign_p",
    "mean_difference",
    "mean_ratio",
)


def paired_t_test(first: ArrayLike, second: ArrayLike, test_share: float | None = None) -> Records:
    """Student's t-test of paired differences, two-tailed.

    Parameters
    ----------
    first, second : array-like
        Scores of two models on the same folds or datasets.
    test_share : float, optional
        For folds of repeated cross-validation, the share of the rows held out. Training sets overlap, so the plain
        test finds differences far too easily; with this the variance is corrected after Nadeau and Bengio.

    Returns
    -------
    records : Records
        mean_difference, t, p; one row.

    References
    ----------
    C. Nadeau, Y. Bengio (2003). Inference for the generalization error. Machine Learning 52, 239-281.

    Examples
    --------
    >>> paired_t_test([0.1, 0.3, 0.2], [0.2, 0.5, 0.2])
    mean_difference       t      p
             -0.100  -1.732  0.225
    """
    a, b = (np.asarray(values, np.float64) for values in (first, second))
    if a.shape != b.shape or a.ndim != 1 or len(a) < 2:
        raise errors.not_paired(a.shape, b.shape)
    for name, values in (("first", a), ("second", b)):
        if not np.isfinite(values).all():
            raise errors.errors_not_finite(name, int((~np.isfinite(values)).sum()))
    errors.check_fraction("test_share", test_share, words=[None])
    difference = a - b
    spread = difference.std(ddof=1)
    mean = float(difference.mean())
    inflation = 0.0 if test_share is None else len(a) * test_share / (1 - test_share)
    scale = spread * np.sqrt((1 + inflation) / len(a))
    t = mean / scale if scale > 0 else np.inf * np.sign(mean) if mean else 0.0
    p = 2 * float(stats.t.sf(abs(t), len(a) - 1))
    return Records({"mean_difference": np.array([mean]), "t": np.array([t]), "p": np.array([p])})


def friedman_test(
    errors_of: Mapping[str, ArrayLike], level: float = 0.05
) -> tuple[Records, Records]:
    """Whether models differ over datasets, by their ranks; then which pairs do (Nemenyi's test).

    Parameters
    ----------
    errors_of : mapping of str to array of shape (n_datasets,)
        Errors of at least two models on the same datasets.
    level : float, default=0.05
        For the critical difference.

    Returns
    -------
    ranks : Records
        model, mean_rank (1 is best), and, the same in every row, statistic, p, critical_difference: mean ranks
        further apart than that differ at the level.
    pairs : Records
        model, against, rank_difference, p.

    Notes
    -----
    Ties share their mean rank. The statistic is divided by the variance that ranks with such ties have, and compared
    with chi-squared of one degree less than models.

    References
    ----------
    J. Demsar (2006). Statistical comparisons of classifiers over multiple data sets. JMLR 7, 1-30.

    Examples
    --------
    >>> ranks, pairs = friedman_test({"a": [1.0, 2.0, 3.0], "b": [2.0, 3.0, 2.0]})
    >>> ranks
    model  mean_rank  statistic      p  critical_difference
    a          1.333      0.333  0.564                1.132
    b          1.667      0.333  0.564                1.132
    """
    table = _stack(errors_of)
    errors.check_fraction("level", level)
    values = np.stack(list(table.values()), axis=1)
    n_datasets, n_models = values.shape
    all_ranks = stats.rankdata(values, axis=1)
    mean_rank = all_ranks.mean(axis=0)
    statistic = _find_chi_square(all_ranks)
    p_value = float(stats.chi2.sf(statistic, n_models - 1))
    unit = np.sqrt(n_models * (n_models + 1) / (6.0 * n_datasets))
    critical = stats.studentized_range.ppf(1 - level, n_models, np.inf) / np.sqrt(2) * unit
    names = np.array(list(table), object)
    ranks = Records(
        {
            "model": names,
            "mean_rank": mean_rank,
            "statistic": np.full(n_models, statistic),
            "p": np.full(n_models, p_value),
            "critical_difference": np.full(n_models, float(critical)),
        }
    )
    first, second = np.array(list(combinations(range(n_models), 2))).T
    apart = mean_rank[first] - mean_rank[second]
    p = stats.studentized_range.sf(np.abs(apart) / unit * np.sqrt(2), n_models, np.inf)
    columns = {"model": names[first], "against": names[second], "rank_difference": apart, "p": p}
    return ranks, Records(columns)


def _find_chi_square(ranks: np.ndarray) -> float:
    """Friedman's statistic; 0 where no dataset tells any two models apart."""
    centred = ranks - ranks.mean(axis=1, keepdims=True)
    spread = float((centred**2).sum())
    if spread == 0:
        return 0.0
    return (ranks.shape[1] - 1) * float((centred.sum(axis=0) ** 2).sum()) / spread


def _stack(errors_of: Mapping[str, ArrayLike]) -> dict[str, np.ndarray]:
    """The errors as arrays, checked: a missing one would pass for a tie."""
    if not isinstance(errors_of, Mapping):
        raise errors.not_errors_by_name(errors_of)
    table = {name: np.asarray(values, np.float64) for name, values in errors_of.items()}
    if len(table) < 2:
        raise errors.too_few_models(list(table))
    found = {name: values.shape for name, values in table.items()}
    shape = next(iter(found.values()))
    if set(found.values()) != {shape} or len(shape) != 1 or shape[0] == 0:
        raise errors.unequal_datasets(found)
    for name, values in table.items():
        if not np.isfinite(values).all():
            raise errors.errors_not_finite(name, int((~np.isfinite(values)).sum()))
    return table


def _records(rows: dict[str, list]) -> Records:
    return Records(
        {
            name: np.array(values, object if isinstance(values[0], str) else None)
            for name, values in rows.items()
        }
    )


def compare_with_best(scores: Records, measure: str, n_folds: int) -> Records:
    """Every model against the one with the smallest mean score.

    Parameters
    ----------
    scores : Records
        Of ``score_folds`` or ``score_regressor_folds``: one row per model, repeat and fold.
    measure : str
        The column to compare, such as ``"log_loss"`` or ``"rmse"``; smaller is better.
    n_folds : int
        Folds of a repeat.

    Returns
    -------
    records : Records
        model, difference (of the mean score, from the best) and p, best first. The p is that of the t-test
        corrected for overlapping training sets (Nadeau and Bengio), and by Holm's rule for so many comparisons;
        it is NaN for the best model itself, and for models without that score.

    Examples
    --------
    >>> scores = Records({"model": np.array(["a"] * 3 + ["b"] * 3, object), "error": np.array([1., 2, 3, 2, 3, 3.5])})
    >>> compare_with_best(scores, "error", 3)
    model  difference      p
    a           0.000
    b           0.833  0.087
    """
    names = list(dict.fromkeys(scores["model"]))
    by_model = {name: scores.where(model=name)[measure].astype(np.float64) for name in names}
    names.sort(key=lambda name: np.nan_to_num(by_model[name].mean(), nan=np.inf))
    best = by_model[names[0]]
    share = 1 / n_folds
    p = np.full(len(names), np.nan)
    for k, name in enumerate(names[1:], start=1):
        if np.isfinite(by_model[name]).all() and len(best) > 1:
            p[k] = paired_t_test(by_model[name], best, test_share=share)["p"][0]
    difference = np.array([by_model[name].mean() - best.mean() for name in names])
    return Records(
        {"model": np.array(names, object), "difference": difference, "p": adjust_by_holm(p)}
    )
