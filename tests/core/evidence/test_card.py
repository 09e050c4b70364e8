"""Model cards: what is in them, and what a hostile name may not do."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bayfold import NaiveBayesClassifier, NaiveBayesMixture, NaiveBayesRegressor


def make_rows():
    rng = np.random.default_rng(0)
    number = rng.normal(size=60)
    frame = pd.DataFrame({"a|b": number, "kind": rng.choice(["x", "y"], 60)})
    return frame, number


def test_a_card_says_what_summary_knows_and_asks_for_what_nobody_told():
    frame, number = make_rows()
    model = NaiveBayesClassifier(calibration="temperature").fit(frame, number > 0)
    card = model.card()
    summary = model.summary()
    assert card.startswith("# NaiveBayesClassifier\n")
    assert "To be filled in" in card
    assert "To be filled in" not in model.card("For tests.")
    assert "`calibration='temperature'`" in card
    assert f"{summary.held_out.model['log_loss']:.4g}" in card
    assert summary.held_out.how in card
    lines = [line for line in card.splitlines() if line.startswith("| a")]
    assert lines[0].startswith(r"| a\|b | numeric |")


def test_models_without_classes_have_one_too():
    frame, number = make_rows()
    assert "## Target" in NaiveBayesRegressor().fit(frame, number).card()
    card = NaiveBayesMixture(2, random_state=0).fit(frame).card()
    assert "## Classes" not in card
    assert "not held out" in card
