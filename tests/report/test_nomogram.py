"""The model in the page says what the model in Python says."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import bayfold
from bayfold.core.frames import read_table
from bayfold.core.frames.output import make_frame
from bayfold.datasets import make_credit
from bayfold.report import write
from bayfold.report.nomogram import describe_nomogram

SCRIPT = Path(bayfold.__file__).parent / "report" / "templates" / "nomogram.js"
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")


@pytest.fixture(scope="module")
def credit():
    table = make_credit(120, random_state=0)
    return table.frame, table.target


def test_cells_begin_in_the_middle(credit):
    frame, y = credit
    model = bayfold.NaiveBayesClassifier().fit(frame, y)
    found = describe_nomogram(model, read_table(frame), ["region"])
    assert [each["name"] for each in found["inputs"]][:2] == ["region", "income"]
    cells = {each["name"]: each for each in found["inputs"]}
    known = frame["income"].drop_null().to_numpy()
    assert cells["income"]["start"] == np.median(known)
    assert (cells["income"]["least"], cells["income"]["most"]) == (known.min(), known.max())
    assert set(cells["homeowner"]["values"]) == {"True", "False"}


def test_models_that_do_not_add_up_have_none(credit):
    frame, y = credit
    model = bayfold.AveragedOneDependenceClassifier().fit(frame, y)
    assert describe_nomogram(model, read_table(frame), []) is None


@needs_node
@pytest.mark.parametrize(
    "model",
    [
        bayfold.NaiveBayesClassifier(),
        bayfold.BoostedNaiveBayesClassifier(n_rounds=10, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_the_page_gives_the_probabilities_of_python(credit, tmp_path, model):
    frame, y = credit
    names = ['<b>"income"</b>', *frame.column_names[1:]]
    frame = frame.rename_columns(names)
    page = tmp_path / "r.html"
    write(model.fit(frame, y), frame, y, str(page), n_folds=2)
    scripts = re.findall(r"<script>(.*?)</script>", page.read_text(encoding="utf-8"), re.DOTALL)
    scorer = next(script for script in scripts if "function makeScorer" in script)
    data = next(re.match(r"const NOMOGRAM = (.*);\n", s) for s in scripts if "NOMOGRAM" in s)
    code = f"""{scorer}
        const nomogram = {data[1]};
        const score = (typeof makeScorer === "undefined" ? module.exports.makeScorer : makeScorer)(nomogram.model);
        const row = Object.fromEntries(nomogram.inputs.map((cell) => [cell.name, cell.start]));
        console.log(JSON.stringify([row, score(row).probabilities]));"""
    (tmp_path / "run.js").write_text(code)
    told = subprocess.run(["node", tmp_path / "run.js"], capture_output=True, text=True, check=True)
    row, probabilities = json.loads(told.stdout)
    row["homeowner"] = row["homeowner"] == "True"
    one = make_frame({name: [row[name]] for name in names}, "arrow")
    np.testing.assert_allclose(model.predict_proba(one)[0], probabilities, atol=1e-9)


@needs_node
def test_the_script_can_be_read(tmp_path):
    (tmp_path / "nomogram.js").write_text(SCRIPT.read_text())
    subprocess.run(["node", "--check", tmp_path / "nomogram.js"], check=True)
