"""Files with a right checksum and arrays that no fit makes: refused, or a model that answers or says why not."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import bayfold
from bayfold.core import kernels
from bayfold.core.kernels import ranks
from bayfold.errors import ModelFileError
from bayfold.persist.archive import ARRAYS, DOCUMENT
from bayfold.persist.arrays import ArrayWriter, StoredArrays
from tests.persist.models import fitted, saved
from tests.persist.mutations import document_of, entries_of, packed
from tests.persist.structure import run
from tests.plain import callable_kernel


def with_part(content: bytes, kind: str, part: str, change: Callable) -> bytes:
    """The file with the arrays of one part of all objects of a kind changed, sealed."""
    document = document_of(content)
    stored = StoredArrays(document["arrays"], document["pieces"], entries_of(content)[ARRAYS])
    arrays = [stored.array(k).copy() for k in range(len(document["arrays"]))]
    for thing in document["objects"]:
        if thing["kind"] == kind:
            for reference in find_arrays(
                thing["parts"][part]
            ):  # others may refer to the same array
                arrays.append(change(arrays[reference["array"]]))
                reference["array"] = len(arrays) - 1
    writer = ArrayWriter()
    for array in arrays:
        writer.add(array)
    document |= {"arrays": writer.table, "pieces": writer.pieces}
    entries = entries_of(content) | {ARRAYS: writer.blob, DOCUMENT: json.dumps(document).encode()}
    return packed(entries)


def find_arrays(value: Any) -> list[dict[str, int]]:
    """All references to arrays in a value of a document."""
    if isinstance(value, dict) and value.keys() == {"array"}:
        return [value]
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [found for item in inside for found in find_arrays(item)]


@pytest.mark.parametrize("factor", [-1.0, 2.0**60])
@pytest.mark.parametrize("name", ["two classes", "stream", "mixture", "collapsed"])
def test_counts_that_no_fit_has_are_refused(name, factor):
    content = saved(fitted(name))
    bayfold.load(io.BytesIO(with_part(content, "JointCounts", "tables", np.copy)))
    with pytest.raises(ModelFileError, match=r"the tables of counts does not fit.*save the model"):
        bayfold.load(io.BytesIO(with_part(content, "JointCounts", "tables", lambda a: a * factor)))


@pytest.mark.parametrize("n_groups", [2, 3])
def test_negative_counts_do_not_lead_out_of_the_arrays_of_the_kernel(n_groups):
    counts = np.full((1, 40, n_groups), 1.0)
    counts[0, :20] = -1e6
    counts[0, 20:] = 1.1e6
    odds = np.zeros_like(counts)
    kernels.estimate_rank_odds(counts, 1.0, 1.0, odds)
    counts[0, 0] = np.nan
    kernels.estimate_rank_odds(counts, 1.0, 1.0, odds)


@pytest.mark.parametrize(("rank", "inside"), [(-3.0, 0.0), (np.nan, 0.0), (7.0, 1.0)])
def test_ranks_outside_of_their_bounds_are_taken_to_the_nearest(rank, inside):
    counts = np.array([[1.0, 2.0], [3.0, 1.0]])
    found, expected = np.zeros_like(counts), np.zeros_like(counts)
    smooth_bins = callable_kernel(ranks.smooth_bins)
    smooth_bins(counts, np.array([0.5, rank]), 0.2, found)
    smooth_bins(counts, np.array([0.5, inside]), 0.2, expected)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("name", "kind", "part", "change", "what"),
    [
        ("mte", "JointCounts", "moments", lambda a: -a, "the moments of counts"),
        ("additive", "PairTerm", "merges", np.zeros_like, "the bins of a pair"),
        ("additive", "PairTerm", "counts", lambda a: -a - 1, "the counts of a pair"),
        ("regression", "RegressionModel", "column_weights", lambda a: -a - 1, "the weights of"),
        ("votes", "AdaBoostNaiveBayesClassifier", "class_count_", lambda a: -a, "the counts of cl"),
        ("via regression", "ViaRegressionClassifier", "class_count_", lambda a: -a, "the counts"),
        ("two classes", "TableTerm", "log_table", lambda a: a + np.inf, "the table of a term"),
        ("mte", "ExponentialTerm", "coefficients", lambda a: -a, "the densities of a term"),
        ("regression", "CurveTerm", "missing", lambda a: a - np.inf, "the nodes of a term"),
        ("gaussian", "QuadraticTerm", "missing", lambda a: a - np.inf, "the parabolas of a term"),
        ("two classes", "Calibration", "intercept", lambda a: a + 1e18, "the intercept"),
        ("equal width", "TableTerm", "merge", lambda a: a[::-1].copy(), "the bins of a term"),
        ("tree", "NaiveBayesTree", "evidence", lambda a: a - np.inf, "the evidence of leaves"),
        (
            "additive",
            "BoostedNaiveBayesClassifier",
            "validation_loss_",
            lambda a: a[:6],
            "the number of rounds",
        ),
        (
            "additive, number",
            "BoostedNaiveBayesRegressor",
            "validation_loss_",
            lambda a: a[:1],
            "the number of rounds",
        ),
    ],
)
def test_numbers_that_no_fit_has_are_refused(name, kind, part, change, what):
    with pytest.raises(ModelFileError, match=f"{what}.* does not fit.*save the model"):
        bayfold.load(io.BytesIO(with_part(saved(fitted(name)), kind, part, change)))


FOUND_ONCE = (1778, 2488, 2517, 2885, 3204, 3712, 4433, 5236, 6006, 9592, 500_292, 500_897)
"""Numbers of files that ended in an error of NumPy, or in a wrong answer, before they were refused."""


@pytest.mark.parametrize("numbers", [range(70), FOUND_ONCE], ids=["some", "found once"])
def test_changed_structures_are_refused_or_work(numbers):
    found = run(numbers)
    outcomes = {outcome for _, outcome in found}
    assert outcomes <= {"refused", "a model that answers or says why not"}
