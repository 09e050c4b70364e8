"""Pictures of models, rows, pairs and distributions show the numbers behind them, and names that differ."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

mpl.use("Agg")

from matplotlib import pyplot as plt
from sklearn.datasets import load_diabetes

import bayfold
from bayfold import BoostedNaiveBayesRegressor, plot
from bayfold.plot.columns import ShownColumn, read_column
from bayfold.plot.evidence import bar_width, missing_place, missing_width
from bayfold.plot.sums import sum_up_classes, sum_up_number
from bayfold.plot.texts import cut_names
from tests.contracts.test_summary import fit
from tests.laws.texts import draw_tickets
from tests.persist.models import table, two

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def fit_two(**settings):
    from bayfold import NaiveBayesClassifier

    X, y, _ = table()
    return NaiveBayesClassifier(**settings).fit(X, two(y))


def texts(ax):
    return [text.get_text() for text in ax.texts]


# names


@pytest.mark.parametrize("width", [8, 12, 18])
def test_cut_names_fit_and_differ(width):
    names = ["short", "category of loans one", "category of loans two", "x" * 40 + "a", "x" * 40]
    names += [f"{'y' * 30}{k}{'z' * 30}" for k in range(30)]
    shown = cut_names(names, width)
    assert len(set(shown)) == len(names)
    assert max(map(len, shown)) <= width
    assert shown[0] == "short"


def test_equal_names_stay_equal():
    assert len(set(cut_names(["a long name of a thing"] * 2, 8))) == 1


# whole models


@pytest.mark.parametrize(
    "name", ["naive bayes", "pairs", "additive", "confidence", "regression", "boosted numbers"]
)
def test_a_model_has_a_panel_for_each_column(name):
    model = fit(name)
    figure = plot.plot_model(model)
    shown = [ax.get_title(loc="left").rsplit("  ", 1)[0] for ax in figure.axes if ax.get_visible()]
    order = np.argsort(-np.asarray(model.feature_importances_), kind="stable")
    assert shown == [model.schema_.names[j] for j in order]
    figure.canvas.draw()


def test_a_model_of_many_columns_is_cut():
    figure = plot.plot_model(fit("naive bayes"), max_columns=2, n_across=1)
    assert len(figure.axes) == 2
    assert "2 columns of less importance" in figure.get_supxlabel()


@pytest.mark.parametrize("name", ["tree", "via regression", "imputer"])
def test_models_without_evidence_by_column_are_refused(name):
    with pytest.raises(TypeError, match="must have"):
        plot.plot_model(fit(name))


# one row


@pytest.mark.parametrize("name", ["naive bayes", "pairs", "additive", "regression", "exponentials"])
def test_the_last_bar_ends_at_the_prediction(name):
    model, X = fit(name), table()[0][5:6]
    ax = plot.plot_explanation(model, X)
    end = ax.lines[-1].get_xdata()[0] if name in ("regression", "exponentials") else None
    lines = [line.get_xdata()[0] for line in ax.lines if line.get_linestyle() == "--"]
    if end is not None:
        assert lines[0] == pytest.approx(model.predict(X)[0])
    else:
        scores = model.decision_function(X)[0]
        assert lines[0] == pytest.approx(scores[list(model.classes_).index(model.predict(X)[0])])


def test_other_columns_are_one_bar():
    model, X = fit_two(), table()[0][5:6]
    ax = plot.plot_explanation(model, X, max_columns=2)
    labels = [tick.get_text() for tick in ax.get_yticklabels()]
    assert labels[0] == "prior"
    assert labels[-1] == "2 others"
    widths = [bar.get_width() for bar in ax.patches]
    assert sum(widths) == pytest.approx(model.decision_function(X)[0])


def test_a_class_can_be_chosen_and_rows_must_be_one():
    model, X = fit("naive bayes"), table()[0]
    ax = plot.plot_explanation(model, X[:1], label="perhaps")
    assert "perhaps" in ax.get_xlabel()
    with pytest.raises(ValueError, match="`label` must be a class that weights speak for"):
        plot.plot_explanation(model, X[:1], label="never")
    with pytest.raises(ValueError, match=r"`row` must be one row of a table\. Got 2"):
        plot.plot_explanation(model, X[:2])


# pairs, nomograms


def test_an_interaction_shows_the_table_of_the_pair():
    model = fit("additive")
    names = [name for name in dict.fromkeys(model.evidence_["column"]) if " x " in name]
    ax = plot.plot_interaction(model, names[0], label="yes")
    part = model.evidence_.where(column=names[0], **{"class": "yes"})
    shown = np.ma.getdata(ax.images[0].get_array()).ravel()
    np.testing.assert_allclose(shown, part["weight"])
    swapped = " x ".join(reversed(names[0].split(" x ")))
    assert plot.plot_interaction(model, swapped).get_title() == names[0]
    plot.plot_interaction(model)  # the strongest
    with pytest.raises(ValueError, match="`pair` must be one of the model's pairs"):
        plot.plot_interaction(model, "a x b")
    with pytest.raises(TypeError, match="tables of two columns"):
        plot.plot_interaction(fit("naive bayes"))


def test_an_interaction_of_a_regressor_is_in_the_unit_of_the_target():
    model = fit("boosted numbers")
    evidence = model.evidence_
    names = [name for name in dict.fromkeys(evidence["column"]) if " x " in name]
    for shown in (model, model.collapse()):
        ax = plot.plot_interaction(shown, names[0])
        found = np.ma.getdata(ax.images[0].get_array()).ravel()
        np.testing.assert_allclose(found, evidence.where(column=names[0])["shift"])
        assert ax.images[0].colorbar.ax.get_ylabel() == "shift of the prediction"
    with pytest.raises(ValueError, match=r"`label` must be None for a regressor"):
        plot.plot_interaction(model, label="yes")


def test_points_of_a_nomogram_stand_for_the_probability():
    """Points of all values of a row, found by their labels, put on the line of totals: the odds of the row."""
    from bayfold.plot import nomogram

    model, (X, _, _) = fit_two(numeric="equal_frequency", n_bins=4), table()
    evidence = model.evidence_
    lines = {}
    shown = [read_column(model, evidence, j, 30) for j in range(4)]
    scale = 100 / max(np.ptp(s.weight) for s in shown)
    by_name = {s.name: s for s in shown}
    for s in shown:
        lines[s.name] = nomogram._make_line(s, scale)
    known = X.dropna()[:5]
    explained = model.explain(known)
    start = sum_up_classes(model, None, None).start
    for row in range(5):
        total, lowest = 0.0, start + sum(line.low for line in lines.values())
        for record in explained.where(row=row)[1:]:
            line, s = lines[record["column"]], by_name[record["column"]]
            own = evidence.where(column=s.name)["bin"].tolist()[1:]
            places = s.labels if s.is_nominal else own  # whole numbers are named by themselves
            total += line.points[places.index(record["bin"])]
        assert lowest + total / scale == pytest.approx(model.decision_function(known)[row])


@pytest.mark.parametrize("numeric", ["auto", "gaussian", "mdl"])
def test_nomograms_of_all_densities_are_drawn(numeric):
    ax = plot.plot_nomogram(fit_two(numeric=numeric))
    assert "probability of yes" in texts(ax)[-1]
    ax.figure.canvas.draw()


@pytest.mark.parametrize("name", ["naive bayes", "additive"])
def test_points_tell_two_of_several_classes_apart(name):
    """The weights that points are made of, the start, and the pairs: the odds of the two classes."""
    model, (X, _, _) = fit(name), table()
    known = X.dropna()[:3]
    reading = sum_up_classes(model, "no", "yes")
    first, second = (model.classes_.tolist().index(label) for label in ("no", "yes"))
    shown, start = reading.columns, reading.start
    explained = model.explain(known)
    odds = np.log(model.predict_proba(known))
    for row in range(3):
        part = explained.where(row=row)
        weight = {c: part.where(**{"class": c})["weight"] for c in model.classes_.tolist()}
        away = weight["no"] - weight["yes"]
        columns = part.where(**{"class": "no"})["column"].tolist()
        assert start + away[1:].sum() == pytest.approx(odds[row, first] - odds[row, second])
        at = columns.index("letter")
        letter = next(s for s in shown if s.name == "letter")
        label = str(known["letter"].iloc[row])
        assert letter.weight[letter.labels.index(label), 0] == pytest.approx(away[at])


def test_a_nomogram_names_its_classes_and_what_is_not_in_it():
    ax = plot.plot_nomogram(fit("naive bayes"), label="yes", against="perhaps")
    assert any("probability of yes where it is yes or perhaps" in text for text in texts(ax))
    assert any("pairs of columns" in text for text in texts(plot.plot_nomogram(fit("additive"))))
    assert "probability of no," in texts(plot.plot_nomogram(fit_two(), label="no"))[-1]
    with pytest.raises(ValueError, match="`label` must be a class that weights speak for"):
        plot.plot_nomogram(fit_two(), label="never")


@pytest.mark.parametrize("name", ["regression", "pairs"])
def test_what_is_no_sum_of_points_is_refused(name):
    with pytest.raises(TypeError, match="must add up evidence"):
        plot.plot_nomogram(fit(name))


# numbers and mixtures


@pytest.mark.parametrize("name", ["regression", "exponentials"])
def test_distributions_and_their_calibration(name):
    model, (X, _, t) = fit(name), table()
    ax = plot.plot_distribution(model, X[:3], t[:3])
    bars = [line for line in ax.lines if line.get_linewidth() == 3]
    low, high = model.predict_interval(X[:3])[0]
    np.testing.assert_allclose(bars[0].get_xdata(), [low, high])
    with pytest.raises(ValueError, match=r"`rows` must be 1 to 6 rows\. Got 120"):
        plot.plot_distribution(model, X)
    ax = plot.plot_calibration(model, X, t)
    below = (model.predict_quantiles(X, 0.5) >= t).mean()
    levels, observed = ax.lines[1].get_data()
    assert observed[np.argmin(np.abs(levels - 0.5))] == pytest.approx(below, abs=0.02)


def test_calibration_of_classifiers_is_the_reliability_diagram():
    X, y, _ = table()
    ax = plot.plot_calibration(fit_two(), X, two(y))
    assert ax.get_ylabel() == "observed share of yes"


@pytest.mark.parametrize("n_components", [2, 3])
def test_a_row_of_a_mixture_is_explained_for_one_component(n_components):
    X, _, _ = table()
    mixture = bayfold.NaiveBayesMixture(n_components, random_state=0).fit(X)
    row = X[3:4]
    ax = plot.plot_explanation(mixture, row)
    records, label = mixture.explain(row), int(mixture.predict(row)[0])
    spoken = label if n_components > 2 else 1
    assert f"component {spoken}" in ax.get_xlabel()
    own = records.where(component=spoken)
    names = [tick.get_text().split(" = ")[0] for tick in ax.get_yticklabels()]
    assert names[0] == "prior"
    assert len(names) <= len(own)


def test_a_mixture_has_no_truth_to_be_calibrated_to():
    X, y, _ = table()
    mixture = bayfold.NaiveBayesMixture(2, random_state=0).fit(X)
    with pytest.raises(TypeError, match="Got NaiveBayesMixture"):
        plot.plot_calibration(mixture, X, y)


def test_distributions_are_asked_of_regressors():
    with pytest.raises(TypeError, match="predict_distribution"):
        plot.plot_distribution(fit("naive bayes"), table()[0][:1])


def test_a_mixture_shows_what_is_typical():
    mixture = fit("mixture")
    ax = plot.plot_mixture(mixture)
    assert set(texts(ax)) <= {cut_names([t], 20)[0] for t in mixture.components_["typical"]}
    weights = np.sort(np.asarray(ax.images[0].get_array()).ravel())
    np.testing.assert_allclose(weights, np.sort(mixture.components_["weight"]))
    with pytest.raises(TypeError, match="must have components"):
        plot.plot_mixture(fit("tree"))


# axes


def test_whole_numbers_have_bars_at_the_numbers():
    X = table()[0].assign(few=lambda f: 10 * f["few"])
    model = fit("uncalibrated", X).set_params(numeric="auto").fit(X, two(table()[1]))
    ax = plot.plot_evidence(model, "few")
    centres = [bar.get_x() + bar.get_width() / 2 for bar in ax.patches]
    assert centres[: len(model.schema_.columns[1].values)] == pytest.approx(
        model.schema_.columns[1].values
    )


def test_times_have_dates():
    rng = np.random.default_rng(0)
    days = pd.Timestamp("2024-01-01", tz="Europe/Berlin") + pd.to_timedelta(
        rng.integers(0, 300, 200), unit="D"
    )
    from bayfold import NaiveBayesClassifier

    X = pd.DataFrame({"day": days})
    model = NaiveBayesClassifier().fit(X, np.asarray(days.month) > 5)
    ax = plot.plot_evidence(model, "day")
    below = ax.figure.axes[1]
    labels = [tick.get_text() for tick in below.get_xticklabels()]
    assert all(label.startswith("202") and len(label) == 10 for label in labels)
    assert below.get_xlabel() == "day (Europe/Berlin)"


def test_categories_are_not_joined_by_lines():
    model = fit("naive bayes")
    ax = plot.plot_evidence(model, "letter")
    lines = [line for line in ax.lines if len(line.get_xdata()) > 2]
    assert lines == []
    assert len(ax.collections) == len(model.classes_)


def test_columns_with_the_same_name_are_drawn_by_position():
    X = table()[0].set_axis(["a", "a", "b", "c"], axis=1)
    model = fit("additive", X)
    drawn = [read_column(model, model.evidence_, j, 30).weight[:, 0] for j in (0, 1)]
    line = plot.plot_evidence(model, 0).patches[0].get_data().values
    np.testing.assert_allclose(line, drawn[0])
    evidence = model.evidence_
    of_first = evidence[evidence["column"] == "a"][: 3 * (len(drawn[0]) + 1)]
    np.testing.assert_allclose(drawn[0], of_first["weight"][3::3])
    assert len(drawn[0]) != len(drawn[1])


def test_a_nomogram_of_a_number_reads_predictions_off_the_sum():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 3))
    y = 10 * X[:, 0] - 5 * X[:, 1] + rng.normal(size=500)
    model = BoostedNaiveBayesRegressor(n_rounds=30, interactions=1).fit(X, y)
    reading = sum_up_number(model)
    row = model.explain(X[:1])
    place = float(row["location"].sum())
    assert reading.start == row["location"][0]
    answers = reading.answer(place - 2.0, place + 2.0)
    ticks = [float(text) for text in answers.texts]
    at = model.collapse().model_.log_prior[1]  # the usual spread
    mean = model._fitted().read_means(np.array([[place, at]]))[0]
    np.testing.assert_allclose(np.interp(0.5, answers.shares, ticks), mean, atol=0.3)
    ax = plot.plot_nomogram(model)
    assert any(text.get_text().startswith("prediction, from") for text in ax.texts)
    with pytest.raises(ValueError, match="`label` must be None for a regressor"):
        plot.plot_nomogram(model, label="a")


def test_words_that_move_a_number_are_bars():
    table, teams = draw_tickets()
    model = bayfold.NaiveBayesRegressor().fit(table, (teams == "sales") * 10.0)
    ax = plot.plot_evidence(model, "body", max_bins=6)
    assert len(ax.patches) == 6
    assert ax.get_xlabel() == "shift of the prediction by the word alone"


@pytest.mark.parametrize("n_classes", [3, 8])
def test_a_model_of_several_classes_has_a_panel_for_its_words(n_classes):
    """Each class lists its own strongest words, so that words and classes make no full table."""
    table, teams = draw_tickets()
    if n_classes > 3:
        teams = np.array([f"{team} {k % 3}" for k, team in enumerate(teams)])
    model = bayfold.NaiveBayesClassifier().fit(table, teams)
    figure = plot.plot_model(model)
    figure.canvas.draw()
    j = model.schema_.names.index("body")
    shown = read_column(model, model.evidence_, j, 10)
    words = model.evidence_.where(column="body")
    for word, weights in zip(shown.labels, shown.weight, strict=True):
        own = words[words["bin"] == word]
        expected = dict(zip(own["class"], own["weight"], strict=True))
        np.testing.assert_array_equal(weights, [expected.get(c, np.nan) for c in model.classes_])
    strongest = words[np.argmax(words["weight"])]["bin"]
    assert strongest in shown.labels


def test_words_of_boosted_classes_are_drawn():
    table, teams = draw_tickets()
    model = bayfold.BoostedNaiveBayesClassifier(n_rounds=5).fit(table, teams)
    ax = plot.plot_evidence(model, "body")
    assert [label.get_text() for label in ax.get_yticklabels()] == ["bill", "sales", "tech"]


def test_dollars_and_underscores_are_letters():
    """Two dollar signs would set what is between them as a formula; legends leave out what begins with a dash."""
    X = pd.DataFrame({"cost in $ and $": np.arange(60.0), "b": ["$x^2$", "_y", "z"] * 20})
    model = fit_any(X, np.array(["$1$", "_two", "three"] * 20))
    ax = plot.plot_evidence(model, "cost in $ and $")
    ax.figure.canvas.draw()
    assert ax.figure.axes[1].get_xlabel() == r"cost in \$ and \$"
    assert [text.get_text().strip() for text in ax.get_legend().get_texts()] == [
        r"\$1\$",
        "_two",
        "three",
    ]
    names = [
        tick.get_text() for tick in plot.plot_evidence(model, "b").figure.axes[1].get_xticklabels()
    ]
    assert names[:3] == [r"\$x^2\$", "_y", "z"]


def fit_any(X, y):
    from bayfold import NaiveBayesClassifier

    return NaiveBayesClassifier().fit(X, y)


def test_maps_of_many_classes_are_the_same_way_up_in_any_number_of_panels():
    X = np.random.default_rng(0).normal(size=(300, 4))
    model = fit_any(X, np.arange(300) % 10)
    for n_columns in (3, 4):
        figure = plot.plot_model(model, max_columns=n_columns)
        bottom, top = figure.axes[0].get_ylim()
        assert bottom > top


def test_bins_of_whole_numbers_are_named_by_them():
    X = pd.DataFrame({"n": np.arange(400) % 8, "x": np.arange(400.0)})
    model = BoostedNaiveBayesRegressor(n_rounds=5).fit(X, X["n"] * 2.0)
    labels = [t.get_text() for t in plot.plot_evidence(model, "n").figure.axes[1].get_xticklabels()]
    assert labels == [str(n) for n in range(8)]


def test_pairs_with_whole_numbers_are_named_by_them():
    n, m = np.arange(600) % 4, np.arange(600) // 4 % 3
    X = pd.DataFrame({"n": n, "m": m})
    model = bayfold.BoostedNaiveBayesClassifier(n_rounds=20).fit(X, (n == 2) ^ (m == 1))
    ax = plot.plot_interaction(model)
    names = {label.get_text() for label in [*ax.get_xticklabels(), *ax.get_yticklabels()]}
    assert names
    assert not any("." in name for name in names)


def test_few_days_have_a_bar_each():
    days = pd.to_datetime(["2024-01-01", "2024-02-01", "2024-03-15"] * 40).tz_localize("Asia/Tokyo")
    model = fit_any(pd.DataFrame({"day": days}), np.array(["a", "a", "b"] * 40))
    below = plot.plot_evidence(model, "day").figure.axes[1]
    labels = [tick.get_text() for tick in below.get_xticklabels()]
    assert labels == ["2024-01-01", "2024-02-01", "2024-03-15"]
    assert below.get_xlabel() == "day (Asia/Tokyo)"


@pytest.mark.parametrize("size", [(3.2, 4.0), (6.4, 4.8), (12.0, 8.0)])
def test_as_many_columns_are_drawn_as_there_is_room_for(size):
    X = np.random.default_rng(0).normal(size=(300, 20))
    model = fit_any(X, np.where(X.sum(axis=1) > 0, "yes", "no"))
    figure = plot.plot_model(model, figure=plt.figure(figsize=size, layout="constrained"))
    shown = sum(ax.get_visible() for ax in figure.axes)
    assert shown == {3.2: 2, 6.4: 9, 12.0: 12}[size[0]]
    ax = plt.figure(figsize=size, layout="constrained").subplots()
    plot.plot_nomogram(model, ax=ax)
    assert 4 < len(ax.get_yticks()) < size[1] / 0.35


def test_densities_are_smooth_enough_to_read_and_still_probabilities():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    model = BoostedNaiveBayesRegressor(n_rounds=20, random_state=0).fit(X, 50 * X[:, 0])
    numbers, density = plot.plot_distribution(model, X[:1]).lines[0].get_data()
    climbed = np.abs(np.diff(density)).sum() / (2 * density.max())
    assert climbed < 1.5  # one hump climbs its height up and down once; teeth climb it many times
    assert np.trapezoid(density, numbers) == pytest.approx(0.998, abs=0.01)


def test_rounding_errors_are_drawn_as_nothing():
    data = load_diabetes(as_frame=True, scaled=False)
    model = bayfold.NaiveBayesRegressor().fit(data.data, data.target)
    assert np.abs(model.evidence_.where(column="age")["shift"]).max() < 1e-9
    ax = plot.plot_evidence(model, "age")
    assert all(bar.get_height() == 0 for bar in ax.patches)
    assert texts(ax) == ["no evidence"]


def test_a_nomogram_says_how_many_columns_it_leaves_out():
    model = fit_two()
    n_used = sum(
        np.ptp(c.weight) > 0 or c.curve is not None
        for c in sum_up_classes(model, None, None).columns
    )
    told = texts(plot.plot_nomogram(model, max_columns=1))
    assert any(f"{n_used - 1} columns with fewer points" in text for text in told)


def test_names_in_titles_differ_from_those_of_columns_that_are_not_drawn():
    rng = np.random.default_rng(0)
    names = ["the same long beginning of a name, " + end for end in ("one", "two")]
    x = rng.normal(size=300)
    X = pd.DataFrame({names[0]: x, names[1]: rng.normal(size=300)})
    model = bayfold.NaiveBayesClassifier().fit(X, np.where(x > 0, "a", "b"))
    figure = plot.plot_model(model, max_columns=1)
    assert "one" in figure.axes[0].get_title(loc="left")


def test_bars_of_many_bins_touch_and_missing_cells_are_still_seen():
    n = 100
    shown = ShownColumn(
        "x",
        np.array(["a", "b"]),
        [str(k) for k in range(n)],
        np.arange(n - 1.0),
        np.ones((n, 1)),
        np.ones((n, 2)),
        np.ones(1),
        np.ones(2),
    )
    assert bar_width(shown) == 1.0
    assert missing_width(shown) > 2.0
    assert missing_place(shown) - missing_width(shown) / 2 > n - 0.5  # apart from the last bin


def test_an_impossible_value_is_drawn_as_a_long_bar():
    X = pd.DataFrame({"a": list("xxyy") * 20, "b": list("ppqr") * 20})
    y = np.array(["no", "no", "yes", "yes"] * 20)
    model = bayfold.NaiveBayesClassifier(smoothing=0, calibration=None).fit(X, y)
    ax = plot.plot_explanation(model, X[:1])
    assert np.isfinite(ax.get_xlim()).all()
    assert any("inf" in text.get_text() for text in ax.texts)


@pytest.mark.parametrize("missing", ["ignore", "category"])
def test_no_points_stand_for_an_impossible_value(missing):
    model = fit_two(smoothing=0, missing=missing, numeric="mdl")
    with pytest.raises(ValueError, match=r"a finite weight.* that rules a class out.*`smoothing`"):
        plot.plot_nomogram(model)
