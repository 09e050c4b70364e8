"""Words of texts, their counts and what they say, with Python's strings, dictionaries and loops."""

from __future__ import annotations

import math
import unicodedata
from itertools import groupby

import numpy as np

from tests.reference.hashing import LOW_64_BITS, mix

SEED, STEP, ORDER = 0xCBF29CE484222325, 0x100000001B3, 0x9E3779B97F4A7C15
UNSPACED = [
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x3005, 0x3007),
    (0x3040, 0x30FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
]


def kind_of(character):
    """What a character is: nothing, a letter, or one of a script without spaces."""
    point = ord(character)
    if point >= 0x20000:
        return "unspaced" if point <= 0x323AF else ""
    if unicodedata.category(character)[0] not in "LNM":
        return ""
    return "unspaced" if any(a <= point <= b for a, b in UNSPACED) else "letter"


def list_words(text, low=1, high=1):
    """The words of a text in order, as tuples of lower-cased words or pairs of characters."""
    words = []
    for kind, run in groupby(text, kind_of):
        run = "".join(character.lower()[0] for character in run)
        if kind == "letter":
            words.append(run)
        elif kind == "unspaced":
            words += [run[k : k + 2] for k in range(len(run) - 1)] or [run]
    sizes = range(low, high + 1)
    return [tuple(words[k : k + n]) for n in sizes for k in range(len(words) - n + 1)]


def hash_word(word):
    """FNV-1a over code points, then mixed."""
    h = SEED
    for character in word:
        h = ((h ^ ord(character)) * STEP) & LOW_64_BITS
    return mix(h)


def hash_sequence(words):
    """Of several words one after the other."""
    h = hash_word(words[0])
    for word in words[1:]:
        h = mix((h * ORDER + hash_word(word)) & LOW_64_BITS)
    return h


def split_texts(texts, low=1, high=1):
    """How often each word of each text occurs, by hash; nothing of a missing text."""
    rows = []
    for text in texts:
        found = {}
        for words in list_words(text or "", low, high):
            h = hash_sequence(words)
            found[h] = found.get(h, 0) + 1
        rows.append(found)
    return rows


def copy_words(texts, low=1, high=1):
    """The distinct words of each text in order of appearance, by size of sequence."""
    return [
        " ".join(words) for text in texts for words in dict.fromkeys(list_words(text, low, high))
    ]


def count_words(rows, group_of, weights):
    """The weight of the rows of each group that have a word."""
    counts = {}
    for words, group, weight in zip(rows, group_of, weights, strict=True):
        for word in words:
            key = int(word), int(group)
            counts[key] = counts.get(key, 0.0) + weight
    return counts


def sum_words(rows):
    """A number of the words of a row and how often they occur, in any order."""
    sums = []
    for words in rows:
        total = 0
        for h, n in words.items():
            times = math.floor(n) ^ int((n - math.floor(n)) * 2**60)
            total += mix(h ^ ((times * ORDER) & LOW_64_BITS))
        sums.append(total & LOW_64_BITS)
    return sums


def hash_words(rows, seed, start):
    """The hash of each row before, with that of its words."""
    pairs = zip(sum_words(rows), start, strict=True)
    hashes = [int(before) ^ mix((seed + total) & LOW_64_BITS) for total, before in pairs]
    return np.array(hashes, np.uint64)


def find_word_places(hashes, known):
    """Where each hash stands among the known ones."""
    place = {int(h): k for k, h in enumerate(known)}
    return np.array([place.get(int(h), -1) for h in hashes])


def index_words(known):
    """The same, of all known ones."""
    return find_word_places(known, known)


def weigh_word(counts, prior, strength, is_complement):
    """Evidence of a word for each group, and its information."""
    total, n_groups = sum(counts), len(prior)
    q = [(n + strength * p) / (total + strength) for n, p in zip(counts, prior, strict=True)]
    information = sum(a * math.log(a / b) for a, b in zip(q, prior, strict=True))
    if not is_complement:
        return [math.log(a / b) for a, b in zip(q, prior, strict=True)], information
    change = [math.log(a / (1 - a)) - math.log(b / (1 - b)) for a, b in zip(q, prior, strict=True)]
    return [(1 - 1 / n_groups) * each for each in change], information


def weigh_words(counts, prior, strength, is_complement):
    """Evidence of every word."""
    return np.array([weigh_word(n, prior, strength, is_complement)[0] for n in counts.tolist()])


def inform_words(counts, prior, strength):
    """Information of every word."""
    return np.array([weigh_word(n, prior, strength, False)[1] for n in counts.tolist()])


def take_words(rows, chosen):
    """The words of some rows."""
    return [rows[k] for k in chosen]


def score_words(rows, table, information, powers):
    """The sum over the known words of each row, each by its share; ``rows`` are lists of (word, times)."""
    a, b, r = powers
    scores = np.zeros((len(rows), table.shape[1]))
    for i, words in enumerate(rows):
        shares = [n**r * information[word] ** a for word, n in words]
        for (word, _), share in zip(words, shares, strict=True):
            if sum(shares) > 0:
                scores[i] += share / sum(shares) * len(words) ** b * table[word]
    return scores


def leave_out_words(rows, counts, prior, strength, is_complement, group_of, weights):
    """Evidence and information of each word of each row, counted without the row; zero of a word of no other."""
    evidence, information = [], []
    for words, group, weight in zip(rows, group_of, weights, strict=True):
        for word in words:
            others = counts[word].copy()
            others[group] -= weight
            known = word >= 0 and others.sum() > 1e-9 * counts[word].sum()
            found = weigh_word(others.tolist(), prior, strength, is_complement) if known else None
            evidence.append(np.zeros(len(prior)) if found is None else found[0])
            information.append(0.0 if found is None else found[1])
    return np.array(evidence), np.array(information)


def score_left_out_words(rows, counts, prior, strength, is_complement, group_of, weights, powers):
    """The sum over the words of each row that others have too, with evidence and information without the row."""
    scores = []
    for row, group, weight in zip(rows, group_of, weights, strict=True):
        others = counts.copy()
        others[:, group] -= weight
        others = np.maximum(others, 0.0)
        known = [(word, n) for word, n in row if others[word].sum() > 0]
        table = weigh_words(others, prior, strength, is_complement)
        information = inform_words(others, prior, strength)
        scores.append(score_words([known], table, information, powers)[0])
    return np.array(scores)


def judge_factor(scores, log_prior, group_of, weights, factor):
    """Log-loss with its slope and bend, row by row."""
    loss = slope = bend = 0.0
    for row, group, weight in zip(scores, group_of, weights, strict=True):
        joint = log_prior + factor * row
        p = np.exp(joint - joint.max())
        p /= p.sum()
        mean = float((p * row).sum())
        loss -= weight * math.log(p[group])
        slope += weight * (mean - row[group])
        bend += weight * float((p * (row - mean) ** 2).sum())
    return loss, slope, bend


def hash_cells(data, bounds, rows):
    """One number for each of some rows: the first of the rows, in whatever order, with the same bytes."""
    cells = [data[bounds[k] : bounds[k + 1]].tobytes() for k in rows.tolist()]
    return [cells.index(cell) for cell in cells]


def copy_cells(data, begins, lengths):
    """The bytes of cells, one behind the other."""
    pairs = zip(begins.tolist(), lengths.tolist(), strict=True)
    return np.concatenate([np.empty(0, np.uint8), *(data[b : b + n] for b, n in pairs)])
