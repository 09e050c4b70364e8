"""Tables of words: sums, and the bound on what is missed beyond the cap."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bayfold.core.counts import WordTable
from bayfold.core.counts.words import WordCounter
from bayfold.core.frames import Strings
from bayfold.core.schema.text import split_text


def count(texts, groups, weights=None):
    counter = WordCounter()
    split = split_text(Strings.of_texts(texts))
    weights = np.ones(len(texts)) if weights is None else np.array(weights, float)
    counter.add(split, np.array(groups, np.int32), weights)
    return counter.total()


def as_dict(table):
    words = table.texts.to_texts()
    found = zip(table.word_of, table.groups.tolist(), table.counts.tolist(), strict=True)
    return {(words[word], group): n for word, group, n in found}


def test_words_are_counted_in_rows_not_in_times():
    table = count(["a a b", "A", "b c"], [0, 0, 1], [1, 2, 1])
    assert as_dict(table) == {("a", 0): 3.0, ("b", 0): 1.0, ("b", 1): 1.0, ("c", 1): 1.0}
    assert dict(zip(table.texts.to_texts(), table.totals, strict=True)) == {"a": 3, "b": 2, "c": 1}


def test_words_of_parts_add_up():
    texts, groups = ["x y", "y z", "x", "w"], [0, 1, 2, 0]
    parts = [count(texts[k : k + 1], groups[k : k + 1]) for k in range(4)]
    ordered = parts[0].plus(parts[1]).plus(parts[2]).plus(parts[3])
    assert as_dict(ordered) == as_dict(count(texts, groups))
    other = parts[3].plus(parts[2]).plus(parts[1].plus(parts[0]))
    assert as_dict(other) == as_dict(ordered)
    assert as_dict(WordTable().plus(ordered)) == as_dict(ordered)


def test_a_full_table_is_sorted_and_begun_again(monkeypatch):
    monkeypatch.setattr(WordCounter, "MOST_PAIRS", 16)
    monkeypatch.setattr(WordCounter, "LEAST_PAIRS", 8)
    texts = [f"w{k} w{k % 7} common" for k in range(100)]
    small = count(texts, np.arange(100) % 3)
    monkeypatch.undo()
    assert as_dict(small) == as_dict(count(texts, np.arange(100) % 3))


def test_a_text_with_more_words_than_a_table_is_counted(monkeypatch):
    monkeypatch.setattr(WordCounter, "MOST_PAIRS", 8)
    monkeypatch.setattr(WordCounter, "LEAST_PAIRS", 8)
    assert count([" ".join(f"w{k}" for k in range(100))], [0]).n_words == 100


@given(
    st.lists(st.lists(st.integers(0, 30), max_size=6), min_size=1, max_size=25), st.integers(2, 8)
)
def test_counts_beyond_the_cap_lack_at_most_what_is_said(rows, limit):
    """The bound of Misra and Gries, in a chain of merges as in a stream."""
    truth = count([" ".join(map(str, row)) for row in rows], np.zeros(len(rows)))
    summary = WordTable()
    for row in rows:
        summary = summary.plus(count([" ".join(map(str, row))], [0])).within(limit)
    assert summary.n_words <= limit
    assert summary.missed <= truth.totals.sum() / (limit + 1)
    kept = dict(zip(summary.hashes.tolist(), summary.totals.tolist(), strict=True))
    for word, total in zip(truth.hashes.tolist(), truth.totals.tolist(), strict=True):
        assert total - summary.missed <= kept.get(word, 0.0) <= total


def test_groups_are_placed():
    table = count(["a b", "a"], [0, 1])
    assert as_dict(table.placed(np.array([2, 5]))) == {("a", 2): 1, ("b", 2): 1, ("a", 5): 1}
    assert as_dict(replace(table)) == as_dict(table)
