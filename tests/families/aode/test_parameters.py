"""Parameters of AODE: each refused with its name, what it must be, and what was given."""

import re

import numpy as np
import pytest

from bayfold import AveragedOneDependenceClassifier as Classifier
from bayfold import NaiveBayesClassifier
from bayfold.errors import MergeError, UnseenCategoryWarning
from bayfold.families.aode.counts import PairLayout

RNG = np.random.default_rng(2)
X, Y = RNG.normal(size=(40, 2)), np.arange(40) % 2

BAD = [
    ("numeric", "gaussian", '"equal_frequency" or "mdl"'),
    ("numeric", {"z": "mdl"}, "columns of the table ('x0', 'x1')"),
    ("n_bins", 0, "a whole number from 1 to 254"),
    ("bins", "ten", "None, a whole number from 2 to 254, or a dict from columns to cuts"),
    ("smoothing", "lidstone", '"shrinkage", "m_estimate", "laplace", "none"'),
    ("smoothing", "laplace_declared", '"shrinkage", "m_estimate", "laplace", "none"'),
    ("m", 0, "a number above zero"),
    ("min_parent_count", -1, "a number that is not negative"),
    ("min_parent_count", "few", "a number that is not negative"),
    ("calibration", "weights", '"temperature" or None'),
    ("categorical_features", "z", "columns of the table ('x0', 'x1')"),
    ("numeric_features", "z", "columns of the table ('x0', 'x1')"),
    ("schema", "auto", "a bayfold Schema or None"),
    ("n_jobs", 0, "None or a whole number that is not zero"),
]


@pytest.mark.parametrize(("name", "value", "condition"), BAD)
def test_bad_parameters_are_refused_and_change_nothing(name, value, condition):
    model = Classifier().fit(X, Y)
    before = dict(vars(model))
    model.set_params(**{name: value})
    with pytest.raises(ValueError, match=re.escape(condition)) as caught:
        model.fit(X, Y)
    assert str(caught.value).startswith(f"`{name}` must be ")
    after = dict(vars(model))
    assert all(after[key] is before[key] for key in before if key != name)


def test_every_parameter_is_tested():
    assert {name for name, _, _ in BAD} == set(Classifier().get_params())


def test_too_many_pairs_are_refused_before_memory_is_asked_for(monkeypatch):
    monkeypatch.setattr("bayfold.families.aode.counts.MOST_ENTRIES", 50)
    labels = RNG.choice(list("abcdef"), (60, 3)).astype(object)
    with pytest.raises(
        ValueError, match=r"at most 2 GB\. Got 18 values .* use NaiveBayesClassifier"
    ):
        Classifier().fit(labels, np.arange(60) % 2)


def test_other_edges_other_models_and_other_parameters_do_not_add_up():
    m_estimate = {"smoothing": "m_estimate"}
    one = Classifier(**m_estimate).fit(X, Y)
    with pytest.raises(MergeError, match=r"edges in column 'x0'.*schema=first\.schema_"):
        one + Classifier(**m_estimate).fit(X + 0.1, Y)
    with pytest.raises(MergeError, match="different m, min_parent_count"):
        one + Classifier(schema=one.schema_, m=3.0, min_parent_count=2, **m_estimate).fit(X, Y)
    with pytest.raises(TypeError):
        one + NaiveBayesClassifier(schema=one.schema_).fit(X, Y)


def test_an_unseen_category_is_as_good_as_a_missing_cell():
    labels = np.c_[RNG.choice(list("ab"), 60), RNG.choice(list("cd"), 60)].astype(object)
    model = Classifier().fit(labels, labels[:, 0] == "a")
    with pytest.warns(UnseenCategoryWarning, match="'x1' holds categories .* 'new'"):
        unseen = model.predict_proba([["a", "new"]])
    np.testing.assert_array_equal(unseen, model.predict_proba(np.array([["a", None]], object)))


@pytest.mark.filterwarnings("ignore::bayfold.errors.DataWarning")
def test_the_schema_keeps_few_edges_and_those_that_mdl_wants():
    x = np.arange(400.0)
    model = Classifier(numeric="mdl").fit(np.c_[x, np.zeros(400)], (x >= 123).astype(int))
    column = model.schema_.columns[0]
    assert 122.5 in column.edges
    assert column.n_bins <= 17
    assert model.score(np.c_[x, np.zeros(400)], (x >= 123).astype(int)) == 1.0
    assert PairLayout(model.schema_).n_values == column.n_bins + 1


def test_rows_of_a_parent_are_counted_as_they_are_given():
    """Copies count once where evidence is weighed, but no value loses its rows by further copies of others."""
    rng = np.random.default_rng(0)
    cells, weights = rng.integers(0, 30, (300, 6)), np.ones(300)
    y = (cells[:, 0] ^ cells[:, 1]) & 1
    n_parents = []
    for weight in (1.0, 5.0, 15.0):
        weights[:150] = weight
        model = Classifier(min_parent_count=5).fit(cells.astype(str), y, sample_weight=weights)
        n_parents.append(int(model._fitted().model.is_parent.sum()))
    assert n_parents == sorted(n_parents)


def test_many_numeric_columns_share_the_table_of_pairs():
    """500 columns of ten bins took a table of 400 megabytes, and 5,000 rows 87 s."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 400))
    model = Classifier(calibration=None).fit(X, X[:, 0] > 0)
    assert sum(column.n_bins for column in model.schema_.columns) <= 2048
