"""Reports: data first, then one page that needs no network and takes names for text."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import bayfold
from bayfold.datasets import make_credit
from bayfold.report import gather, write

VOID = {"meta", "input", "br", "hr", "link", "img"}


class Checker(HTMLParser):
    """Every element is closed in turn; keeps the text."""

    def __init__(self):
        super().__init__()
        self.open, self.text = [], []

    def handle_starttag(self, tag, attrs):
        assert not any(name.startswith("on") for name, _ in attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_data(self, data):
        self.text.append(data)


def read_page(path):
    page = path.read_text(encoding="utf-8")
    checker = Checker()
    checker.feed(page)
    assert checker.open == []
    assert not re.search(r"(?:src|href)=|https?://|@import|url\(", page)
    return page, "".join(checker.text)


@pytest.fixture(scope="module")
def credit():
    table = make_credit(160, random_state=0)
    frame = table.frame.append_column("empty", [[None] * 160]).append_column("one", [["x"] * 160])
    return frame, table.target


def test_a_report_of_classes(credit, tmp_path):
    frame, y = credit
    model = bayfold.NaiveBayesClassifier().fit(frame, y)
    path = tmp_path / "r.html"
    write(model, frame, y, str(path), target="outcome", source="credit.csv", n_folds=2)
    page, text = read_page(path)
    for name in [*frame.column_names, "outcome", "credit.csv", "(share of the classes)"]:
        assert name in text
    assert '<div class="warnings">' in page
    assert "probability of paid" in text
    assert page.count("<svg") > 8


def test_what_is_gathered_is_plain_and_true(credit):
    frame, y = credit
    model = bayfold.NaiveBayesClassifier().fit(frame, y)
    found = gather(model, frame, y, target="outcome", n_folds=2)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    columns = {column["name"]: column for column in found["data"]["columns"]}
    assert columns["income"]["missing"] == frame["income"].null_count
    assert columns["empty"]["missing"] == 160
    assert [c["count"] for c in found["target"]["classes"]] == np.unique(y, return_counts=True)[
        1
    ].tolist()
    assert np.sum(found["quality"]["confusion"]["counts"]) == 160
    assert sum(found["quality"]["reliability"]["count"]) == 160
    wrong = 160 - np.trace(found["quality"]["confusion"]["counts"])
    assert found["quality"]["scores"][0]["error"] == pytest.approx(wrong / 160, abs=0.01)
    weights = {
        (column["name"], bin["bin"]): bin["weights"][0]
        for column in found["evidence"]["columns"]
        for bin in column["bins"]
    }
    evidence = model.evidence_.to_dict()
    for column, label, total, weight in zip(
        *(evidence[name] for name in ("column", "bin", "total", "weight")), strict=True
    ):
        if total:
            assert weights[column, label] == weight


def test_a_report_of_numbers(credit, tmp_path):
    frame, _ = credit
    y = np.nan_to_num(frame["income"].to_numpy(), nan=1e4)
    model = bayfold.NaiveBayesRegressor().fit(frame.drop_columns(["income"]), y)
    write(model, frame.drop_columns(["income"]), y, str(tmp_path / "r.html"), n_folds=2)
    _, text = read_page(tmp_path / "r.html")
    assert "(mean of the target)" in text
    assert "How far each column moves a prediction" in text


@pytest.mark.parametrize(
    "model",
    [
        bayfold.BoostedNaiveBayesClassifier(n_rounds=20, random_state=0),
        bayfold.AveragedOneDependenceClassifier(),
        bayfold.NaiveBayesTreeClassifier(),
        bayfold.AdaBoostNaiveBayesClassifier(n_rounds=2, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_every_kind_of_model_has_a_report(credit, tmp_path, model):
    frame, y = credit
    small = frame.select(["age", "employment"])
    labels = np.where(small["employment"].to_numpy() == "permanent", "p", y)
    write(model.fit(small, labels), small, labels, str(tmp_path / "r.html"), n_folds=2)
    read_page(tmp_path / "r.html")


def test_names_are_text(tmp_path):
    bad = '</script><script>alert("1")</script>&\'😀'
    X = bayfold.core.frames.output.make_frame({bad: [bad, "b"] * 10, "n": list(range(20))}, "arrow")
    y = np.array([bad, "fine"] * 10, object)
    model = bayfold.NaiveBayesClassifier().fit(X, y)
    write(model, X, y, str(tmp_path / "r.html"), target=bad, source=bad, n_folds=2)
    page, text = read_page(tmp_path / "r.html")
    assert bad in text
    assert "<script>alert" not in page


def test_too_few_rows_still_have_a_report(tmp_path):
    model = bayfold.NaiveBayesClassifier().fit([[1.0], [2.0]], ["a", "b"])
    write(model, [[1.0], [2.0]], ["a", "b"], str(tmp_path / "r.html"))
    assert "too few rows to hold some out" in read_page(tmp_path / "r.html")[1]
