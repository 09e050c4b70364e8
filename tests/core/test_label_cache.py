"""Answers about lists that are met again."""

from __future__ import annotations

import copy
import pickle

from bayfold.core.label_cache import MOST_RESULTS, CachedLabels, cached_per_labels


def ask(calls):
    def count(labels, *others):
        calls.append(labels)
        return len(labels), *others

    return cached_per_labels(count)


def test_a_list_that_may_change_is_looked_at_again():
    calls = []
    count, labels = ask(calls), ["a"]
    assert count(labels) == (1,)
    labels.append("b")
    assert count(labels) == (2,)


def test_answers_about_other_objects_are_others():
    calls = []
    count, labels, others = ask(calls), CachedLabels(["a"]), [{}, {}]
    for _ in range(2):
        assert all(count(labels, other)[1] is other for other in others)
    assert len(calls) == 2
    assert count(CachedLabels(["a"]), others[0]) == (1, {})
    assert len(calls) == 3


def test_two_functions_do_not_share_answers():
    labels = CachedLabels(["a", "b"])
    assert cached_per_labels(len)(labels) == 2
    assert cached_per_labels(sorted)(labels) == ["a", "b"]


def test_few_answers_are_kept_and_all_are_right():
    calls = []
    count, labels = ask(calls), CachedLabels("abc")
    for number in range(5 * MOST_RESULTS):
        other = [number]
        assert count(labels, other) == (3, [number])
        assert len(labels.results) <= MOST_RESULTS


def test_a_copy_and_a_pickle_are_plain_lists():
    labels = CachedLabels(["a", "b"])
    cached_per_labels(len)(labels)
    for made in (pickle.loads(pickle.dumps(labels)), copy.copy(labels), copy.deepcopy(labels)):
        assert type(made) is list
        assert made == ["a", "b"]
