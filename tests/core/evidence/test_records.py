"""Records behave like the table they are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bayfold.core.evidence.records import Records

RECORDS = Records(
    {
        "column": np.array(["age", "job", "job", "<b>pay</b>"], object),
        "bin": np.array(["< 30", "clerk", "cook", None], object),
        "weight": np.array([1 / 3, -2.0, 0.5, np.nan]),
        "total": np.array([10, 20, 5, 0]),
    }
)


def test_positions_slices_and_masks():
    assert RECORDS[1] == {"column": "job", "bin": "clerk", "weight": -2.0, "total": 20}
    assert type(RECORDS[1]["total"]) is int
    assert RECORDS[1:3]["bin"].tolist() == ["clerk", "cook"]
    assert RECORDS[[2, 0]]["bin"].tolist() == ["cook", "< 30"]
    assert RECORDS[RECORDS["total"] > 5]["total"].tolist() == [10, 20]
    assert RECORDS[-1]["column"] == "<b>pay</b>"


def test_iteration_gives_records_and_so_the_same_frame():
    rows = list(RECORDS)
    assert [row["total"] for row in rows] == [10, 20, 5, 0]
    pd.testing.assert_frame_equal(pd.DataFrame(RECORDS), RECORDS.to_frame(), check_dtype=False)


def test_values_are_not_rounded():
    assert RECORDS[0]["weight"] == 1 / 3
    assert RECORDS.to_dict()["weight"][0] == 1 / 3


def test_where_takes_one_value_or_several():
    assert RECORDS.where(column="job")["bin"].tolist() == ["clerk", "cook"]
    assert len(RECORDS.where(column=["age", "job"])) == 3
    assert RECORDS.where(column=["age", "job"], bin="cook")["weight"].tolist() == [0.5]
    assert RECORDS.where(total=np.array([5, 20]))["total"].tolist() == [20, 5]


def test_where_names_what_is_not_there():
    with pytest.raises(ValueError, match=r"`column` must be found in the records, such as 'age', "):
        RECORDS.where(column=["age", "jobs"])
    with pytest.raises(KeyError, match=r"columns 'column', 'bin', 'weight', 'total'. Got 'name'"):
        RECORDS.where(name="age")
    with pytest.raises(KeyError, match="Got 'weights'"):
        RECORDS["weights"]


def test_in_a_notebook_names_are_text_and_weights_have_bars():
    shown = RECORDS._repr_html_()
    assert "&lt;b&gt;pay&lt;/b&gt;" in shown
    assert "<b>" not in shown
    assert "-2.000" in shown
    assert "transparent 0.0%, rgba(214, 39, 40, 0.35) 0.0%" in shown  # the longest bar, against
    assert shown.count("linear-gradient") == 4  # one column of four cells


def test_many_records_are_counted_not_shown():
    many = Records({"weight": np.arange(100.0)})
    assert repr(many).endswith("... and 70 more")
    assert many._repr_html_().endswith("<p>... and 70 more</p>")
    assert Records({})._repr_html_()
