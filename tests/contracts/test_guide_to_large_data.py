"""The guide to data larger than memory: its examples run, one after the other."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[2] / "docs" / "large_data.md"


BLOCKS = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), flags=re.S)
ON_SPARK = [block for block in BLOCKS if "pyspark" in block]

pytestmark = pytest.mark.filterwarnings("ignore::bayfold.errors.DataWarning")


def run(blocks):
    names: dict = {}
    for block in blocks:
        exec(compile(block, str(GUIDE), "exec"), names)
    return names


def test_the_examples_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    here = [block for block in BLOCKS if block not in ON_SPARK]
    assert len(here) >= 7
    run(here)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "fast_disk",
        "payments",
        "saved",
        "scores",
    ]


@pytest.mark.spark
@pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java, which is not installed")
def test_the_example_on_spark_runs(tmp_path, monkeypatch):
    pytest.importorskip("pyspark", reason="pyspark is not installed: pip install bayfold[spark]")
    monkeypatch.chdir(tmp_path)
    # a Java machine that another test has started works in another folder
    on_spark = [block.replace('"payments"', f'"{tmp_path / "payments"}"') for block in ON_SPARK]
    names = run([*BLOCKS[:2], *on_spark])
    assert names["on_spark"].class_count_.sum() == 60_000
