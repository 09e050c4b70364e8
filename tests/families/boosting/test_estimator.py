"""Additive boosting: what it can learn, that it collapses exactly, and that its answers add up."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayfold import BoostedNaiveBayesClassifier, NaiveBayesClassifier
from bayfold.core.frames import read_table
from bayfold.core.schema import Coder, Schema
from bayfold.core.scoring import Scorer
from bayfold.errors import DataWarning, UnseenCategoryWarning
from bayfold.families.boosting.rounds import cross_fit
from tests.laws.tables import draw_table, seeds
from tests.reference import boost as reference

pytestmark = pytest.mark.filterwarnings("ignore::bayfold.errors.DataWarning")


def draw_xor(n_rows=300, seed=0):
    """Two columns that say nothing alone and all together, and one that says nothing."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    return X, np.where(X[:, 0] * X[:, 1] > 0, "same", "other")


def fit(X, y, n_rounds=20, **parameters):
    return BoostedNaiveBayesClassifier(n_rounds=n_rounds, **parameters).fit(X, y)


def score_rounds(model, X):
    """Scores of rows by walking the trees one by one, centred; and by the tables."""
    ensemble = model._ensemble
    block = Coder(model.schema_).open(read_table(X)).block(0, len(X))
    trees = ensemble.rounds.trees
    log_prior = np.log(trees.start.prior)
    start = log_prior[1:] - log_prior[:1] if len(log_prior) == 2 else log_prior
    walked = reference.score_trees(block.narrow, trees.splits, trees.values, start)
    walked = walked if walked.shape[1] == 1 else walked - walked.mean(axis=1, keepdims=True)
    return walked, Scorer(model.collapse().model_).score(block)


@settings(max_examples=12)
@given(seeds, st.integers(2, 4), st.sampled_from([1, 2]), st.sampled_from([1, 3]))
def test_the_tables_score_like_the_rounds(seed, n_classes, interactions, n_models):
    X, y, _ = draw_table(seed, n_rows=50, n_classes=n_classes)
    how = {"interactions": interactions, "n_models": n_models, "early_stopping": False}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cross_fit, "SIMPLE_ROUNDS", 10)  # so that two rounds have three levels
        model = fit(X, y, 12, **how)
    walked, collapsed = score_rounds(model, X)
    np.testing.assert_allclose(collapsed, walked, rtol=1e-10, atol=1e-12)


def test_pairs_learn_what_no_column_says_alone():
    X, y = draw_xor(600)
    new, truth = draw_xor(400, seed=1)
    together = fit(X, y, 200).score(new, truth)
    alone = fit(X, y, 200, interactions=1).score(new, truth)
    assert together > 0.9
    assert alone < 0.65
    assert NaiveBayesClassifier().fit(X, y).score(new, truth) < 0.65


def test_one_column_tables_have_no_pairs():
    X, y = draw_xor()
    assert fit(X, y, interactions=1).collapse().model_.pairs == ()


@settings(max_examples=8)
@given(seeds, st.integers(2, 3), st.sampled_from([1, 2]))
def test_weights_are_repetitions_and_order_does_not_matter(seed, n_classes, interactions):
    X, y, rng = draw_table(seed, n_classes=n_classes)
    weights = rng.integers(0, 4, len(y))
    weights[: 2 * n_classes] = 1
    repeated = rng.permutation(np.repeat(np.arange(len(y)), weights))
    weighted = BoostedNaiveBayesClassifier(n_rounds=10, interactions=interactions)
    weighted.fit(X, y, sample_weight=weights.astype(float))
    twice = fit(X.iloc[repeated], y[repeated], 10, interactions=interactions)
    np.testing.assert_allclose(
        weighted.predict_proba(X), twice.predict_proba(X), rtol=0, atol=1e-12
    )


def test_weights_are_repetitions_where_the_number_of_rows_decides():
    """Up to 4,000 rows there are 16 models, then 8: so many rows of weight 2 are more than 4,000."""
    X, y = draw_xor(2100)
    weighted = BoostedNaiveBayesClassifier(n_rounds=3).fit(X, y, np.full(2100, 2.0))
    twice = fit(np.repeat(X, 2, axis=0), np.repeat(y, 2), 3)
    np.testing.assert_allclose(weighted.predict_proba(X), twice.predict_proba(X), rtol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_explanations_add_up_to_the_decision(n_classes):
    X, y, _ = draw_table(5, n_rows=80, n_classes=n_classes)
    model = fit(X, y)
    new, _, _ = draw_table(6, n_rows=7, n_classes=n_classes)
    records = model.explain(new)
    shape = (len(new), -1) if n_classes == 2 else (len(new), -1, n_classes)
    total = records["weight"].reshape(shape).sum(axis=1)
    np.testing.assert_allclose(total, model.decision_function(new), rtol=1e-12, atol=1e-12)
    assert any(" x " in name for name in records["column"])


def test_the_evidence_holds_every_bin_and_every_pair():
    X, y, _ = draw_table(5, n_rows=80)
    model = fit(X, y)
    pairs = model.collapse().model_.pairs
    evidence = model.evidence_
    names = set(evidence["column"])
    assert names == {"u", "v", "w", "z"} | {
        f"{model.schema_.names[a]} x {model.schema_.names[b]}"
        for a, b in (p.columns for p in pairs)
    }
    for name in names:  # every row is in one bin of every column and of every pair
        part = evidence.where(column=name)
        assert part["total"].sum() == 80
        assert np.isfinite(part["weight"]).all()


def test_pairs_say_nothing_that_a_column_says_alone():
    X, y = draw_xor()
    for pair in fit(X, y, 100).collapse().model_.pairs:
        weights, table = pair.counts.sum(axis=2), pair.log_table[..., 1]
        largest = np.abs(table).max()
        for axis in (0, 1):
            means = (weights * table).sum(axis=axis) / np.maximum(weights.sum(axis=axis), 1)
            assert np.abs(means).max() <= 1e-5 * largest


def test_unseen_categories_give_no_evidence():
    X, y, _ = draw_table(1, n_rows=80, missing=0.0)
    model = fit(X, y)
    new = X.iloc[:1].assign(z="never seen")
    with pytest.warns(UnseenCategoryWarning, match="'z' holds categories"):
        records = model.explain(new)
    about_z = np.array(["z" in name.split(" x ") for name in records["column"]])
    np.testing.assert_array_equal(records["weight"][about_z], 0.0)


def test_the_evidence_counts_rows_as_they_were_given():
    """Copies count once where evidence is weighed, and as often as they occur where it is shown."""
    X, y = draw_xor()
    evidence = fit(np.repeat(X, 3, axis=0), np.repeat(y, 3), random_state=0).evidence_
    for name in ("x0", "x0 x x1"):
        shown = evidence.where(column=name)
        assert shown["count"].sum() == pytest.approx(3 * (y == "same").sum())
        assert shown["total"].sum() == pytest.approx(900)


def test_missing_cells_give_no_evidence_where_training_had_none():
    X, y, _ = draw_table(1, n_rows=80, missing=0.0)
    records = fit(X, y).explain(X.iloc[:1].assign(u=np.nan))
    about_u = np.array(["u" in name.split(" x ") for name in records["column"]])
    np.testing.assert_array_equal(records["weight"][about_u], 0.0)


@pytest.mark.parametrize("missing", [np.nan, None])
def test_missing_cells_are_a_value_where_training_had_some(missing):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    number = rng.normal(size=200).astype(object)
    number[y == 1] = missing
    X = pd.DataFrame({"number": pd.Series(number, dtype=object), "noise": rng.normal(size=200)})
    assert fit(X, y).score(X, y) == 1.0


def test_a_given_schema_keeps_its_edges():
    X, y = draw_xor()
    schema = NaiveBayesClassifier().fit(X, y).schema_
    model = fit(X, y, schema=schema)
    np.testing.assert_array_equal(model.schema_.columns[0].edges, schema.columns[0].edges)
    assert fit(X, y, max_bins=5).schema_.columns[0].n_bins == 5


def test_the_result_depends_on_the_random_state_and_not_on_threads():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4500, 8))  # enough cells for threads
    y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int)
    one, two = (fit(X, y, 10, n_jobs=n_jobs).predict_proba(X) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(one, fit(X, y, 10, n_jobs=1).predict_proba(X))
    other = fit(X, y, 10, n_jobs=1, random_state=1).predict_proba(X)
    assert not np.allclose(one, other)


def test_stages_lead_to_the_model():
    X, y, _ = draw_table(2, n_rows=60)
    new = draw_table(3, n_rows=9)[0]
    for linear in (True, False):
        model = fit(X, y, 15, early_stopping=False, linear=linear)
        stages = list(model.staged_predict_proba(new))
        assert len(stages) == model.n_rounds_ == 15
        np.testing.assert_allclose(stages[-1], model.predict_proba(new), rtol=1e-12)
    shorter = fit(X, y, 4, early_stopping=False, linear=False)
    np.testing.assert_allclose(stages[3], shorter.predict_proba(new), rtol=1e-12)


def test_a_model_without_rounds_has_one_stage():
    model = BoostedNaiveBayesClassifier().fit(np.full((60, 3), np.nan), np.arange(60) % 2)
    assert model.n_rounds_ == 0
    new = np.full((2, 3), np.nan)
    (only,) = model.staged_predict_proba(new)
    np.testing.assert_array_equal(only, model.predict_proba(new))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("max_pairs", [None, 1])
@pytest.mark.filterwarnings("ignore::bayfold.errors.UnseenCategoryWarning")
def test_stages_lead_to_the_model_where_cells_say_nothing(max_pairs, n_classes):
    """Also with more rows than are kept to weigh tables: it was off by .01 at 40,000."""
    X, y, _ = draw_table(2, n_rows=300, n_classes=n_classes, missing=0.0)
    model = fit(X, y, 6, early_stopping=False, max_pairs=max_pairs)
    new = X.assign(z="never seen", u=np.nan)
    stages = list(model.staged_predict_proba(new))
    np.testing.assert_allclose(stages[-1], model.predict_proba(new), rtol=1e-12)
    assert np.abs(np.diff(stages, axis=0)).max() < 0.5


def test_it_stops_at_the_best_round():
    X, y = draw_xor(200)
    model = fit(X, y, 500, patience=10, n_models=1)
    best = model.validation_loss_.argmin() + 1
    assert model.n_rounds_ == best
    assert best + 10 <= len(model.validation_loss_) < 500
    averaged = fit(X, y, 500, patience=10)  # which over-fits later than each of its models
    best = averaged.validation_loss_.argmin() + 1
    assert averaged.n_rounds_ == round(1.2 * best) <= len(averaged.validation_loss_) < 500
    assert fit(X, y, 25, early_stopping=False).n_rounds_ == 25


def test_only_the_strongest_pairs_are_kept():
    X, y = draw_xor(600)
    whole, many, one, none = (fit(X, y, 100, max_pairs=n) for n in (None, 9, 1, 0))
    assert whole.left_out_share_ == many.left_out_share_ == 0.0
    assert [pair.columns for pair in one.collapse().model_.pairs] == [(0, 1)]
    assert 0 < one.left_out_share_ < 0.2 < none.left_out_share_ < 1
    assert one.score(X, y) > 0.9 > none.score(X, y)


def test_many_rows_need_one_model_with_a_hold_out():
    X, y = draw_xor(400)
    model = fit(X, y, 30, n_models=1, validation_fraction=0.25)
    assert len(model._ensemble.rounds.trees.splits) == 1
    assert len(fit(X, y, 5)._ensemble.rounds.trees.splits) == 16


def test_the_callback_hears_of_every_few_rounds():
    heard = []
    X, y = draw_xor()
    fit(X, y, 25, early_stopping=False, callback=lambda *now: heard.append(now))
    assert [done for done, _, _ in heard] == [10, 20, 25]
    assert {most for _, most, _ in heard} == {25}
    assert all(0 < loss < 1 for _, _, loss in heard)


def test_progress_is_silent_without_a_terminal(capfd):
    X, y = draw_xor()
    heard = []
    fit(X, y, 10, progress=True, callback=lambda *now: heard.append(now))
    assert capfd.readouterr() == ("", "")
    assert len(heard) == 1


def test_a_fitted_model_can_be_pickled():
    X, y, _ = draw_table(2, n_rows=60, n_classes=3)
    model = fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


BAD = {
    "interactions": (
        4,
        '`interactions` must be "auto" or a whole number from 1 to 3, or a list of pairs. Got 4.',
    ),
    "n_rounds": (0, "`n_rounds` must be a whole number from 1. Got 0."),
    "learning_rate": (0.0, "`learning_rate` must be a number above 0 and at most 1. Got 0.0."),
    "early_stopping": ("yes", "`early_stopping` must be True or False. Got 'yes'."),
    "patience": (2.5, "`patience` must be a whole number from 1. Got 2.5."),
    "n_models": (0, "`n_models` must be None or a whole number from 1. Got 0."),
    "validation_fraction": (
        0.6,
        "`validation_fraction` must be a number from 0.001 to 0.5. Got 0.6.",
    ),
    "max_pairs": (-1, "`max_pairs` must be None or a whole number that is not negative. Got -1."),
    "max_bins": (255, '`max_bins` must be "auto" or a whole number from 2 to 254. Got 255.'),
    "callback": (3, "`callback` must be a function or None. Got 3."),
    "progress": ("bar", "`progress` must be True or False. Got 'bar'."),
    "schema": (3, "`schema` must be a bayfold Schema or None. Got 3."),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_parameters_are_refused(name):
    value, message = BAD[name]
    X, y = draw_xor(40)
    with pytest.raises(ValueError) as raised:
        BoostedNaiveBayesClassifier(**{name: value}).fit(X, y)
    assert str(raised.value).startswith(message)


UNUSED = [
    ({"max_pairs": 3, "interactions": 1}, "`max_pairs` must be None with interactions=1, which"),
    ({"patience": 9, "early_stopping": False}, "`patience` must be 30 with early_stopping=False"),
    (
        {"validation_fraction": 0.3, "n_models": 8},
        "`validation_fraction` must be 0.125 with n_models=8, of which each leaves out a fold",
    ),
    ({"max_bins": 9, "schema": Schema(())}, "`max_bins` must be 'auto' with a schema, which makes"),
]


@pytest.mark.parametrize(("parameters", "message"), UNUSED)
def test_parameters_without_effect_are_refused(parameters, message):
    X, y = draw_xor(40)
    with pytest.raises(ValueError) as raised:
        BoostedNaiveBayesClassifier(**parameters).fit(X, y)
    assert str(raised.value).startswith(message)


def test_a_single_class_is_refused():
    message = (
        r"at least two classes\. Got only the class 1\. Add rows of another class; one class has"
    )
    with pytest.raises(ValueError, match=message):
        BoostedNaiveBayesClassifier().fit([[0.0], [1.0]], [1, 1])


def test_few_distinct_rows_are_learnt_from_their_copies():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (400, 2)).astype(float)
    y = (X[:, 0] != X[:, 1]).astype(int)
    assert BoostedNaiveBayesClassifier().fit(X, y).score(X, y) == 1.0


def test_rows_of_great_weight_do_not_fill_the_memory():
    """A row of weight 1e9 was dealt to a million folds, 300 of them to 340 million entries."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] + rng.normal(size=300) > 0).astype(int)
    with pytest.warns(DataWarning, match="far from 1"):
        model = BoostedNaiveBayesClassifier(n_rounds=3, early_stopping=False).fit(
            X, y, np.full(300, 1e9)
        )
    assert np.isfinite(model.predict_proba(X)).all()
    assert cross_fit.choose_n_folds(3e11, 1, 0.125) == 1024
