"""How words are weighed, chosen by rows that are left out one at a time.

Counts of all rows less the row's own are exact and need no folds, which would lack a part of the words. The score of a
choice is the log-loss under the prior and this column alone, its evidence multiplied by the factor that suits it best.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from bayfold.core import kernels
from bayfold.core.counts import Statistics
from bayfold.core.counts.fold_counts import Folds
from bayfold.core.densities.words import LeftOutTexts, WeighedTexts, WordChoice, WordDensity
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.core.schema import WordRows
from bayfold.core.scoring.derive import Settings, find_group_factors

START = WordChoice(3.0, 0.5, 0.5, 0.0, is_complement=True)
"""Where the search begins; best for descriptions of software packages in 47 groups."""

OTHERS: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "strength": ((10.0, 30.0), (1.0, 0.3)),
    "information": ((1.0,), (0.0,)),
    "length": ((0.25, 0.0), (1.0,)),
    "repeats": ((0.5, 1.0), ()),
}
"""What is tried beside the numbers of START, one after the other: first to one side, as long as the next is better,
and to the other side if the first step was none."""

WORDS_TO_CHOOSE = 1 << 18
"""Words of left-out rows, times groups, that choices are compared on: some hundredths of a second for each strength."""

TEXTS_TO_CHOOSE = 4_000
"""Rows beyond so many tell no more about four numbers."""

NEWTON_STEPS = 4
"""From the last factor to the best one: the loss is convex, and nearly a parabola."""

SMALL_GAIN = 1e-4
"""A step that lowers the loss by half this share of it is the last, and taken to do what a parabola promises: it is off
by a tenth of that or less, and choices differ by more."""

LEAST_BETTER = 1e-5
"""Share of the loss by which a choice must be better to be taken. Where words are noise, all choices are worth nothing,
and the last digits would choose."""

MOST_GAIN = 2.0
"""Four times what a parabola promises: a choice that would not be the best even so is left at its first step."""


def choose_texts(
    statistics: Statistics, settings: Settings, folds: Folds | None = None
) -> Settings:
    """The settings with a density for every column of text; chosen by left-out rows where there are folds.

    Parameters
    ----------
    statistics : Statistics
    settings : Settings
    folds : Folds or None
        Whose rows, and parts of rows, are left out; None for naive Bayes as it is written.
    """
    schema = statistics.schema
    assert schema is not None
    factors = find_group_factors(statistics.counts, settings.group_weights)
    factors = factors * (1.0 if folds is None else folds.share)
    texts: dict[int, Any] = {}
    for j, table in zip(schema.text, statistics.words.tables, strict=True):
        known = statistics.counts.tables[j][FIRST_BIN:].sum(axis=0)
        density = WordDensity.of(table, known, factors)
        texts[j] = density if folds is None else density.choose(_choose(density, folds, j))
    return replace(settings, texts=texts)


def leave_out_text(
    density: WordDensity, folds: Folds, j: int, row: np.ndarray, fold_of: np.ndarray
) -> np.ndarray:
    """Evidence of the text of sampled rows in folds, from all other rows, of shape (n_rows, n_groups)."""
    if not folds.are_dependent:
        words, group_of, weights = _find_rows(folds, j, row, fold_of)
        return density.leave_out(words, group_of, weights, density.choice)
    words, group_of = _find_all_rows(folds, j)
    scores = np.empty((len(row), density.n_groups))
    for k in np.unique(fold_of).tolist():
        some = np.flatnonzero(fold_of == k)
        without = learn_outside(density, words, group_of, folds, k)
        inside = row[some]
        nothing = np.zeros(len(some))
        scores[some] = without.leave_out(
            words.take(inside), group_of[inside], nothing, density.choice
        )
    return scores


def learn_outside(
    density: WordDensity, words: WordRows, group_of: np.ndarray, folds: Folds, k: int
) -> WordDensity:
    """The words of the sampled rows that the model of a fold learns from, weighed as in a density of all."""
    return density.learn_from(words, group_of, folds.weights_outside(k) / folds.share)


def _find_all_rows(folds: Folds, j: int) -> tuple[WordRows, np.ndarray]:
    sample = folds.sample
    assert sample.schema is not None
    return sample.words[sample.schema.text.index(j)], sample.group_of


def _find_rows(
    folds: Folds, j: int, row: np.ndarray, fold_of: np.ndarray
) -> tuple[WordRows, np.ndarray, np.ndarray]:
    sample = folds.sample
    assert sample.schema is not None
    words = sample.words[sample.schema.text.index(j)].take(row)
    return words, sample.group_of[row], folds.in_fold[row, fold_of]


def _choose(density: WordDensity, folds: Folds, j: int) -> WordChoice:
    """The choice under which left-out rows are least surprising."""
    if folds.are_dependent:
        return search_words_in_folds(density, *_find_all_rows(folds, j), folds)[0]
    fold_of, row = np.nonzero(folds.in_fold[:TEXTS_TO_CHOOSE].T > 0)
    order = np.argsort(row, kind="stable")
    fold_of = fold_of[order]
    row = row[order]
    return choose_words(density, *_find_rows(folds, j, row, fold_of))


def choose_words(
    density: WordDensity, words: WordRows, group_of: np.ndarray, weights: np.ndarray
) -> WordChoice:
    """The choice under which rows are least surprising to others, as ``search_words`` finds it."""
    return search_words(density, words, group_of, weights)[0]


def search_words(
    density: WordDensity, words: WordRows, group_of: np.ndarray, weights: np.ndarray
) -> tuple[WordChoice, float]:
    """The choice under which rows, or as many of the first of them as can be afforded, are least surprising to others.

    Parameters
    ----------
    density : WordDensity
    words : WordRows
    group_of : ndarray of int
    weights : ndarray
        What each row has in the counts of the density.

    Returns
    -------
    choice : WordChoice
    factor : float
        What the evidence is best multiplied by.
    """
    has_words = np.flatnonzero(np.diff(words.begins))
    affordable = WORDS_TO_CHOOSE // density.n_groups
    n_used = int(np.searchsorted(np.cumsum(np.diff(words.begins)[has_words]), affordable)) + 1
    used = has_words[:n_used]
    if not len(used):
        return START, 1.0
    left_out = LeftOutTexts.of(density, words.take(used), group_of[used], weights[used])
    return _search([left_out], weights[used], np.log(density.prior))


def search_words_in_folds(
    density: WordDensity, words: WordRows, group_of: np.ndarray, folds: Folds
) -> tuple[WordChoice, float]:
    """The same by folds, where rows depend on each other; of all sampled rows there are words and groups."""
    lengths = np.diff(words.begins)
    affordable = WORDS_TO_CHOOSE // density.n_groups
    is_used = (lengths > 0) & (np.cumsum(lengths) <= max(affordable, lengths.max(initial=0)))
    is_used[TEXTS_TO_CHOOSE:] = False
    parts: list[LeftOutTexts] = []
    weights = []
    for k in range(len(folds.folds)):
        inside = np.flatnonzero(is_used & (folds.in_fold[:, k] > 0))
        if len(inside):
            without = learn_outside(density, words, group_of, folds, k)
            own = words.take(inside)
            parts.append(LeftOutTexts.of(without, own, group_of[inside], np.zeros(len(inside))))
            weights.append(folds.in_fold[inside, k])
    if not parts:
        return START, 1.0
    return _search(parts, np.concatenate(weights), np.log(density.prior))


def _search(
    parts: list[LeftOutTexts], weights: np.ndarray, log_prior: np.ndarray
) -> tuple[WordChoice, float]:
    search = _Search(parts, weights, log_prior)
    search.try_choice(START)
    repeat = any(bool((part.rows.times > 1).any()) for part in parts)
    for name, (one_side, other_side) in OTHERS.items():
        if name == "repeats" and not repeat:
            continue
        if not search.walk(name, one_side):
            search.walk(name, other_side)
    return search.best, search.factor


class _Search:
    """The best choice so far."""

    def __init__(
        self, parts: list[LeftOutTexts], weights: np.ndarray, log_prior: np.ndarray
    ) -> None:
        self._parts = parts
        self._weights = weights
        self._log_prior = log_prior
        self._group_of = np.concatenate([part.group_of for part in parts]).astype(np.int64)
        self.factor = 1.0
        self._least = np.inf
        self._size = 0.0
        self.best = START
        self._weighed: dict[float, list[WeighedTexts]] = {}

    def walk(self, name: str, numbers: tuple[float, ...]) -> bool:
        """Try other numbers as long as the next is better; whether the first was."""
        for k, number in enumerate(numbers):
            other: dict[str, Any] = {name: number}
            if not self.try_choice(replace(self.best, **other)):
                return k > 0
        return len(numbers) > 0

    def try_choice(self, choice: WordChoice) -> bool:
        """Whether it is the best so far."""
        if choice.strength not in self._weighed:
            self._weighed[choice.strength] = [part.weigh(choice) for part in self._parts]
        scores = np.concatenate([part.score(choice) for part in self._weighed[choice.strength]])
        size = float(np.abs(scores).mean())
        # scores of another size want another factor
        begin = self.factor * self._size / size if self._size and size else self.factor
        loss, factor = self._find_loss(scores, begin)
        is_better = loss < self._least * (1.0 - LEAST_BETTER)
        if is_better:
            self.best = choice
            self._least = loss
            self.factor = factor
            self._size = size
        return is_better

    def _find_loss(self, scores: np.ndarray, factor: float) -> tuple[float, float]:
        """The loss with the best factor on the scores, and that factor, from where to begin."""
        loss = np.inf
        for _ in range(NEWTON_STEPS):
            loss, slope, bend = kernels.judge_factor(
                scores, self._log_prior, self._group_of, self._weights, factor
            )
            if bend <= 0:
                break
            factor = max(factor - slope / bend, factor / 4)
            gain = slope * slope / bend  # twice what the step lowers the loss by
            if gain <= SMALL_GAIN * loss:
                return loss - gain / 2, factor
            if loss - MOST_GAIN * gain > self._least:
                break
        return loss, factor
