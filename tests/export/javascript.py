"""Rows scored by the scorer in JavaScript, in node."""

from __future__ import annotations

import json
import shutil
import subprocess

import pandas as pd
import pytest

from bayfold.export import scorer_path

PROGRAM = """
const fs = require("fs"), { makeScorer } = require(process.argv[1]);
const { model, rows, times, quantiles } = JSON.parse(fs.readFileSync(0, "utf8"));
const score = makeScorer(model);
const answers = rows.map((row) => {
  for (const name of times) if (row[name] !== null) row[name] = new Date(row[name] * 1000);
  const found = score(row);
  return { ...found, quantiles: quantiles.map((q) => found.quantile(q)) };
});
console.log(JSON.stringify(answers));
"""


def run_node(text, frame, quantiles=(), as_dates=False):
    """One answer per row; times are given as dates, which have milliseconds, or as seconds."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    columns, times = {}, []
    for name in frame.columns:
        cells = frame[name]
        if cells.dtype.kind == "M":
            cells = (cells - pd.Timestamp(0)) / pd.Timedelta(seconds=1)
            times += [name] if as_dates else []
        columns[name] = [None if pd.isna(c) else c for c in cells.astype(object)]
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    given = {"model": json.loads(text), "rows": rows, "times": times, "quantiles": list(quantiles)}
    command = ["node", "-e", PROGRAM, str(scorer_path())]
    done = subprocess.run(
        command, input=json.dumps(given, default=str), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
