"""The guide from a CSV file to a scorecard: its examples run, as shown, and scores are equal everywhere."""

from __future__ import annotations

import io
import json
import re
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pytest

from tests.export.javascript import run_node

pytest.importorskip("duckdb")

GUIDE = Path(__file__).parents[2] / "docs" / "scorecard.md"
BLOCKS = re.findall(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", GUIDE.read_text(), flags=re.S)


@pytest.mark.filterwarnings("ignore")
def test_the_examples_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    for block, shown in BLOCKS:
        told = io.StringIO()
        with redirect_stdout(told):
            exec(compile(block, str(GUIDE), "exec"), names)
        assert told.getvalue().split() == shown.split()
    exact = names["exact"]
    assert np.abs(names["points"] - exact).max() <= names["card"].largest_error
    np.testing.assert_allclose(names["in_sql"], names["probability"], rtol=1e-9)
    some = names["applicants"].head(50)
    in_javascript = [row["probabilities"] for row in run_node(json.dumps(names["exported"]), some)]
    np.testing.assert_allclose(np.array(in_javascript)[:, 1], names["probability"][:50], rtol=1e-9)
    card = (tmp_path / "card.csv").read_text().splitlines()
    assert len(card) == len(names["card"].table) + 1
    assert "code -99" in (tmp_path / "card.html").read_text()
