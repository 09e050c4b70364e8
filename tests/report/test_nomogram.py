"""The model in the page says what the model in Python says."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import bayfold
from bayfold.core.frames import read_table
from bayfold.core.frames.output import make_frame
from bayfold.datasets import make_credit
from bayfold.report.nomogram import describe_nomogram
from bayfold.report.packing import keep_columns, pack_table

SCRIPTS = Path(bayfold.__file__).parent / "report" / "templates"
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
@pytest.mark.filterwarnings("ignore")
def test_packed_models_say_what_python_says(credit, tmp_path, model):
    frame, y = credit
    found = describe_nomogram(model.fit(frame, y), read_table(frame), [])
    code = f"""{found["scorer"]}
        {(SCRIPTS / "unpack.js").read_text()}
        const nomogram = {json.dumps(found)};
        const row = Object.fromEntries(nomogram.inputs.map((cell) => [cell.name, cell.start]));
        const score = module.exports.makeScorer(unpackModel(nomogram.model));
        console.log(JSON.stringify([row, score(row).probabilities]));"""
    (tmp_path / "run.js").write_text(code)
    told = subprocess.run(["node", tmp_path / "run.js"], capture_output=True, text=True, check=True)
    row, probabilities = json.loads(told.stdout)
    row["homeowner"] = row["homeowner"] == "True"
    one = make_frame({name: [row[name]] for name in frame.column_names}, "arrow")
    np.testing.assert_allclose(model.predict_proba(one)[0], probabilities, atol=1e-7)


def test_columns_that_are_left_out_count_as_missing(credit):
    frame, y = credit
    model = bayfold.NaiveBayesClassifier(missing="category").fit(frame, y)
    plain = json.loads(model.to_json())
    short = keep_columns(plain, ["age"])
    assert len(short["columns"][0]["table"]) == 2
    assert short["columns"][0]["table"][0] == plain["columns"][0]["table"][0]
    assert short["columns"][1] == plain["columns"][1]


@pytest.mark.parametrize("largest", [0.0, 1e-300, 20.0])
def test_packed_tables_are_those_before(largest):
    table = (np.random.default_rng(0).uniform(-1, 1, (7, 3)) * largest).tolist()
    packed = pack_table(table)
    numbers = np.frombuffer(base64.b64decode(packed["packed"]), "<i4").reshape(packed["shape"])
    np.testing.assert_allclose(numbers * packed["unit"], table, rtol=0, atol=largest * 2.5e-10)


def test_impossible_values_are_kept_as_words():
    assert pack_table([[1.0, "-Infinity"]]) == [[1.0, "-Infinity"]]
