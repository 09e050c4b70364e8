"""What model files hold of words: those of rows, of statistics and of models."""

from __future__ import annotations

import math

import numpy as np

from bayfold.core.counts import WordCounts, WordTable
from bayfold.core.densities.terms import TextTerm
from bayfold.core.densities.words import WordChoice, WordDensity
from bayfold.core.frames import BagColumn, StringColumn, Strings
from bayfold.core.schema import BagOfWords, ColumnSchema, TextColumn, WordRows
from bayfold.persist import checks
from bayfold.persist.kinds import register
from bayfold.persist.model_kinds import register_term

LARGEST_POWER = 8.0
"""Of how often a word occurs in a cell; choices end at one."""


def check_strings(strings: Strings) -> None:
    """Bounds that do not fall and stay within the bytes."""
    checks.expect_array(strings.data, np.uint8, (None,), "strings")
    checks.expect_array(strings.known, checks.FLAG, (None,), "strings")
    n_bounds = (len(strings.known) + 1,)
    checks.expect_places(strings.bounds, n_bounds, 0, len(strings.data) + 1, "strings")
    checks.expect(bool((np.diff(strings.bounds) >= 0).all()), "strings")


def check_begins(begins: np.ndarray, n_items: int, what: str) -> None:
    """Places that do not fall, from the first item to the end."""
    checks.expect_places(begins, (None,), 0, n_items + 1, what)
    checks.expect(len(begins) > 0 and begins[0] == 0 and begins[-1] == n_items, what)
    checks.expect(bool((np.diff(begins) >= 0).all()), what)


def expect_times(times: np.ndarray, shape: tuple[int, ...], what: str) -> None:
    """How often words occur: numbers that are not negative."""
    checks.expect_array(times, np.float32, shape, what)
    checks.expect(bool((np.isfinite(times) & (times >= 0)).all()), what)


def check_word_rows(rows: WordRows) -> None:
    """A hash and a number of times for each word."""
    n_words = (len(rows.hashes),)
    checks.expect_array(rows.hashes, np.uint64, n_words, "the words of rows")
    expect_times(rows.times, n_words, "the words of rows")
    check_begins(rows.begins, len(rows.hashes), "the words of rows")


def check_word_table(table: WordTable) -> None:
    """Hashes in order, each with its text and at least one count."""
    what = "a table of words"
    n_words = (table.n_words,)
    n_counts = (len(table.counts),)
    checks.expect_array(table.hashes, np.uint64, n_words, what)
    checks.expect(bool((table.hashes[1:] > table.hashes[:-1]).all()), what)
    check_begins(table.begins, len(table.counts), what)
    checks.expect(len(table.begins) == table.n_words + 1, what)
    checks.expect_places(table.groups, n_counts, 0, 1 << 31, what, np.int32)
    checks.expect_counts(table.counts, n_counts, what)
    checks.expect_finite(table.credits, n_words, what)
    checks.expect(table.texts.n_rows == table.n_words and 0 <= table.missed < math.inf, what)


def check_word_counts(words: WordCounts) -> None:
    """A table for each column of text, of groups that there are."""
    n_texts = 0 if words.schema is None else len(words.schema.text)
    checks.expect(len(words.tables) == n_texts, "the words of columns")
    checks.expect_labels(words.groups, len(words.groups), "the groups of words")
    for table in words.tables:
        checks.expect(table.groups.max(initial=-1) < len(words.groups), "the groups of words")


def check_word_density(density: WordDensity) -> None:
    """A prior of groups none of which is impossible, and powers that numbers can have."""
    checks.expect_finite(density.prior, (None,), "the prior of words")
    checks.expect(
        bool((density.prior > 0).all() and density.prior.sum() < 1 + 1e-6), "the prior of words"
    )
    checks.expect_finite(density.factors, (density.n_groups,), "the weights of groups")
    checks.expect(bool((density.factors >= 0).all()), "the weights of groups")
    checks.expect(density.words.groups.max(initial=-1) < density.n_groups, "the groups of words")
    choice = density.choice
    checks.expect(0 < choice.strength < math.inf, "the choice of words")
    powers = (choice.information, choice.length, choice.repeats)
    checks.expect(all(0 <= power <= LARGEST_POWER for power in powers), "the choice of words")


def check_text_term(term: TextTerm, column: ColumnSchema, n_groups: int) -> None:
    """Words of the model's groups."""
    checks.expect(isinstance(column, TextColumn), "the column of a term")
    checks.expect_logs(term.log_table, (column.n_codes, n_groups), "the table of a term")
    if term.along is None:
        checks.expect(term.density.n_groups == n_groups, "the words of a term")
    else:
        checks.expect_finite(term.along, (n_groups,), "the words of a term")
        inside = (term.along >= 0) & (term.along <= term.density.n_groups - 1)
        checks.expect(bool(inside.all()) and term.density.n_groups > 1, "the words of a term")
    checks.expect(0 <= term.weight < math.inf, "the weight of a term")


def check_text_column(column: TextColumn) -> None:
    """Sequences of one word or more."""
    checks.expect(1 <= column.ngrams[0] <= column.ngrams[1] <= 1 << 8, "a column of text")


def check_string_column(column: StringColumn) -> None:
    """Strings, and nothing else."""
    checks.expect(column.kind == "nominal", "a column")


def check_bag_of_words(column: BagOfWords) -> None:
    """A name for each word, if there are names."""
    check_text_column(column)
    known = column.words is None or len(column.words) == column.n_words
    checks.expect(column.n_words >= 1 and known, "the columns of a sparse matrix")


def check_bag_column(column: BagColumn) -> None:
    """Words that the matrix has."""
    what = "a sparse matrix"
    n_words = (len(column.places),)
    checks.expect(column.kind == "bag", what)
    checks.expect_places(column.places, n_words, 0, column.n_words, what)
    expect_times(column.times, n_words, what)
    check_begins(column.begins, len(column.places), what)
    checks.expect(column.words is None or len(column.words) == column.n_words, what)


register(Strings, check_strings)
register(StringColumn, check_string_column)
register(TextColumn, check_text_column)
register(BagOfWords, check_bag_of_words)
register(BagColumn, check_bag_column)
register(WordRows, check_word_rows)
register(WordTable, check_word_table)
register(WordCounts, check_word_counts)
register(WordChoice)
register(WordDensity, check_word_density)
register_term(TextTerm, check_text_term)
