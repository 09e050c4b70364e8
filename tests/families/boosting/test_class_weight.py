"""``class_weight`` of boosted models means what it means in scikit-learn."""

import numpy as np
import pytest

from bayfold import AdaBoostNaiveBayesClassifier, BoostedNaiveBayesClassifier

MODELS = {
    "additive": BoostedNaiveBayesClassifier(n_rounds=25, n_models=1),
    "votes": AdaBoostNaiveBayesClassifier(n_rounds=4),
    "votes of trees": AdaBoostNaiveBayesClassifier(n_rounds=3, max_depth=1),
    "confidence": AdaBoostNaiveBayesClassifier(method="real", n_rounds=5),
}


def rare(n: int = 400):
    rng = np.random.default_rng(1)
    y = np.where(rng.random(n) < 0.12, "yes", "no")
    return rng.normal(np.where(y == "yes", 1.0, 0.0)[:, None], 1.0, (n, 3)), y


def make(name, **settings):
    from sklearn.base import clone

    return clone(MODELS[name]).set_params(**settings)


@pytest.mark.filterwarnings("ignore::bayfold.errors.DataWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", MODELS)
class TestClassWeight:
    def test_balanced_finds_more_of_the_rare_class(self, name):
        X, y = rare()
        plain, balanced = make(name).fit(X, y), make(name, class_weight="balanced").fit(X, y)
        assert (balanced.predict(X) == "yes").sum() > (plain.predict(X) == "yes").sum()
        assert balanced.predict_proba(X)[:, 1].mean() > plain.predict_proba(X)[:, 1].mean()

    def test_balanced_is_the_dict_that_scikit_learn_has_for_it(self, name):
        X, y = rare()
        labels, counts = np.unique(y, return_counts=True)
        factors = dict(zip(labels.tolist(), (len(y) / (2 * counts)).tolist(), strict=True))
        by_word, by_dict = (make(name, class_weight=w).fit(X, y) for w in ("balanced", factors))
        np.testing.assert_allclose(by_word.predict_proba(X), by_dict.predict_proba(X), rtol=1e-9)

    def test_factors_of_one_change_nothing(self, name):
        X, y = rare()
        same = make(name, class_weight={"no": 1.0, "yes": 1.0}).fit(X, y)
        np.testing.assert_array_equal(same.predict_proba(X), make(name).fit(X, y).predict_proba(X))

    def test_counts_are_shown_as_they_were_given(self, name):
        X, y = rare()
        summary = make(name, class_weight="balanced").fit(X, y).summary()
        assert summary.classes["count"].tolist() == [(y == "no").sum(), (y == "yes").sum()]

    @pytest.mark.parametrize("wrong", ["even", {"perhaps": 2.0}, {"no": -1.0}, {"no": 0}, 3])
    def test_other_values_are_refused(self, name, wrong):
        X, y = rare()
        with pytest.raises((ValueError, TypeError), match="`class_weight` must be"):
            make(name, class_weight=wrong).fit(X, y)
