"""The guide from a CSV file to a rating table in SQL: its examples run, and what they say is true."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("duckdb")

GUIDE = Path(__file__).parents[2] / "docs" / "counts.md"
BLOCKS = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), flags=re.S)


def test_the_examples_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    exec(compile("\n".join(BLOCKS), str(GUIDE), "exec"), names)
    found = names["connection"].sql("SELECT premium FROM tariff ORDER BY policy").df()["premium"]
    np.testing.assert_allclose(found, names["premium"], rtol=1e-9)
    base, *factors = names["one"]["factor"]
    first = names["frequency"].predict(names["policies"][names["columns"]][:1])[0]
    assert base * np.prod(factors) == pytest.approx(first)
    stored = names["connection"].sql("SELECT count(*), min(factor) FROM rating_table").fetchall()
    assert stored == [(len(names["rates"]), names["rates"]["factor"].min())]
    off = names["new"]["claims"] - names["expected"]
    assert abs(off.sum()) < 2 * np.sqrt((off**2).sum())
    shown = capsys.readouterr().out
    of_page = "".join(re.findall(r"```text\n(.*?)```", GUIDE.read_text(), flags=re.S))
    assert shown.split()[:60] == of_page.split()[:60]
    assert len(shown.split()) == len(of_page.split())
