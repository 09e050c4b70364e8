"""Mutated files are refused or hold a model that works. ``python -m tests.persist.fuzz 10000`` tries more of them."""

from __future__ import annotations

import pytest

from tests.persist.fuzz import SMALL, run
from tests.persist.models import MODELS, fitted

ACCIDENTS = ("bits flipped", "cut off", "bytes added", "headers of the zip", "manifest")


def test_one_of_every_estimator_is_mutated():
    assert {type(fitted(name)) for name in SMALL} == {type(fitted(name)) for name in MODELS}


@pytest.mark.parametrize("seed", [0, 1])
def test_mutated_files_are_refused_or_work(seed):
    found = run(150, seed)
    assert found.total() == 150  # nothing but ModelFileError was raised
    accidents = {verdict for mutation, verdict in found if mutation in ACCIDENTS}
    assert accidents <= {"refused", "the same model"}
