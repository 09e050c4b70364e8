"""Files of every protocol there has been are read, with the answers they had. These files stay forever."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import bayfold
from bayfold.persist import archive, files
from bayfold.persist.kinds import known_parts
from tests.persist.models import fitted, saved
from tests.persist.mutations import document_of
from tests.persist.protocol import FOLDERS, MODELS, answer, rows

FILES = sorted(FOLDERS.glob("protocol_*/*.bayfold"))


def name_of(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def test_there_are_files_of_every_protocol():
    folders = {path.parent.name for path in FILES}
    assert folders == {f"protocol_{k}" for k in range(1, archive.PROTOCOL + 1)}
    assert {path.stem for path in FILES if path.parent.name == "protocol_1"} == set(MODELS)


def alike(found, known):
    """Equal, numbers to the last digits: exponentials of another machine may round otherwise."""
    if isinstance(known, list):
        return len(found) == len(known) and all(map(alike, found, known))
    if isinstance(known, float) and math.isnan(known):
        return math.isnan(found)
    return found == pytest.approx(known, rel=1e-12) if isinstance(known, float) else found == known


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_files_of_every_protocol_answer_as_they_did(path):
    known = json.loads((path.parent / "answers.json").read_text())[path.stem]
    assert alike(answer(bayfold.load(path)), known)


@pytest.mark.parametrize(
    "path",
    [path for path in FILES if path.stem in ("naive_bayes", "pairs", "regression")],
    ids=name_of,
)
def test_models_of_every_protocol_go_on(path):
    model = bayfold.load(path)
    n_rows = model.statistics_.counts.n_rows
    X, y, target = rows()
    model.partial_fit(X, target if path.stem == "regression" else y)
    assert model.statistics_.counts.n_rows == n_rows + len(X)
    assert (model + bayfold.load(path)).statistics_.counts.n_rows == 2 * n_rows + len(X)


def test_parts_change_only_with_the_protocol():
    """Else other versions take files for damaged. docs/model_files.md says what to do (until 0.2.0 is out: --again)."""
    known = json.loads((FOLDERS / f"protocol_{archive.PROTOCOL}" / "parts.json").read_text())
    now = known_parts()
    changed = {name for name in known if now.get(name) != known[name]}
    assert changed == set()


def test_a_document_is_upgraded_step_by_step(monkeypatch):
    """As it will be: this protocol made the oldest of three."""
    for module in (archive, files):
        monkeypatch.setattr(module, "PROTOCOL", 3)

    def first(document):
        return document | {"steps": ["first"]}

    def second(document):
        return document | {"steps": [*document["steps"], "second"]}

    monkeypatch.setattr(files, "UPGRADES", {1: first, 2: second})
    document = document_of(saved(fitted("two classes")))
    assert files.upgrade(document, 1)["steps"] == ["first", "second"]
    assert files.upgrade(document, 3) == document
