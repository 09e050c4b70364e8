"""Words of texts against Python's strings, and their counts and scores against dictionaries and loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayfold.core import kernels
from bayfold.core.counts import WordTable
from bayfold.core.densities.words import LeftOutTexts, WordChoice, WordDensity
from bayfold.core.frames import Strings
from bayfold.core.schema.text import WordRows, split_text
from tests.reference import words as reference

# without compilation NumPy warns that the products overflow, as they must
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")

CHARACTERS = "aB1 .,-_éÉßıİΣ日本語テスไทยहिन्\u0301😀\U00020000\u2c65Ⱥ"
TEXTS = st.lists(st.none() | st.text(CHARACTERS) | st.text(max_size=8), min_size=1, max_size=8)
SIZES = st.sampled_from([(1, 1), (1, 2), (2, 3)])


def strings_of(texts):
    indices = np.array([-1 if text is None else k for k, text in enumerate(texts)])
    return Strings.of_labels(indices, [text or "" for text in texts])


def rows_of(split):
    """Hash and times of the words of each row."""
    words = split.words
    pairs = list(zip(words.hashes.tolist(), words.times.tolist(), strict=True))
    return [dict(pairs[a:b]) for a, b in zip(words.begins, words.begins[1:], strict=False)]


@given(TEXTS, SIZES)
def test_words_match_the_twin(texts, sizes):
    assert rows_of(split_text(strings_of(texts), sizes)) == reference.split_texts(texts, *sizes)


@given(st.lists(st.text(CHARACTERS), min_size=1, max_size=5), SIZES)
def test_copied_words_match_the_twin(texts, sizes):
    split = split_text(strings_of(texts), sizes)
    copied = split.copy_texts(split.starts, split.ends).to_texts()
    expected = reference.copy_words(texts, *sizes)
    if sizes[0] == sizes[1] == 1:
        assert copied == expected
    # two pairs of characters that follow each other overlap: their text is the run
    assert len(copied) == len(expected)


def test_bytes_that_are_no_text_separate_words():
    data = np.frombuffer(b"ab\xffcd ef\xc3", np.uint8)
    split = split_text(Strings(data, np.array([0, len(data)]), np.ones(1, bool)))
    texts = split.copy_texts(split.starts, split.ends).to_texts()
    assert texts == ["ab", "cd", "ef"]


def test_a_text_of_very_many_words_is_split_like_short_ones():
    text = " ".join(f"w{k % 5000}" for k in range(20_000))
    split = split_text(Strings.of_texts([text, "w1 w2"]))
    assert np.diff(split.words.begins).tolist() == [5000, 2]
    assert (split.words.times[:5000] == 4).all()


@given(TEXTS, st.integers(0, 2**32 - 1))
def test_hashes_of_words_match_the_twin(texts, seed):
    split, start = split_text(strings_of(texts)), np.arange(len(texts), dtype=np.uint64)
    hashes = start.copy()
    split.words.hash_rows(seed, hashes)
    np.testing.assert_array_equal(hashes, reference.hash_words(rows_of(split), seed, start))


@given(TEXTS, st.integers(0, 2**32 - 1))
def test_counts_of_words_match_the_twin(texts, seed):
    rng, split = np.random.default_rng(seed), split_text(strings_of(texts))
    group_of = rng.integers(0, 3, len(texts)).astype(np.int32)
    weights = rng.integers(0, 3, len(texts)).astype(float)
    words, slots, most = split.words, np.full(1024, -1, np.int32), 512
    dtypes = np.uint64, np.int32, float
    listed = [np.empty(most, dtype) for dtype in dtypes]
    places = np.empty((most, 2), np.int64)
    where = words.begins, words.hashes, split.starts, split.ends
    row, n = kernels.count_words(*where, group_of, weights, 0, 0, slots, *listed, places)
    hashes, groups, counts = (each[:n].tolist() for each in listed)
    found = dict(zip(zip(hashes, groups, strict=True), counts, strict=True))
    expected = reference.count_words(rows_of(split), group_of, weights)
    assert found == {pair: count for pair, count in expected.items() if count > 0}
    assert (row, n) == (len(texts), len(found))
    met = {h: (a, b) for h, a, b in zip(words.hashes, split.starts, split.ends, strict=True)}
    texts_of = split.copy_texts(places[:n, 0].copy(), places[:n, 1].copy()).to_texts()
    assert (
        texts_of
        == split.copy_texts(
            *np.array([met[h] for h in hashes], int).reshape(-1, 2).T.copy()
        ).to_texts()
    )


def test_counting_stops_before_a_row_for_whose_words_there_is_no_room():
    split = split_text(Strings.of_texts(["a b", "b c", "c d"]))
    words, slots = split.words, np.full(8, -1, np.int32)
    listed = np.empty(4, np.uint64), np.empty(4, np.int32), np.empty(4), np.empty((4, 2), np.int64)
    where = words.begins, words.hashes, split.starts, split.ends
    rest = np.zeros(3, np.int32), np.ones(3)
    assert kernels.count_words(*where, *rest, 0, 0, slots, *listed) == (2, 3)
    assert listed[2][:3].tolist() == [1, 2, 1]


@given(st.integers(0, 2**32 - 1), st.integers(0, 50))
def test_places_match_the_twin(seed, n_known):
    rng = np.random.default_rng(seed)
    known = np.unique(rng.integers(0, 2**64, n_known, np.uint64, endpoint=False))
    asked = np.append(known, rng.integers(0, 2**64, 20, np.uint64, endpoint=False))
    slots, places = np.full(256, -1, np.int32), np.empty(len(asked), np.int32)
    kernels.index_words(known, slots)
    kernels.find_word_places(asked, known, slots, places)
    np.testing.assert_array_equal(places, reference.find_word_places(asked, known))
    assert sorted(slots[slots >= 0]) == reference.index_words(known).tolist()


def draw_counts(rng, n_words, n_groups):
    counts = rng.integers(0, 4, (n_words, n_groups)).astype(float)
    counts[:, 0] += 1.0
    prior = rng.dirichlet(np.ones(n_groups))
    return counts, np.maximum(prior, 1e-3) / np.maximum(prior, 1e-3).sum()


def list_counts(counts):
    """Where the groups of each word begin, the groups it was counted in, and the counts."""
    begins = np.append(0, np.cumsum((counts > 0).sum(axis=1)))
    word, group = np.nonzero(counts)
    return begins, group.astype(np.int32), counts[word, group]


@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.booleans())
def test_evidence_of_words_matches_the_twin(seed, n_groups, is_complement):
    counts, prior = draw_counts(np.random.default_rng(seed), 6, n_groups)
    table, sums, information = np.empty_like(counts), np.empty((6, 3)), np.empty(6)
    listed = list_counts(counts)
    whole = np.arange(6), np.zeros(6), prior, 2.0, is_complement
    kernels.weigh_words(*listed, *whole, table, sums)
    kernels.inform_words(sums, information)
    expected = reference.weigh_words(counts, prior, 2.0, is_complement)
    np.testing.assert_allclose(table, expected, rtol=1e-9, atol=1e-12)
    informed = reference.inform_words(counts, prior, 2.0)
    np.testing.assert_allclose(information, informed, rtol=1e-9, atol=1e-12)


def draw_rows(rng, n_words):
    """Words of rows, none twice: (begins, places, times, lists)."""
    rows = [rng.permutation(n_words)[: rng.integers(0, n_words + 1)] for _ in range(5)]
    times = [rng.integers(1, 4, len(row)) for row in rows]
    begins = np.cumsum([0, *map(len, rows)])
    lists = [
        list(zip(r.tolist(), t.tolist(), strict=True)) for r, t in zip(rows, times, strict=True)
    ]
    return begins, np.concatenate(rows), np.concatenate(times).astype(np.float32), lists


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.25, 1.0]))
def test_scores_of_words_match_the_twin(seed, a, b):
    rng = np.random.default_rng(seed)
    table, information = rng.normal(size=(6, 3)), rng.random(6) + 0.01
    begins, places, times, lists = draw_rows(rng, 6)
    scores, shares = np.zeros((5, 3)), np.empty(len(places))
    powers = np.array([a, b, 0.5])
    kernels.score_words(begins, places, places, times, information, table, powers, shares, scores)
    expected = reference.score_words(lists, table, information, (a, b, 0.5))
    np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-12)


def count_rows(rng):
    """A density of five rows of words, and these rows: (density, rows, lists, counts, group_of, weights)."""
    _, prior = draw_counts(rng, 6, 3)
    begins, places, times, lists = draw_rows(rng, 6)
    group_of, weights = rng.integers(0, 3, 5).astype(np.int32), rng.integers(1, 3, 5).astype(float)
    counts = np.zeros((6, 3))
    for row, group, weight in zip(lists, group_of, weights, strict=True):
        counts[[word for word, _ in row], group] += weight
    hashes, listed = np.arange(6, dtype=np.uint64), list_counts(counts)
    words = WordTable(hashes, *listed, counts.sum(axis=1))
    density = WordDensity(words, prior, WordChoice(), np.ones(3))
    rows = WordRows(begins, hashes[places], times)
    return density, rows, lists, counts, group_of, weights


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_evidence_without_the_row_matches_the_twin(seed, is_complement):
    density, rows, lists, counts, group_of, weights = count_rows(np.random.default_rng(seed))
    choice = WordChoice(2.0, is_complement=is_complement)
    left_out = LeftOutTexts.of(density, rows, group_of, weights)
    weighed = left_out.weigh(choice)
    evidence = weighed.table[left_out.entries]
    evidence[np.arange(len(evidence)), group_of[rows.row_of]] = weighed.own
    expected = reference.leave_out_words(
        [[word for word, _ in row] for row in lists],
        counts,
        density.prior,
        2.0,
        is_complement,
        group_of,
        weights,
    )
    if len(evidence):
        np.testing.assert_allclose(evidence, expected[0], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(weighed.information, expected[1], rtol=1e-9, atol=1e-12)


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.5]), st.sampled_from([0.25, 1.0]))
def test_scores_without_the_row_match_the_twin(seed, a, b):
    density, rows, lists, counts, group_of, weights = count_rows(np.random.default_rng(seed))
    choice = WordChoice(2.0, a, b, 0.5, is_complement=True)
    scores = density.leave_out(rows, group_of, weights, choice)
    rest = counts, density.prior, 2.0, True, group_of, weights
    expected = reference.score_left_out_words(lists, *rest, (a, b, 0.5))
    np.testing.assert_allclose(scores, expected, rtol=1e-7, atol=1e-9)


def test_bytes_that_are_no_utf8_separate_words_and_swallow_none():
    data = np.frombuffer(b"good \xc3 word\xe2\x82 \xff\xf0\x9f end\xc3", np.uint8)
    split = split_text(Strings(data, np.array([0, len(data)]), np.array([True])))
    found = split.copy_texts(split.starts, split.ends).to_texts()
    assert found == ["good", "word", "end"]


@given(st.integers(0, 2**32 - 1))
def test_words_of_some_rows_match_the_twin(seed):
    rng = np.random.default_rng(seed)
    begins, places, times, lists = draw_rows(rng, 6)
    words, chosen = WordRows(begins, places.astype(np.uint64), times), rng.integers(0, 5, 7)
    for some in (chosen, slice(1, 4), slice(3, 1), np.arange(5) % 2 == 0):
        taken = words.take(some)
        found = [
            list(zip(taken.hashes[i:j].tolist(), taken.times[i:j].tolist(), strict=True))
            for i, j in zip(taken.begins[:-1], taken.begins[1:], strict=True)
        ]
        assert found == reference.take_words(lists, np.arange(5)[some])


@given(st.integers(0, 2**32 - 1), st.integers(2, 5))
def test_the_judge_of_a_factor_matches_the_twin(seed, n_groups):
    rng = np.random.default_rng(seed)
    scores, weights = rng.normal(size=(6, n_groups)), rng.integers(0, 3, 6).astype(float)
    log_prior, group_of = np.log(rng.dirichlet(np.ones(n_groups))), rng.integers(0, n_groups, 6)
    given_to_both = scores, log_prior, group_of, weights, 1.3
    np.testing.assert_allclose(
        kernels.judge_factor(*given_to_both), reference.judge_factor(*given_to_both), atol=1e-9
    )


@given(TEXTS, st.integers(0, 2**32 - 1))
def test_copied_cells_match_the_twin(texts, seed):
    strings = strings_of(texts)
    rows = np.random.default_rng(seed).integers(0, max(len(texts), 1), 5 if texts else 0)
    begins, lengths = strings.bounds[rows], np.diff(strings.bounds)[rows]
    bounds = np.append(0, np.cumsum(lengths))
    out = np.empty(bounds[-1], np.uint8)
    kernels.copy_cells(strings.data, begins, bounds, out)
    np.testing.assert_array_equal(out, reference.copy_cells(strings.data, begins, lengths))


@given(TEXTS, st.integers(0, 2**32 - 1))
def test_hashes_of_cells_are_equal_where_the_twin_finds_equal_cells(texts, seed):
    strings = strings_of(texts)
    rows = np.random.default_rng(seed).integers(0, max(len(texts), 1), 9 if texts else 0)
    hashes = np.empty(len(rows), np.uint64)
    kernels.hash_cells(strings.data, strings.bounds, rows, hashes)
    found = hashes.tolist()
    first = [found.index(h) for h in found]
    assert first == reference.hash_cells(strings.data, strings.bounds, rows)
