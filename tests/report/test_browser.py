"""Reports in a browser: the nomogram says what Python says, nothing fails, and names are never run."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest

import bayfold
from bayfold.core.frames.output import make_frame
from bayfold.datasets import make_credit
from bayfold.report import write
from tests.report.browser import open_browser

SETTINGS = 200
BAD = """</script><script>window.hacked = 1</script><img src=x onerror="window.hacked=1">&'"😀 {{ 7 * 7 }}"""

SET_CELLS = """
const [row, cells] = [arguments[0], document.querySelectorAll("#cells .cell")];
cells.forEach((cell, k) => {
  const menu = cell.querySelector("select"), box = cell.querySelector("input.amount"), value = row[k];
  if (menu) menu.value = String(value === null ? -1 : [...menu.options].findIndex((o) => o.title === value) - 1);
  else box.value = value === null ? "" : String(value);
});
document.querySelector("#cells").dispatchEvent(new Event("input", { bubbles: true }));
return [...document.querySelectorAll("#answer [data-value]")].map((each) => Number(each.dataset.value));
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with open_browser(tmp_path_factory.mktemp("profile")) as found:
        yield found


def credit_rows(n_rows, seed):
    """A table of numbers, categories with odd names, flags and gaps."""
    credit = make_credit(n_rows, random_state=seed)
    frame = credit.frame
    employment = [None if e is None else f"{e} {BAD}" for e in frame["employment"].to_pylist()]
    frame = frame.set_column(frame.column_names.index("employment"), "employment", [employment])
    names = [BAD if name == "purpose" else name for name in frame.column_names]
    return frame.rename_columns(names), credit.target


def open_page(browser, path):
    browser.get(path.as_uri())
    assert browser.get_log("browser") == []
    assert browser.execute_script("return window.hacked") is None
    return browser.execute_script(
        "return [...document.querySelectorAll('#cells label')].map((each) => each.textContent)"
    )


def draw_rows(rng, frame, labels):
    """Cells at random, one in ten missing; numbers also beyond those of the table."""
    rows = []
    for _ in range(SETTINGS):
        row = []
        for name in labels:
            known = frame[name].drop_null().to_numpy(zero_copy_only=False)
            if rng.random() < 0.1:
                row.append(None)
            elif known.dtype.kind == "f":
                row.append(float(known.min() + np.ptp(known) * rng.uniform(-0.1, 1.1)))
            else:
                row.append(str(rng.choice(known)))
        rows.append(row)
    return rows


def as_table(rows, labels, frame):
    """The rows as Python gets them: flags as flags, columns that the page does not ask for missing."""
    read = {"True": True, "False": False}
    columns = {name: [None] * len(rows) for name in frame.column_names}
    for j, name in enumerate(labels):
        columns[name] = [read.get(row[j], row[j]) for row in rows]
    return make_frame(columns, "arrow").cast(frame.schema)


def several_classes(frame, y):
    return np.where(np.array(frame["homeowner"].to_pylist()) == True, "owner", y)  # noqa: E712


def numbers(frame, y):
    return np.nan_to_num(frame["age"].to_numpy(), nan=40) + (y == "paid")


def dates(frame, y):
    days = {"paid": datetime.date(2024, 2, 29), "default": datetime.date(2024, 5, 1)}
    return np.array([days.get(label, datetime.date(2025, 1, 1)) for label in y], object)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("model", "find_target"),
    [
        (bayfold.NaiveBayesClassifier(), lambda frame, y: y),
        (bayfold.BoostedNaiveBayesClassifier(n_rounds=20), lambda frame, y: y),
        (bayfold.NaiveBayesClassifier(numeric="kernel"), several_classes),
        (bayfold.NaiveBayesRegressor(), numbers),
        (bayfold.BoostedNaiveBayesRegressor(n_rounds=20), numbers),
        (
            bayfold.BoostedNaiveBayesRegressor(n_rounds=20, statistic="median"),
            lambda frame, y: numbers(frame, y) // 10,
        ),
        (bayfold.NaiveBayesClassifier(), dates),
    ],
    ids=["two classes", "pairs", "three classes", "numbers", "boosted", "few numbers", "dates"],
)
def test_the_page_says_what_python_says(browser, tmp_path, model, find_target):
    frame, y = credit_rows(400, seed=0)
    page = tmp_path / "report.html"
    y = find_target(frame, y)
    write(model.fit(frame, y), frame, y, str(page), target=BAD, source=BAD, n_folds=2)
    labels = open_page(browser, page)
    rows = draw_rows(np.random.default_rng(0), frame, labels)
    told = np.array([browser.execute_script(SET_CELLS, row) for row in rows])
    table = as_table(rows, labels, frame)
    if hasattr(model, "predict_proba"):
        np.testing.assert_allclose(told, model.predict_proba(table), rtol=0, atol=1e-6)
    else:
        np.testing.assert_allclose(told[:, 0], model.predict(table), rtol=1e-6)
    assert browser.get_log("browser") == []
    assert BAD in browser.execute_script("return document.body.textContent")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("zone", ["America/New_York", "+05:30", None])
def test_times_are_entered_in_the_zone_of_the_column(browser, tmp_path, zone):
    times = pd.date_range("2024-03-01", periods=400, freq="5h", tz=zone)
    X = pd.DataFrame({"when": times, "size": np.arange(400.0) % 7})
    y = np.where(np.arange(400) % 90 < 40, "a", "b")
    model = bayfold.NaiveBayesClassifier(calibration=None).fit(X, y)
    page = tmp_path / "report.html"
    write(model, X, y, str(page), n_folds=2)
    labels = open_page(browser, page)
    assert sorted(labels) == ["size", f"when ({zone})" if zone else "when"]
    order = sorted(
        ["size", "when"], key=lambda name: [label[:4] for label in labels].index(name[:4])
    )
    for k in range(0, 400, 20):
        cells = {"size": float(X["size"][k]), "when": times[k].strftime("%Y-%m-%dT%H:%M:%S")}
        told = browser.execute_script(SET_CELLS, [cells[name] for name in order])
        np.testing.assert_allclose(told, model.predict_proba(X[k : k + 1])[0], rtol=0, atol=1e-6)
    assert browser.get_log("browser") == []


@pytest.mark.filterwarnings("ignore")
def test_every_cell_can_be_reached_and_has_a_name(browser, tmp_path):
    frame, y = credit_rows(200, seed=1)
    page = tmp_path / "report.html"
    write(bayfold.NaiveBayesClassifier().fit(frame, y), frame, y, str(page), n_folds=2)
    labels = open_page(browser, page)
    assert set(labels) == set(frame.column_names)
    unnamed = browser.execute_script(
        """return [...document.querySelectorAll("select, input, svg[role=img]")]
        .filter((each) => !each.labels?.length && !each.getAttribute("aria-label")).length"""
    )
    assert unnamed == 0
    assert (
        browser.execute_script("return document.querySelectorAll('[tabindex=\"-1\"]').length") == 0
    )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("width", [360, 800, 1400])
def test_no_page_is_wider_than_the_window(browser, tmp_path, width):
    frame, y = credit_rows(200, seed=1)
    long = frame.append_column("word" * 40, [["x" * 300] * 100 + ["y" * 300] * 100])
    page = tmp_path / "report.html"
    write(bayfold.NaiveBayesClassifier().fit(long, y), long, y, str(page), n_folds=2)
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    open_page(browser, page)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width


CHOOSE = """
const [id, value] = arguments, box = document.getElementById(id);
if (box.type === "checkbox") box.checked = value; else box.value = value;
for (const kind of ["input", "change"]) box.dispatchEvent(new Event(kind, { bubbles: true }));
return [...document.querySelectorAll("#answer [data-value]")].map((each) => Number(each.dataset.value));
"""

WEIGHTS = """
return [...document.querySelectorAll("#cells .cell")]
  .sort((a, b) => Number(a.style.order) - Number(b.style.order))
  .map((cell) => [cell.querySelector("label"), cell.querySelector(".weight")].map((each) => each.textContent))
  .map(([name, weight]) => [name, Number(weight.replace("\\u2212", "-"))]);
"""


@pytest.mark.filterwarnings("ignore")
def test_rows_of_the_table_and_pasted_ones_are_explained(browser, tmp_path):
    frame, y = credit_rows(300, seed=2)
    target = several_classes(frame, y)
    page = tmp_path / "report.html"
    model = bayfold.NaiveBayesClassifier().fit(frame, target)
    write(model, frame, target, str(page), n_folds=2)
    open_page(browser, page)
    found = browser.execute_script(
        "return [...document.getElementById('row-choice').options].map((each) => [each.value, each.textContent])"
    )
    expected = model.predict_proba(frame)
    for value, text in found[1::6]:
        k = int(text.removeprefix("row ").replace(",", "")) - 1
        shown = browser.execute_script(CHOOSE, "row-choice", value)
        np.testing.assert_allclose(shown, expected[k], rtol=0, atol=1e-6)
        cells = ["" if c is None else str(c) for c in frame.slice(k, 1).to_pylist()[0].values()]
        browser.execute_script(CHOOSE, "row-choice", "-1")
        shown = browser.execute_script(CHOOSE, "row-text", "\t".join(cells))
        np.testing.assert_allclose(shown, expected[k], rtol=0, atol=1e-6)
    browser.execute_script(CHOOSE, "by-size", True)
    for place, label in enumerate(model.classes_):
        browser.execute_script(CHOOSE, "class-choice", str(place))
        sizes = [abs(weight) for _, weight in browser.execute_script(WEIGHTS)]
        assert sizes == sorted(sizes, reverse=True)
        records = model.explain(frame.slice(k, 1))
        records = records[records["class"] == label].to_dict()
        weights = dict(zip(records["column"], records["weight"], strict=True))
        for name, weight in browser.execute_script(WEIGHTS):
            assert weight == pytest.approx(weights[name], abs=0.006)
    browser.execute_script(CHOOSE, "row-text", "1,2")
    said = browser.execute_script("return document.getElementById('row-note').textContent")
    assert said.startswith(f"A row has {len(frame.column_names)} cells")
    assert browser.get_log("browser") == []
