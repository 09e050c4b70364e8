"""Where boosting begins in tables with texts: with what their words say, as naive Bayes weighs them.

Words are too many for trees. So the evidence of a whole text is found as naive Bayes finds it, told to each row by all
other rows, and multiplied by a factor that left-out rows ask for; the trees go on from there. Whether a text is
missing is all that they see of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bayfold.core.densities import TextTerm, WordDensity
from bayfold.core.densities.terms.protocol import Packing
from bayfold.core.densities.terms.text import PackedText
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.core.schema import RowBlock
from bayfold.core.scoring import NaiveBayesModel
from bayfold.core.scoring.texts import TEXTS_TO_CHOOSE, choose_words
from bayfold.families.boosting.rounds.distinct_rows import CollapsedRows, DistinctRows


def choose_word_densities(collapsed: CollapsedRows, rows: DistinctRows) -> list[WordDensity]:
    """The words of each column of text by group, weighed as left-out rows prefer.

    Parameters
    ----------
    collapsed : CollapsedRows
        With the words as they were counted.
    rows : DistinctRows
        The same rows in random order, dealt to folds.
    """
    given = collapsed.given
    counts = collapsed.counts
    factors = counts.totals / np.where(given.totals > 0, given.totals, 1.0)
    some = slice(TEXTS_TO_CHOOSE)
    found = []
    assert given.schema is not None
    for j, table, words in zip(given.schema.text, collapsed.tables, rows.words, strict=True):
        known = given.tables[j][FIRST_BIN:].sum(axis=0)
        density = WordDensity.of(table, known, factors)
        choice = choose_words(density, words.take(some), rows.labels[some], rows.weights[some])
        found.append(replace(density, choice=choice))
    return found


def leave_out_texts(rows: DistinctRows, densities: Sequence[WordDensity]) -> list[np.ndarray]:
    """Scores of each column of text, of shape (n_rows, n_scores), from counts that do not hold the row."""
    found = []
    for words, density in zip(rows.words, densities, strict=True):
        scores = density.leave_out(words, rows.labels, rows.weights, density.choice)
        found.append(scores[:, 1:] - scores[:, :1] if density.n_groups == 2 else scores)
    return found


def hear_texts(
    model: NaiveBayesModel, densities: Sequence[WordDensity], factors: Sequence[float]
) -> NaiveBayesModel:
    """The model with the words of texts, beside what it says that a text is missing or known."""
    terms = list(model.terms)
    for j, density, factor in zip(model.schema.text, densities, factors, strict=True):
        terms[j] = TextTerm(j, density, terms[j].tabulate(None), factor)
    return replace(model, terms=tuple(terms))


def score_texts(model: NaiveBayesModel, block: RowBlock) -> np.ndarray:
    """What the words of rows add to their scores."""
    n_scores = len(model.intercept)
    scores = np.zeros((block.n_rows, n_scores))
    packing = Packing(model.schema, n_scores, True)
    for j in model.schema.text:
        term = model.terms[j]
        assert isinstance(term, TextTerm)
        words = replace(term, log_table=np.zeros_like(term.log_table))
        PackedText.of(words, packing).add_scores(block, scores)
    return scores
