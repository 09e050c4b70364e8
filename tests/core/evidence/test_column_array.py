"""One number per column, by position or by name; whatever is made of it is plain."""

import copy
import pickle

import numpy as np
import pytest

from bayfold.core.evidence import ColumnArray

FOUND = ColumnArray([0.5, 0.3, 0.2], ["age", "income", "job"])


def test_names_and_positions():
    assert FOUND["income"] == FOUND[1] == FOUND[-2] == 0.3
    with pytest.raises(ValueError, match="`column` must be given by columns of the table"):
        FOUND["wage"]


@pytest.mark.parametrize(
    "make",
    [
        lambda a: a * 2,
        lambda a: np.exp(a),
        lambda a: a[:2],
        lambda a: a[[2, 0]],
        lambda a: a[a > 0.25],
        lambda a: a.cumsum(),
        lambda a: np.concatenate([a, a]),
    ],
)
def test_what_is_made_of_it_is_plain(make):
    assert type(make(FOUND)) is np.ndarray


@pytest.mark.parametrize("make", [np.sort, lambda a: a.copy(), lambda a: a[::-1], np.array])
def test_no_array_has_names_in_a_wrong_order(make):
    made = make(FOUND)
    with pytest.raises(IndexError):
        made["age"]
    assert repr(made) == repr(np.asarray(made))


def test_sums_and_extremes_are_numbers():
    for found in (FOUND.sum(), FOUND.max(), FOUND.mean(), np.median(FOUND), FOUND[0], FOUND["age"]):
        assert isinstance(found, float)


@pytest.mark.parametrize("again", [lambda a: pickle.loads(pickle.dumps(a)), copy.deepcopy])
def test_copies_of_the_whole_keep_names(again):
    assert again(FOUND)["job"] == 0.2


def test_it_is_equal_to_the_plain_array():
    np.testing.assert_array_equal(FOUND, [0.5, 0.3, 0.2])
    assert FOUND.tolist() == [0.5, 0.3, 0.2]
    assert FOUND.to_dict() == {"age": 0.5, "income": 0.3, "job": 0.2}
