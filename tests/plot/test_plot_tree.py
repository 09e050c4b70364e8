"""The drawing of a tree shows what the tree says."""

from __future__ import annotations

import numpy as np
import pytest

from bayfold import NaiveBayesClassifier, NaiveBayesTreeClassifier
from bayfold.plot import plot_tree

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


def texts(ax):
    return [text.get_text() for text in ax.texts]


def fit(n_classes, depth=2, n_values=2):
    rng = np.random.default_rng(0)
    X = rng.integers(0, n_values, (400, 4)).astype(str).astype(object)
    y = (X[:, 0].astype(int) + X[:, 1].astype(int) + (rng.random(400) < 0.1)) % n_classes
    return NaiveBayesTreeClassifier(depth).fit(X, y)


@pytest.mark.parametrize("n_classes", [2, 9])
def test_tests_and_leaves_are_drawn(n_classes):
    model = fit(n_classes, n_values=3)
    tree, evidence = plot_tree(model)
    column = model.schema_.names[model.tree_.column[0]]
    assert f"{column}?" in texts(tree)
    assert "400 rows" in texts(tree)
    n_rows = [text for text in texts(tree) if text.endswith(" rows")]
    assert len(n_rows) == model.tree_.n_nodes
    shown = texts(evidence)
    assert any(name in shown for name in model.schema_.names)
    matplotlib.pyplot.close(tree.figure)


def test_dots_stand_at_the_weights_of_the_leaf():
    model = fit(2, depth=1)
    axes = plot_tree(model, n_columns=1)
    records = model.evidence_
    strongest = texts(axes[1])[0]
    drawn = np.sort(axes[1].collections[0].get_offsets()[:, 0])
    expected = np.sort(records.where(leaf=0, column=strongest)["weight"])
    np.testing.assert_allclose(drawn, expected)
    matplotlib.pyplot.close(axes[0].figure)


def test_small_leaves_are_left_out_and_counted():
    model = fit(2, n_values=3)
    axes = plot_tree(model, max_leaves=3)
    n_hidden = model.n_leaves_ - 3
    assert n_hidden > 0
    assert f"{n_hidden} leaves with fewer rows are not drawn" in texts(axes[0])
    matplotlib.pyplot.close(axes[0].figure)


def test_a_single_leaf_and_given_axes():
    model = fit(2, depth=0)
    figure, axes = matplotlib.pyplot.subplots(1, 2)
    assert plot_tree(model, ax=axes)[0] is axes[0]
    figure.canvas.draw()
    matplotlib.pyplot.close(figure)


def test_other_models_and_bad_parameters_are_refused():
    with pytest.raises(TypeError, match=r"`model` must be a NaiveBayesTreeClassifier\. Got Naive"):
        plot_tree(NaiveBayesClassifier())
    model = fit(2, depth=1)
    for name in ("n_columns", "max_leaves"):
        with pytest.raises(ValueError, match=rf"`{name}` must be a whole number from 1\. Got 0"):
            plot_tree(model, **{name: 0})
    figure, ax = matplotlib.pyplot.subplots()
    with pytest.raises(ValueError, match="`ax` must be a pair of matplotlib Axes, or None"):
        plot_tree(model, ax=ax)
    matplotlib.pyplot.close(figure)


def test_given_axes_that_share_nothing_show_leaves_and_evidence_at_one_height():
    figure, (left, right) = matplotlib.pyplot.subplots(1, 2)
    plot_tree(fit(2), ax=[left, right])
    assert left.get_ylim() == right.get_ylim()
    matplotlib.pyplot.close(figure)
