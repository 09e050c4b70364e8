"""Parameters: each refused with its name, what it must be, and what was given."""

import re

import numpy as np
import pytest

from bayfold import NaiveBayesClassifier
from bayfold.errors import MergeError

RNG = np.random.default_rng(2)
X, Y = RNG.normal(size=(40, 2)), np.arange(40) % 2

BAD = [
    (
        "numeric",
        "kde",
        '"auto", "smooth", "kernel", "mdl", "equal_frequency", "equal_width" or "gaussian"',
    ),
    ("numeric", None, '"auto", "smooth"'),
    ("numeric", {"x0": "kde"}, '"auto", "smooth"'),
    ("numeric", {"z": "gaussian"}, "columns of the table ('x0', 'x1')"),
    ("numeric", {5: "gaussian"}, "columns of the table ('x0', 'x1')"),
    ("n_bins", 0, "a whole number from 1 to 254"),
    ("n_bins", 255, "a whole number from 1 to 254"),
    ("n_bins", 2.5, "a whole number from 1 to 254"),
    ("n_bins", True, "a whole number from 1 to 254"),
    ("n_bins", {"x0": "ten"}, "a whole number from 1 to 254"),
    ("n_bins", {"z": 3}, "columns of the table ('x0', 'x1')"),
    ("monotone", "up", '"increasing", "decreasing", "peak", "valley", "auto" or None'),
    ("monotone", {"x0": None}, '"increasing", "decreasing", "peak", "valley", "auto" or None'),
    ("monotone", {"z": "auto"}, "columns of the table ('x0', 'x1')"),
    ("select", 1, "True or False"),
    ("calibration", "platt", '"weights", "temperature" or None'),
    ("smoothing", "lidstone", '"shrinkage", "m_estimate", "laplace", "none"'),
    ("smoothing", -1.0, "a number that is not negative"),
    ("smoothing", np.nan, "a number that is not negative"),
    ("smoothing", True, "a number that is not negative"),
    ("m", 0, "a number above zero"),
    ("m", None, "a number above zero"),
    ("m", "two", "a number above zero"),
    ("missing", "drop", '"ignore" or "category"'),
    ("missing", None, '"ignore" or "category"'),
    ("missing_target", "guess", '"drop" or "em"'),
    ("priors", "flat", 'None, "laplace", "uniform"'),
    ("priors", [0.5, 0.4], "one probability for each of the classes [0, 1]"),
    ("priors", [1.5, -0.5], "that add up to 1"),
    ("priors", [1.0], "one probability for each of the classes [0, 1]"),
    ("priors", {0: 1.0}, "one probability for each of the classes [0, 1]"),
    ("priors", {0: 0.5, 2: 0.5}, "one probability for each of the classes [0, 1]"),
    ("priors", [np.nan, 1.0], "that add up to 1"),
    ("class_weight", "even", '"balanced" or a dict from the classes [0, 1]'),
    ("class_weight", {2: 1.0}, '"balanced" or a dict from the classes [0, 1]'),
    ("class_weight", {0: -1.0}, "weights between 1e-06 and 1e+06"),
    ("class_weight", {0: "a"}, "weights between 1e-06 and 1e+06"),
    ("class_weight", {0: 0.0}, "leave out its rows"),
    ("class_weight", {1: 1e300}, "weights between 1e-06 and 1e+06"),
    ("categorical_features", "z", "columns of the table ('x0', 'x1')"),
    ("categorical_features", 5, "columns of the table ('x0', 'x1')"),
    ("categorical_features", [0.5], "columns of the table ('x0', 'x1')"),
    ("numeric_features", "z", "columns of the table ('x0', 'x1')"),
    ("numeric_features", {0: ";"}, "columns, or a dict from columns to '.' or ','"),
    ("categorical_features", [True], "a mask with one entry for each of the 2 columns"),
    ("text_features", "z", "columns of the table ('x0', 'x1')"),
    ("text_features", [True], "a mask with one entry for each of the 2 columns"),
    ("bins", 1, "a whole number from 2 to 254"),
    ("bins", {"z": [1.0]}, "columns of the table ('x0', 'x1')"),
    ("bins", {"x0": 2.5}, "increasing numbers (at most 253), lists of categories"),
    ("bins", {"x0": []}, "increasing numbers (at most 253), lists of categories"),
    ("bins", {"x0": [1.0, np.inf]}, "increasing numbers (at most 253), lists of categories"),
    ("bins", {"x0": [1.0, 1.0]}, "increasing numbers for the column 'x0'. Got '1 before 1'"),
    ("bins", {"x0": [1.0], 0: [2.0]}, "about each column once"),
    ("bins", {"x0": [["a", "b"], ["b"]]}, "without a category in common for the column 'x0'"),
    ("bins", {"x0": [["a", "a"]]}, "without a category in common for the column 'x0'"),
    ("bins", {"x0": [["a"], []]}, "at least one category for the column 'x0'"),
    ("special_codes", "none", "1 to 100 numbers, or a dict from columns to these"),
    ("special_codes", {"x0": []}, "1 to 100 numbers, or a dict from columns to these"),
    ("special_codes", {"z": -99}, "columns of the table ('x0', 'x1')"),
    ("ngrams", (0, 1), "two whole numbers from 1 to 5"),
    ("ngrams", (2, 1), "the smaller one first"),
    ("ngrams", 2, "two whole numbers from 1 to 5"),
    ("ngrams", "ab", "two whole numbers from 1 to 5"),
    ("schema", "auto", "a bayfold Schema or None"),
    ("variance_floor", -1e-9, "a number that is not negative"),
    ("variance_floor", None, "a number that is not negative"),
    ("variance_floor", "small", "a number that is not negative"),
    ("n_jobs", 0, "None or a whole number that is not zero"),
    ("n_jobs", "all", "None or a whole number that is not zero"),
    ("n_jobs", 1.5, "None or a whole number that is not zero"),
]


@pytest.mark.parametrize(("name", "value", "condition"), BAD)
def test_bad_parameters_are_refused_and_change_nothing(name, value, condition):
    model = NaiveBayesClassifier().fit(X, Y)
    before, answers = dict(vars(model)), model.predict_proba(X)
    model.set_params(**{name: value})
    with pytest.raises(ValueError, match=re.escape(condition)) as caught:
        model.fit(X, Y)
    message = str(caught.value)
    assert message.startswith(f"`{name}` must be ")
    assert "Got " in message
    after = dict(vars(model))
    assert after.pop(name) is value
    before.pop(name)
    assert all(after[key] is before[key] for key in before)
    np.testing.assert_array_equal(
        model.set_params(**{name: getattr(NaiveBayesClassifier(), name)}).predict_proba(X), answers
    )


def test_every_parameter_is_tested():
    assert {name for name, _, _ in BAD} == set(NaiveBayesClassifier().get_params())


def test_a_refused_fit_on_other_data_keeps_the_old_model():
    model = NaiveBayesClassifier().fit(X, Y)
    answers = model.predict_proba(X)
    with pytest.raises(ValueError, match="priors"):
        model.set_params(priors=[0.2, 0.2]).fit([[1.0], [2.0]], ["a", "b"])
    assert model.n_features_in_ == 2
    assert model.classes_.tolist() == [0, 1]
    np.testing.assert_array_equal(model.predict_proba(X), answers)


def test_a_refused_first_fit_leaves_no_model():
    model = NaiveBayesClassifier(priors="flat")
    with pytest.raises(ValueError, match="priors"):
        model.fit(X, Y)
    assert [name for name in vars(model) if name.endswith("_") or name.startswith("_")] == []


@pytest.mark.parametrize(
    "chosen", [["x1"], [1], [-1], "x1", np.array([False, True]), [False, True]]
)
def test_columns_can_be_given_by_name_position_or_mask(chosen):
    whole = np.c_[X[:, 0], Y]
    model = NaiveBayesClassifier(categorical_features=chosen).fit(whole, Y)
    assert [column.kind for column in model.schema_.columns] == ["numeric", "nominal"]
    assert model.schema_.columns[1].categories == ("0", "1")


def test_methods_and_bins_by_column():
    model = NaiveBayesClassifier(numeric={0: "equal_frequency", "x1": "gaussian"}, n_bins={0: 3})
    model.fit(X, Y)
    assert [term.kind for term in model._fitted().model.terms] == ["table", "quadratic"]
    assert len(model.evidence_.where(column="x0")) == 4  # three bins, and missing


UNUSED = [
    ({"n_bins": 5}, "`n_bins` must be 10 with numeric='auto', which makes no use of it. Got 5."),
    ({"n_bins": 5, "numeric": "mdl"}, "`n_bins` must be 10 with numeric='mdl', which makes no use"),
    (
        {"n_bins": {"x0": 3}, "numeric": {"x1": "equal_width"}},
        "`n_bins` must be about columns with so many bins (numeric='equal_frequency', "
        "'equal_width'). Got 'x0 (auto)'. Leave it out.",
    ),
    ({"m": 3.0, "smoothing": 0.5}, "`m` must be 2.0 with smoothing=0.5, which makes no use of it."),
    ({"variance_floor": 0.1}, "`variance_floor` must be 1e-09 with numeric='auto', which makes no"),
    (
        {"schema": NaiveBayesClassifier().fit(X, Y).schema_, "categorical_features": [0]},
        "`categorical_features` must be None with a schema, which makes no use of it. Got [0].",
    ),
]


@pytest.mark.parametrize(("parameters", "message"), UNUSED)
def test_parameters_without_effect_are_refused(parameters, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        NaiveBayesClassifier(**parameters).fit(X, Y)


def test_auto_chooses_among_bins_where_it_must_be_monotone():
    model = NaiveBayesClassifier(n_bins={"x0": 3}, monotone={"x0": "auto"}).fit(X, Y)
    assert model.numeric_["x0"] in ("equal_frequency", "mdl")


def test_columns_are_dropped_by_their_weights_only():
    with pytest.raises(ValueError, match=r'`calibration` must be "weights" with `select=True`'):
        NaiveBayesClassifier(select=True, calibration="temperature").fit(X, Y)


def test_a_curve_cannot_be_made_monotone():
    with pytest.raises(ValueError, match=r"`monotone` must be about columns with bins"):
        NaiveBayesClassifier(numeric="gaussian", monotone="auto").fit(X, Y)
    methods = NaiveBayesClassifier(monotone={"x0": "auto"}).fit(X, Y).numeric_
    assert methods["x0"] in ("equal_frequency", "mdl")
    assert methods["x1"] == "smooth"


@pytest.mark.parametrize(
    "bad", [[0.5], [0.9, 0.2], "flat", {0: 1.0}, {0: 0.5, "1": 0.5}, 3, [2, -1]]
)
def test_with_priors_refuses_what_are_no_probabilities(bad):
    model = NaiveBayesClassifier().fit(X, Y)
    answers = model.predict_proba(X)
    with pytest.raises(ValueError, match=r"`priors` must be .*classes \[0, 1\].*Got "):
        model.with_priors(bad)
    assert model.priors is None
    np.testing.assert_array_equal(model.predict_proba(X), answers)


def test_with_priors_gives_a_new_model():
    model = NaiveBayesClassifier().fit(X, Y)
    answers = model.predict_proba(X)
    shifted = model.with_priors({0: 0.9, 1: 0.1})
    assert (shifted.predict_proba(X)[:, 0] > answers[:, 0]).all()
    np.testing.assert_array_equal(model.predict_proba(X), answers)
    back = shifted.with_priors(None)
    np.testing.assert_array_equal(back.predict_proba(X), answers)


# sums


def test_different_edges_say_how_to_share_them():
    a, b = NaiveBayesClassifier().fit(X, Y), NaiveBayesClassifier().fit(X + 0.1, Y)
    with pytest.raises(MergeError, match=r"edges in column 'x0'.*schema=first\.schema_"):
        a + b
    c = NaiveBayesClassifier(schema=a.schema_).fit(X + 0.1, Y)
    assert (a + c).class_count_.sum() == 80


def test_different_parameters_are_named():
    a = NaiveBayesClassifier().fit(X, Y)
    b = NaiveBayesClassifier(schema=a.schema_, smoothing=0.5, missing="category").fit(X, Y)
    with pytest.raises(MergeError, match=r"Got different missing, smoothing\. "):
        a + b
    c = NaiveBayesClassifier(schema=a.schema_, n_jobs=1).fit(X, Y)
    assert (a + c).class_count_.sum() == 80


def test_different_columns_are_named():
    a, b = NaiveBayesClassifier().fit(X, Y), NaiveBayesClassifier().fit(X[:, :1], Y)
    with pytest.raises(MergeError, match=r"same columns.*\['x0', 'x1'\] and \['x0'\]"):
        a + b


def test_different_types_of_classes_are_refused():
    a = NaiveBayesClassifier().fit(X, Y)
    b = NaiveBayesClassifier(schema=a.schema_).fit(X, np.array(["no", "yes"])[Y])
    with pytest.raises(MergeError, match=r"classes of one type.*\[0, 1\] and \['no', 'yes'\]"):
        a + b


def test_moments_cannot_be_had_afterwards():
    a = NaiveBayesClassifier(numeric="gaussian").fit(X, Y)
    b = NaiveBayesClassifier(schema=a.schema_).fit(X, Y).set_params(numeric="gaussian")
    with pytest.raises(ValueError, match=r"\"gaussian\" for 'x0'.*Fit again"):
        a + b


def test_only_fitted_models_add_up():
    from sklearn.exceptions import NotFittedError

    model = NaiveBayesClassifier().fit(X, Y)
    with pytest.raises(NotFittedError):
        model + NaiveBayesClassifier()
    with pytest.raises(TypeError):
        model + 1
    with pytest.raises(TypeError):
        model + "model"


def test_a_sum_of_one_is_a_model_of_its_own():
    model = NaiveBayesClassifier().fit(X, Y)
    answers = model.predict_proba(X)
    sum([model]).partial_fit(X[:5], Y[:5])
    np.testing.assert_array_equal(model.predict_proba(X), answers)
