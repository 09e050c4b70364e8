"""Reports: data first, then one page that needs no network and takes names for text."""

from __future__ import annotations

import json
import re
from datetime import date
from html.parser import HTMLParser

import numpy as np
import pytest

import bayfold
from bayfold.datasets import make_credit
from bayfold.evaluate import cross_validate
from bayfold.report import gather, write
from bayfold.report.columns import show_weight
from bayfold.report.evidence import gather_evidence
from tests.laws.texts import draw_tickets

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
    assert not re.search(r"src=|href=\"[^#]|https?://|@import|url\(", page)
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
    assert '<div class="warnings"' in page
    assert "probability of paid" in text
    assert page.count("<svg") > 8


def test_a_page_shows_itself_in_a_notebook_without_a_file(credit):
    table, y = credit
    page = write(bayfold.NaiveBayesClassifier().fit(table, y), table, y, n_folds=2)
    frame = page._repr_html_()
    assert page.html.lower().startswith("<!doctype html>")
    assert repr(page) == f"Page({len(page.html):,} characters)"
    assert frame.count("<") == 2  # the frame itself: the page within is escaped


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
        if total and column not in found["evidence"]["silent"]:
            assert weights[column, label] == weight
        elif total:
            assert weight == 0
    assert "empty" in found["evidence"]["silent"]


def test_a_report_of_numbers(credit, tmp_path):
    frame, _ = credit
    y = np.nan_to_num(frame["income"].to_numpy(), nan=1e4)
    model = bayfold.NaiveBayesRegressor().fit(frame.drop_columns(["income"]), y)
    write(model, frame.drop_columns(["income"]), y, str(tmp_path / "r.html"), n_folds=2)
    _, text = read_page(tmp_path / "r.html")
    assert "(mean of the target)" in text
    assert "how far a value alone moves the prediction" in text


@pytest.mark.parametrize(
    "model",
    [
        bayfold.NaiveBayesRegressor(),
        bayfold.MTERegressor(),
        bayfold.BoostedNaiveBayesRegressor(n_rounds=10),
    ],
    ids=lambda model: type(model).__name__,
)
def test_the_evidence_tables_of_regressors_are_shown(credit, model):
    frame, y = credit
    frame = frame.select(["income", "employment", "debt_ratio"])
    model.fit(frame, (y == "paid") + np.nan_to_num(frame["debt_ratio"].to_numpy()))
    found = gather_evidence(model, frame, frame.column_names)
    assert (found["kind"], found["measure"]) == ("tables", "shift")
    shown = {(c["name"], b["bin"]): b["weights"] for c in found["columns"] for b in c["bins"]}
    for record in model.evidence_.where(column="employment"):
        if ("employment", record["bin"]) in shown:
            assert shown["employment", record["bin"]] == [record["shift"]]
    assert "employment" in {column for column, _ in shown} | set(found["silent"])


def test_weights_of_words_stand_with_the_class_they_speak_for():
    """Each class lists its own strongest words: a word may have a weight for the first and the third class alone."""
    frame, teams = draw_tickets()
    model = bayfold.NaiveBayesClassifier().fit(frame, teams)
    found = gather_evidence(model, frame, frame.column_names)
    (words,) = (column for column in found["columns"] if column["name"] == "body")
    listed = model.evidence_.where(column="body")
    for each in words["bins"]:
        own = listed[listed["bin"] == each["bin"]]
        expected = dict(zip(own["class"].tolist(), own["weight"].tolist(), strict=True))
        assert each["weights"] == [expected.get(label) for label in found["classes"]]
    assert any(None in each["weights"] for each in words["bins"])


def test_whole_numbers_are_named_by_them_for_any_number_of_classes(tmp_path):
    n = np.arange(240) % 5
    X = np.column_stack([n, np.arange(240) // 5 % 2]).astype(float)
    y = np.array(["a", "b", "c"])[np.minimum(n // 2 + (X[:, 1] > 0), 2)]
    model = bayfold.BoostedNaiveBayesClassifier(n_rounds=5).fit(X, y)
    evidence = gather_evidence(model, X, model.schema_.names)
    names = " ".join(each["bin"] for column in evidence["columns"] for each in column["bins"])
    assert "." not in names


@pytest.mark.parametrize(("value", "most"), [(0.0, 1.0), (-1e-5, 1.0), (1e-5, 3e5), (-0.0, 1e12)])
def test_next_to_nothing_has_no_sign(value, most):
    assert float(show_weight(value, True, most)) == 0
    assert not show_weight(value, True, most).startswith(("+", "-"))


@pytest.mark.parametrize(
    "model",
    [
        bayfold.BoostedNaiveBayesClassifier(n_rounds=20, random_state=0),
        bayfold.AveragedOneDependenceClassifier(),
        bayfold.NaiveBayesTreeClassifier(),
        bayfold.AdaBoostNaiveBayesClassifier(n_rounds=2, random_state=0),
        bayfold.ViaRegressionClassifier(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_every_kind_of_model_has_a_report(credit, tmp_path, model):
    frame, y = credit
    small = frame.select(["age", "employment"])
    labels = np.where(small["employment"].to_numpy() == "permanent", "p", y)
    write(model.fit(small, labels), small, labels, str(tmp_path / "r.html"), n_folds=2)
    read_page(tmp_path / "r.html")


def test_a_model_that_cannot_be_tried_on_the_page_says_so(credit, tmp_path):
    X, _ = credit
    model = bayfold.MTERegressor()
    rows, income = X.drop_columns(["income"])[:200], X["income"].fill_null(3e4).to_numpy()[:200]
    write(model.fit(rows, income), rows, income, tmp_path / "page.html", n_folds=2)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "no form to try the model with" in page
    assert "Try it" not in page


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


def test_measures_of_a_model_that_is_always_right_are_the_best_there_are(tmp_path):
    X = np.repeat([[0.0], [1.0]], [150, 50], axis=0)
    y = np.repeat(["no", "yes"], [150, 50])
    model = bayfold.NaiveBayesClassifier().fit(X, y)
    scores = gather(model, X, y, n_folds=2)["quality"]["scores"]
    ours = {name: round(scores[0][name], 2) for name in ("error", "brier", "auc", "f1", "lift")}
    assert ours == {"error": 0, "brier": 0, "auc": 1, "f1": 1, "lift": 4}
    assert (scores[1]["auc"], scores[1]["lift"]) == (0.5, pytest.approx(1))
    write(model, X, y, tmp_path / "r.html", n_folds=2)
    assert "4.00" in read_page(tmp_path / "r.html")[1]


def test_cost_curves_are_the_mean_costs_of_held_out_rows(credit, tmp_path):
    frame, y = credit
    model = bayfold.NaiveBayesClassifier().fit(frame, y)
    weight = np.arange(160) % 3 + 1.0
    result = cross_validate({"m": model}, frame, y, n_repeats=1, n_folds=2, sample_weight=weight)
    p = np.abs(1 - result.predicted[0, 0] - result.confidence[0, 0])
    is_paid = y == "paid"
    costs = gather(model, frame, y, sample_weight=weight, n_folds=2)["quality"]["costs"]
    assert [each["false_second"] / each["false_first"] for each in costs["curves"]] == [10, 1, 0.1]
    for each in costs["curves"]:

        def find_cost(is_decided, each=each):
            wrong = np.where(is_paid, each["false_first"], each["false_second"])
            return np.average(wrong * (is_paid != is_decided), weights=weight)

        for threshold, cost in list(zip(each["threshold"], each["cost"], strict=True))[:-1]:
            assert cost == pytest.approx(find_cost(p >= threshold))
        ends = [find_cost(np.ones(160, bool)), find_cost(np.zeros(160, bool))]
        assert [each["cost"][0], each["cost"][-1]] == pytest.approx(ends)
        assert each["alike_cost"] == pytest.approx(min(ends))
        assert each["best_cost"] == min(each["cost"])
        asked = each["false_second"] / (each["false_second"] + each["false_first"])
        assert each["expected"] == pytest.approx(asked)
        assert each["expected_cost"] == pytest.approx(find_cost(p > asked))
    call = costs["call"]
    assert set(eval(call, {"model": model, "X": frame})) == {"default", "paid"}
    write(model, frame, y, tmp_path / "r.html", sample_weight=weight, n_folds=2)
    page, text = read_page(tmp_path / "r.html")
    assert call in text
    assert page.count("<polyline") == 3


def test_a_model_worth_nothing_decides_alike_for_all_rows(tmp_path):
    X = np.zeros((60, 1))
    y = np.repeat([False, True], [40, 20])
    model = bayfold.NaiveBayesClassifier().fit(X, y)
    curves = gather(model, X, y, n_folds=2)["quality"]["costs"]["curves"]
    assert [each["best_is"] for each in curves] == ["never", "never", "always"]
    assert all(each["best_cost"] == each["alike_cost"] for each in curves)
    write(model, X, y, tmp_path / "r.html", n_folds=2)
    assert "never" in read_page(tmp_path / "r.html")[1]


def test_the_page_says_what_was_left_out_and_how_the_baseline_reads_texts(tmp_path):
    frame, teams = draw_tickets()
    model = bayfold.NaiveBayesClassifier().fit(frame, teams)
    gaps = np.array(teams, object)
    gaps[:7] = None
    write(model, frame, gaps, tmp_path / "r.html", target="team", n_folds=2)
    text = " ".join(read_page(tmp_path / "r.html")[1].split())
    assert "113 rows, without 7 whose team is not known" in text
    assert (
        "(logistic regression) reads no words: each whole text of body is a category to it" in text
    )
    assert "What decisions cost" not in text


def test_rows_that_surprise_are_those_of_least_probability(credit):
    frame, y = credit
    model = bayfold.NaiveBayesClassifier().fit(frame, y)
    wrong = y.copy()
    wrong[7] = "paid" if y[7] == "default" else "default"
    found = gather(model.fit(frame, wrong), frame, wrong, n_folds=5)["surprises"]
    chances = [row["chance"] for row in found]
    assert chances == sorted(chances)
    own = model.explain(frame.slice(found[0]["row"] - 1, 1)).where(
        column=found[0]["cells"][0]["name"]
    )
    assert found[0]["cells"][0]["size"] == own["weight"][0]
    assert found[0]["truth"] == wrong[found[0]["row"] - 1]


def test_rows_are_counted_in_the_users_table(credit):
    frame, y = credit
    model = bayfold.NaiveBayesClassifier().fit(frame, y)
    whole = gather(model, frame, y, n_folds=2)["surprises"]
    gaps = y.astype(object)
    gaps[:3] = None
    found = gather(model, frame, gaps, n_folds=2)
    assert (found["data"]["rows"], found["data"]["left_out"]) == (157, 3)
    for row in found["surprises"]:
        assert row["truth"] == y[row["row"] - 1]
        assert row["row"] > 3
    assert all(row["truth"] == y[row["row"] - 1] for row in whole)


def test_classes_may_be_dates(credit, tmp_path):
    frame, y = credit
    days = np.array([date(2020, 1, 1), date(2021, 1, 1)], object)[(y == "paid").astype(int)]
    model = bayfold.NaiveBayesClassifier().fit(frame, days)
    write(model, frame, days, str(tmp_path / "r.html"), n_folds=2)
    assert "2021-01-01" in read_page(tmp_path / "r.html")[1]


def test_a_report_of_clusters(credit, tmp_path):
    frame, _ = credit
    model = bayfold.NaiveBayesMixture(2, random_state=0).fit(frame)
    write(model, frame, None, str(tmp_path / "r.html"))
    _, text = read_page(tmp_path / "r.html")
    assert "Cluster 1" in text
    found = gather(model, frame)
    assert sum(cluster["share"] for cluster in found["clusters"]) == pytest.approx(1)
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_a_tree_is_shown_from_the_root(credit):
    frame, y = credit
    model = bayfold.NaiveBayesTreeClassifier(max_depth=2).fit(frame, y)
    nodes = gather(model, frame, y, n_folds=2)["tree"]["nodes"]
    assert nodes[0]["depth"] == 0
    assert nodes[0]["rows"] == 160
    leaves = [node["rows"] for node in nodes if node["is_leaf"]]
    assert sum(leaves) == pytest.approx(160)


def test_pairs_are_drawn_in_the_order_of_their_bins():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, (600, 2)).astype(float)
    y = ((X[:, 0] > 2) == (X[:, 1] > 2)) ^ (rng.random(600) < 0.1)
    model = bayfold.BoostedNaiveBayesClassifier(interactions=2).fit(X, y)
    found = gather_evidence(model, X, ["x0", "x1"])
    pairs = [column for column in found["columns"] if column["shape"] == "pair"]
    assert pairs
    for axis in pairs[0]["axes"]:
        numbers = [float(re.search(r"[0-9.]+", label)[0]) for label in axis if label != "(missing)"]
        assert numbers == sorted(numbers)


def test_mistakes_are_listed_for_any_number_of_classes():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 26, 1040)
    X = y[:, None] + rng.normal(0, 1, (1040, 2))
    model = bayfold.NaiveBayesClassifier().fit(X, y)
    quality = gather(model, X, y, n_folds=2)["quality"]
    confusion = quality["confusion"]
    assert np.sum(confusion["counts"]) == 1040
    assert not confusion["as_table"]
    assert quality["costs"] is None
    counts = [each["count"] for each in confusion["mistakes"]]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] == max(
        max(c for j, c in enumerate(line) if j != k) for k, line in enumerate(confusion["counts"])
    )


def test_long_tables_are_judged_on_a_sample(credit, monkeypatch):
    monkeypatch.setattr("bayfold.report.quality.JUDGED_ROWS", 100)
    monkeypatch.setattr("bayfold.report.columns.SKETCHED_ROWS", 50)
    frame, y = credit
    model = bayfold.NaiveBayesClassifier().fit(frame, y)
    found = gather(model, frame, y, n_folds=2)
    assert found["quality"]["rows"] == 100
    assert np.sum(found["quality"]["confusion"]["counts"]) == 100
    assert found["data"]["columns"][0]["missing"] == frame["income"].null_count
    assert found["data"]["columns"][0]["distinct"].startswith("≥")
    assert all(row["truth"] == y[row["row"] - 1] for row in found["surprises"])


def test_many_classes_and_columns_stay_small(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2000, 60)), rng.integers(0, 50, 2000)
    model = bayfold.NaiveBayesClassifier().fit(X, y)
    write(model, X, y, str(tmp_path / "r.html"), n_folds=2)
    assert (tmp_path / "r.html").stat().st_size < 5_000_000
