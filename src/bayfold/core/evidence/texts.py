"""Evidence of text columns: weights of tokens, most telling first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayfold.core.densities import TextTerm
from bayfold.core.densities.terms import Packing
from bayfold.core.densities.terms.text import PackedText, spread_groups
from bayfold.core.schema import RowBlock
from bayfold.core.scoring import NaiveBayesModel
from bayfold.core.scoring.regression import TargetMoments


def show_texts(column: np.ndarray) -> list[str]:
    """The cells of a column: numbers to three places unless all are whole, nothing for what is not known."""
    if column.dtype.kind == "f":
        whole = np.isfinite(column) & (column == np.round(column))
        plain = (whole | np.isnan(column)).all() and whole.any()
        texts = [f"{value:g}" if plain else f"{value:.3f}" for value in column]
        return ["" if text == "nan" else text for text in texts]
    return ["" if value is None else str(value) for value in column]


def pad_texts(texts: list[str], right: bool) -> list[str]:
    """All as wide as the widest."""
    width = max(len(text) for text in texts)
    return [text.rjust(width) if right else text.ljust(width) for text in texts]


def count_joined(model: NaiveBayesModel) -> dict[str, int]:
    """How many tables of two columns there are, and of three if there are any."""
    n_triples = sum(len(pair.columns) > 2 for pair in model.pairs)
    found = {"pairs of columns": len(model.pairs) - n_triples}
    return found | ({"triples of columns": n_triples} if n_triples else {})


def describe_tables(model: NaiveBayesModel) -> list[str]:
    """What each column is said by: how many weights of its own, and in how many pairs and triples it takes part."""
    n_joined = np.zeros((len(model.schema.columns), 2), np.int64)
    for pair in model.pairs:
        n_joined[list(pair.columns), len(pair.columns) - 2] += 1
    words = []
    for term, counted in zip(model.terms, n_joined.tolist(), strict=True):
        n_bins = model.schema.columns[term.column].n_bins
        n_bins = n_bins if term.merge is None else int(term.merge.max(initial=0)) + 1
        alone = f"{n_bins} bin{'s' * (n_bins != 1)}"
        joined = [
            f"{k} {name}{'s' * (k != 1)}"
            for k, name in zip(counted, ("pair", "triple"), strict=True)
            if k
        ]
        is_silent = not term.tabulate(None).any()
        words.append(", ".join([*([] if is_silent else [alone]), *joined]) or "no weight")
    return words


SHOWN_WORDS = 100
"""Words that are shown for each class: more are not read."""

WORDS_TOGETHER = 1 << 13
"""Words whose predictions are worked on together: a hundred numbers each take six megabytes."""


def describe_words(
    name: str, term: TextTerm, weights: np.ndarray, groups: np.ndarray, shown: list[int]
) -> dict[str, np.ndarray]:
    """Records of the words that speak most for each class; of two classes for and against the second.

    Parameters
    ----------
    name : str
        Of the column.
    term : TextTerm
    weights : ndarray of shape (n_words, n_scores)
        What each word says when it is the only one of a cell.
    groups : ndarray
    shown : list of int
        The groups that have records.
    """
    words = term.density.words
    parts = []
    for k, group in enumerate(shown):
        order = np.lexsort((words.hashes, -weights[:, k]))
        chosen = order[:SHOWN_WORDS]
        if len(shown) == 1:
            chosen = np.append(chosen, order[SHOWN_WORDS:][-SHOWN_WORDS:])
        chosen = chosen[weights[chosen, k] > 0] if len(shown) > 1 else chosen
        parts.append((np.full(len(chosen), group), chosen, weights[chosen, k]))
    group_of, chosen, weight = (np.concatenate(column) for column in zip(*parts, strict=True))
    used, place = np.unique(chosen, return_inverse=True)
    texts = np.array(words.texts.take(used).to_texts(), object)
    nothing = np.full(len(chosen), np.nan)
    return {
        "column": np.full(len(chosen), name, object),
        "bin": texts[place],
        "lower": nothing,
        "upper": nothing,
        "class": groups[group_of],
        "count": words.tabulate(len(groups), used)[place, group_of],
        "total": words.totals[chosen],
        "weight": weight,
        "low": nothing,
        "high": nothing,
    }


@dataclass(frozen=True, eq=False)
class WordsOfRows:
    """The known words of rows.

    Attributes
    ----------
    row : ndarray of int
    texts : ndarray of object
    weights : ndarray of shape (n_words, n_scores)
    """

    row: np.ndarray
    texts: np.ndarray
    weights: np.ndarray


def explain_words(model: NaiveBayesModel, column: int, block: RowBlock) -> WordsOfRows:
    """What every known word of a column of text says in each row, adding up to the column's evidence."""
    term = next(term for term in model.evidence_terms if term.column == column)
    assert isinstance(term, TextTerm)
    n_scores = len(model.intercept)
    packed = PackedText.of(term, Packing(model.schema, n_scores, centred=True))
    rows = block.words[packed.position]
    places = packed.density.find_places(rows)
    shares = np.empty(len(rows.hashes))
    packed.add_words(rows, places, shares, np.zeros((rows.n_rows, n_scores)))
    known = np.flatnonzero(places >= 0)
    texts = np.array(packed.density.words.texts.take(places[known]).to_texts(), object)
    weights = shares[known, None] * packed.table[places[known]]
    return WordsOfRows(rows.row_of[known], texts, weights)


def weigh_alone(model: NaiveBayesModel, term: TextTerm) -> np.ndarray:
    """The evidence of every word when it is the only one of a cell, of shape (n_words, n_scores)."""
    return PackedText.of(term, Packing(model.schema, len(model.intercept), centred=True)).table


def predict_words(
    model: NaiveBayesModel, term: TextTerm, moments: TargetMoments
) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of the prediction for rows of which one word each is known, of all words."""
    table = term.density.evidence[0] * term.weight
    found = np.empty((2, len(table)))
    for start in range(0, len(table), WORDS_TOGETHER):
        some = slice(start, start + WORDS_TOGETHER)
        evidence = table[some] if term.along is None else spread_groups(table[some], term.along)
        mean, variance = moments.read(model.log_prior + evidence)
        found[:, some] = mean, np.sqrt(variance)
    return found[0], found[1]


def size_words(model: NaiveBayesModel, term: TextTerm, n_known: float) -> float:
    """The absolute evidence of words over so many known cells, by their shares in cells of usual length."""
    return add_up_words(term, np.abs(weigh_alone(model, term)).mean(axis=1), n_known)


def add_up_words(term: TextTerm, sizes: np.ndarray, n_known: float) -> float:
    """What all words do, over so many known cells of usual length, if each does so much alone."""
    totals = term.density.words.totals
    n_usual = max(totals.sum() / max(n_known, 1e-300), 1.0)
    share = n_usual ** (term.density.choice.length - 1.0)
    return float(share * (totals * sizes).sum())
