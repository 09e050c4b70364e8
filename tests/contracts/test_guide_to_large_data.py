"""The guide to data larger than memory: its examples run, one after the other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[2] / "docs" / "large_data.md"


@pytest.mark.filterwarnings("ignore::bayfold.errors.DataWarning")
def test_the_examples_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), flags=re.S)
    assert len(blocks) >= 6
    names: dict = {}
    for block in blocks:
        exec(compile(block, str(GUIDE), "exec"), names)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "fast_disk",
        "payments",
        "saved",
        "scores",
    ]
