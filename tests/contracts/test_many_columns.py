"""Names of columns are looked up, not searched for: of 20,000 columns a search for each takes minutes."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from bayfold.base.sources.reading import Roles
from bayfold.cli.output import check_columns
from bayfold.cli.reading import check_present
from bayfold.core.frames.files.table_file import TableFile, check_unrepeated
from bayfold.errors import DatasetError

N = 500


class Name(str):
    """A name that counts how often it is compared."""

    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        Name.compared += 1
        return str.__eq__(self, other)


def names_twice():
    """Equal names that are different objects, in another order."""
    return [Name(f"c{k}") for k in range(N)], [Name(f"c{k}") for k in reversed(range(N))]


LOOKUPS = {
    "of a file": lambda one, other: check_unrepeated("t.csv", 1, one),
    "of a model": lambda one, other: check_present(
        SimpleNamespace(feature_names_in_=np.array(one, object)), "t.csv", other
    ),
    "of an option": lambda one, other: check_columns("--drop", one, other, "t.csv"),
    "of a source": lambda one, other: Roles.find(
        SimpleNamespace(names=other), one[0], None, one[1:]
    ),
}


@pytest.mark.parametrize("use", LOOKUPS)
def test_a_name_is_compared_a_few_times(use):
    one, other = names_twice()
    Name.compared = 0
    LOOKUPS[use](one, other)
    assert Name.compared <= 10 * N


def test_the_second_of_two_equal_names_is_told():
    with pytest.raises(DatasetError, match=r"t.csv, line 3.* Got 'b' for columns 2 and 4"):
        check_unrepeated("t.csv", 3, ["a", "b", "c", "b", "b"])


def test_cells_are_filled_in_place():
    frame = pa.table({"a": [1.0, None], "b": ["x", None], "c": [True, False]})
    file = TableFile("t.parquet", "parquet", frame, frame)
    filled = file.filled(pa.table({"b": ["x", "y"], "a": [1.0, 2.0]}))
    assert filled.frame.to_pydict() == {"a": [1.0, 2.0], "b": ["x", "y"], "c": [True, False]}
    assert filled.names == file.names == ["a", "b", "c"]
    assert file.with_labels(["a"]).frame.schema.types == [pa.string(), pa.string(), pa.bool_()]
