"""Checks of parameters: what passes, and the words of what does not."""

from __future__ import annotations

import re

import numpy as np
import pytest

from bayfold import errors

REFUSED = [
    (errors.check_choice, ("a", ["b", "c", None]), '"b", "c" or None. Got \'a\'.'),
    (errors.check_choice, (np.array(["b"]), ["b"]), "\"b\". Got array(['b']"),
    (errors.check_flag, (1,), "True or False. Got 1."),
    (errors.check_callable, (1,), "a function or None. Got 1."),
    (errors.check_whole, (-1,), "a whole number that is not negative. Got -1."),
    (errors.check_whole, (True, 1), "a whole number from 1. Got True."),
    (errors.check_whole, (2.0, 1, 3), "a whole number from 1 to 3. Got 2.0."),
    (errors.check_number, (np.nan,), "a number that is not negative. Got nan."),
    (errors.check_number, (np.inf,), "a number that is not negative. Got inf."),
    (errors.check_number, ("1",), "a number that is not negative. Got '1'."),
    (errors.check_number, (2, 0.5, 1), "a number from 0.5 to 1. Got 2."),
    (errors.check_fraction, (1.0,), "a number above 0 and below 1. Got 1.0."),
    (errors.check_probabilities, (np.array([0.5, 1.5]),), "probabilities from 0 to 1. Got 1.5."),
]


@pytest.mark.parametrize(("check", "arguments", "words"), REFUSED)
def test_refusals(check, arguments, words):
    with pytest.raises(ValueError, match=re.escape(f"`p` must be {words}")):
        check("p", *arguments)


def test_what_is_allowed_passes():
    errors.check_choice("p", None, ["a", None])
    errors.check_flag("p", np.bool_(True))
    errors.check_whole("p", np.int32(3), 1, 3)
    errors.check_whole("p", None, 1, words=[None])
    errors.check_number("p", np.float32(0.5), 0, 1, above=True)
    errors.check_number("p", "cv", above=True, words=["cv"])
    errors.check_fraction("p", 0.5)


def test_words_and_numbers_are_listed_together():
    with pytest.raises(
        ValueError, match=r'`p` must be "cv", None or a number above zero\. Got 0\.'
    ):
        errors.check_number("p", 0, above=True, words=["cv", None])


class Estimator:
    def __init__(self, strength=2.0, names=None, lengths=(1, 1)):
        self.strength, self.names, self.lengths = strength, names, lengths


def test_a_parameter_without_effect_has_its_default():
    errors.check_unused(Estimator(), "strength", "x=1")
    for same in (2.0, 2, np.float64(2.0), np.int64(2)):
        errors.check_unused(Estimator(same), "strength", "x=1")
    words = r"`strength` must be 2\.0 with x=1, which makes no use of it\. Got 3\.0\."
    with pytest.raises(ValueError, match=words):
        errors.check_unused(Estimator(3.0), "strength", "x=1")
    with pytest.raises(ValueError, match=r"`names` must be None with x=1"):
        errors.check_unused(Estimator(names=np.array([1])), "names", "x=1")
    cloned = Estimator(lengths=tuple(map(int, "11")))
    errors.check_unused(cloned, "lengths", "x=1")
    with pytest.raises(ValueError, match=r"`lengths` must be \(1, 1\) with x=1"):
        errors.check_unused(Estimator(lengths=(1, 2)), "lengths", "x=1")
