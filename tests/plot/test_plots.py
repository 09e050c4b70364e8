"""Pictures show the numbers of the model: bars, curves, counts, missing cells, legends."""

from __future__ import annotations

import sys

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

from matplotlib import pyplot as plt
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from bayfold import (
    AdaBoostNaiveBayesClassifier,
    BoostedNaiveBayesClassifier,
    NaiveBayesClassifier,
    NaiveBayesTreeClassifier,
)
from bayfold.evaluate import expected_calibration_error
from bayfold.plot import plot_evidence, plot_reliability
from tests.laws.tables import draw_table
from tests.plain import with_bins

pytestmark = pytest.mark.filterwarnings("ignore::bayfold.errors.DataWarning")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def panels(ax):
    """The upper and the lower panel."""
    return ax.figure.axes[:2]


def heights(ax):
    return [bar.get_height() for bar in ax.patches]


@pytest.mark.parametrize("missing", ["ignore", "category"])
@pytest.mark.parametrize("column", ["u", "v", "w", 3])
def test_bars_are_the_weights_of_the_evidence(column, missing):
    X, y, _ = draw_table(0, n_rows=200)
    model = NaiveBayesClassifier(numeric="equal_frequency", n_bins=4, missing=missing).fit(X, y)
    upper, lower = panels(plot_evidence(model, column))
    name = column if isinstance(column, str) else X.columns[column]
    part = model.evidence_.where(column=name)
    assert sorted(heights(upper)) == pytest.approx(sorted(part["weight"]))
    assert sum(heights(lower)) == pytest.approx(len(y))
    assert lower.get_xlabel() == name
    assert [tick.get_text() for tick in lower.get_xticklabels()][-1] == "missing"
    # the missing cells stand last and apart
    assert upper.patches[-1].get_height() == pytest.approx(part["weight"][0])
    assert upper.patches[-1].get_x() > upper.patches[-2].get_x() + 1.2
    assert upper.patches[-1].get_hatch()


@pytest.mark.parametrize(
    "model",
    [
        BoostedNaiveBayesClassifier(n_rounds=5),
        AdaBoostNaiveBayesClassifier(method="real", n_rounds=5),
    ],
)
@pytest.mark.parametrize("column", ["u", "z"])
def test_tables_of_boosted_models_are_drawn_like_others(column, model):
    X, y, _ = draw_table(0, n_rows=200)
    model = clone(model).fit(X, y)
    upper, lower = panels(plot_evidence(model, column))
    part = model.evidence_.where(column=column)
    assert sorted(heights(upper)) == pytest.approx(sorted(part["weight"]))
    assert sum(heights(lower)) == pytest.approx(len(y))


@pytest.mark.parametrize("inches", [2.0, 6.0])
@pytest.mark.parametrize("n_categories", [2, 12, 30])
def test_every_category_has_its_name(n_categories, inches):
    names = [f"country {k:02d}" for k in range(n_categories)]
    table = np.array([names * 4], object).T
    model = NaiveBayesClassifier().fit(table, [0, 1, 1, 0] * n_categories)
    ax = plot_evidence(model, 0, ax=plt.subplots(figsize=(inches, 3))[1])
    labels = [tick.get_text() for tick in ax.figure.axes[-1].get_xticklabels()]
    assert sorted(labels) == names


def test_evidence_by_leaves_is_not_of_a_column():
    X, y, _ = draw_table(0, n_rows=60)
    with pytest.raises(TypeError, match=r"must have evidence per column.*Got NaiveBayesTree"):
        plot_evidence(NaiveBayesTreeClassifier().fit(X, y), "u")


def test_no_missing_cells_no_missing_bar():
    X, y, _ = draw_table(1, missing=0.0)
    model = NaiveBayesClassifier(numeric="equal_frequency", n_bins=4).fit(X, y)
    upper, lower = panels(plot_evidence(model, "u"))
    assert len(heights(upper)) == 4
    assert "missing" not in [tick.get_text() for tick in lower.get_xticklabels()]


@pytest.mark.parametrize("numeric", ["gaussian", "kernel", "smooth"])
def test_a_curve_is_drawn_as_one(numeric):
    X, y, _ = draw_table(2, n_rows=300)
    model = NaiveBayesClassifier(numeric=numeric).fit(X, y)
    upper, lower = panels(plot_evidence(model, "u"))
    numbers, weights = upper.lines[1].get_data()
    rows = X.iloc[:1].assign(v=np.nan, w=None, z=None)
    rows = rows.loc[rows.index.repeat(len(numbers))].assign(u=numbers)
    prior = model.decision_function(rows.assign(u=np.nan))
    np.testing.assert_allclose(model.decision_function(rows) - prior, weights, atol=1e-9)
    shown = sum(heights(lower))
    assert 0.97 * len(y) <= shown <= len(y)


@pytest.mark.parametrize(("n_classes", "n_lines"), [(3, 3), (5, 5)])
def test_a_line_for_each_of_a_few_classes(n_classes, n_lines):
    X, y, _ = draw_table(3, n_rows=200, n_classes=n_classes)
    for numeric in ("equal_frequency", "gaussian"):
        upper, _ = panels(plot_evidence(NaiveBayesClassifier(numeric=numeric).fit(X, y), "u"))
        assert len(upper.get_legend().get_texts()) == n_lines


@pytest.mark.parametrize("numeric", ["equal_frequency", "gaussian", "auto"])
def test_a_map_for_many_classes(numeric):
    X, y, _ = draw_table(4, n_rows=300, n_classes=9)
    model = NaiveBayesClassifier(**with_bins(numeric, 5)).fit(X, y)
    upper, _ = panels(plot_evidence(model, "u"))
    weights = model.evidence_.where(column="u")["weight"].reshape(-1, 9)
    np.testing.assert_allclose(upper.collections[0].get_array(), weights[1:].T)
    assert [tick.get_text() for tick in upper.get_yticklabels()] == [str(k) for k in range(9)]


def test_rare_categories_are_left_out_and_said_so():
    rng = np.random.default_rng(5)
    X = np.array([f"c{k}" for k in rng.integers(0, 50, 400)], object).reshape(-1, 1)
    model = NaiveBayesClassifier().fit(X, rng.integers(0, 2, 400))
    upper, lower = panels(plot_evidence(model, 0, max_bins=10))
    assert len(heights(upper)) == 10
    assert lower.get_xlabel() == "x0 (40 rarer values not shown)"
    assert heights(upper) == sorted(heights(upper))


def test_given_axes_are_used_wherever_they_are():
    X, y, _ = draw_table(6)
    model = NaiveBayesClassifier().fit(X, y)
    figure, axes = plt.subplots(1, 2)
    assert plot_evidence(model, "u", ax=axes[0]) is axes[0]
    assert plot_reliability(model, X, y, ax=axes[1]) is axes[1]
    by_hand = figure.add_axes([0.1, 0.1, 0.2, 0.2])
    assert plot_evidence(model, "u", ax=by_hand) is by_hand
    figure.canvas.draw()


def test_only_evidence_can_be_plotted():
    X, y, _ = draw_table(7)
    with pytest.raises(TypeError, match=r"evidence per column.*Got NaiveBayesTreeClassifier"):
        plot_evidence(NaiveBayesTreeClassifier().fit(X, y), "u")
    with pytest.raises(NotFittedError):
        plot_evidence(NaiveBayesClassifier(), "u")
    with pytest.raises(ValueError, match=r"`column` must be given by columns of the table \('u'"):
        plot_evidence(NaiveBayesClassifier().fit(X, y), "absent")


@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_legend_tells_the_error_before_and_after(n_classes):
    X, y, _ = draw_table(8, n_rows=400, n_classes=n_classes)
    models = {
        "before": NaiveBayesClassifier(calibration=None).fit(X, y),
        "after": NaiveBayesClassifier(calibration="temperature").fit(X, y),
    }
    upper, lower = panels(plot_reliability(models, X, y, n_bins=8))
    texts = [text.get_text() for text in upper.get_legend().get_texts()]
    for text, (name, model) in zip(texts, models.items(), strict=True):
        p = model.predict_proba(X)
        p = p[:, 1] if n_classes == 2 else p
        error = expected_calibration_error(y, p, 8)
        assert text == f"{name}: error {error:.3f}"
    what = "1" if n_classes == 2 else "the predicted class"
    assert lower.get_xlabel() == f"predicted probability of {what}"
    first = lower.patches[0].get_data()
    assert first.values.sum() == len(y)


def test_probabilities_alone_will_do():
    X, y, _ = draw_table(9, n_rows=100)
    model = NaiveBayesClassifier().fit(X, y)
    p = model.predict_proba(X)
    lines = [
        plot_reliability(each, X, y).lines[1].get_xydata() for each in (model, p, p[:, 1], {"a": p})
    ]
    for line in lines[1:]:
        np.testing.assert_array_equal(line, lines[0])


def test_what_cannot_be_plotted_is_refused():
    X, y, _ = draw_table(10)
    model = NaiveBayesClassifier().fit(X, y)
    with pytest.raises(ValueError, match="`y` must be given"):
        plot_reliability(model, X)
    with pytest.raises(ValueError, match="`X` must be given"):
        plot_reliability(model, y=y)
    with pytest.raises(TypeError, match=r"a fitted classifier.*Got str"):
        plot_reliability("model", X, y)
    with pytest.raises(TypeError, match=r"a fitted classifier.*Got float"):
        plot_reliability(0.5, X, y)


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch):
    X, y, _ = draw_table(11)
    model = NaiveBayesClassifier().fit(X, y)
    for name in [name for name in sys.modules if name.startswith("matplotlib")]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r'pip install "bayfold\[plot\]"'):
        plot_evidence(model, "u")
    with pytest.raises(ImportError, match=r'pip install "bayfold\[plot\]"'):
        plot_reliability(model, X, y)


def test_importing_the_layer_does_not_import_matplotlib():
    import subprocess

    code = "import sys, bayfold.plot; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
