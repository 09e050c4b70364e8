"""Settings of a model in a TOML file: they are those of Python, and what cannot be is named by its key."""

import numpy as np
import pandas as pd
import pytest

from bayfold import BoostedNaiveBayesClassifier, NaiveBayesClassifier, load

FIT = ("fit", "credit.csv", "-t", "outcome", "--drop", "id", "-o", "m.bayfold")
SETTINGS = """
model = "boosted"
n_rounds = 15
interactions = [["income", "age"]]
linear = false

[bins]
age = [25, 40]
region = [["north", "south"]]

[special_codes]
income = [-99, -98]

[monotone]
income = "increasing"
"""


def test_a_file_says_what_python_says(folder, run):
    (folder / "model.toml").write_text(SETTINGS)
    run(*FIT, "--settings", "model.toml")
    found = load("m.bayfold")
    rows = pd.read_csv("credit.csv")
    expected = BoostedNaiveBayesClassifier(
        n_rounds=15,
        interactions=[("income", "age")],
        linear=False,
        bins={"age": [25, 40], "region": [["north", "south"]]},
        special_codes={"income": [-99, -98]},
        monotone={"income": "increasing"},
        random_state=0,
    )
    X = rows.drop(columns=["id", "outcome"])
    expected.fit(X, rows["outcome"])
    np.testing.assert_array_equal(found.predict_proba(X), expected.predict_proba(X))
    assert len(found.monotone_violations_) == 0


def test_the_command_line_counts(folder, run):
    (folder / "model.toml").write_text('model = "boosted"\nn_rounds = 5\n')
    run(*FIT, "--settings", "model.toml", "--set", "n_rounds=7")
    assert load("m.bayfold").get_params()["n_rounds"] == 7
    with_mark = 'numeric = "mdl"\n'.encode("utf-8-sig")  # as Windows editors write it
    (folder / "model.toml").write_bytes(with_mark)
    run(*FIT, "--settings", "model.toml", "--model", "naive-bayes")
    found = load("m.bayfold")
    assert isinstance(found, NaiveBayesClassifier)
    assert found.get_params()["numeric"] == "mdl"


def test_files_of_any_size_read_them_too(folder, run):
    (folder / "model.toml").write_text('[monotone]\nincome = "increasing"\n')
    run(*FIT, "--settings", "model.toml", "--stream")
    assert load("m.bayfold").get_params()["monotone"] == {"income": "increasing"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "bin = 3",
            "model.toml: `bin` must be `model` or a parameter of NaiveBayesClassifier. Did you mean 'bins'",
        ),
        ("[bins]\nagee = [1, 2]", "`bins` must be given by columns of the table"),
        ("[bins]\nage = [2, 1]", "`bins` must be"),
        (
            '[monotone]\nregion = "increasing"',
            "`monotone` must be about columns of numbers. Got 'region (categories)'",
        ),
        ('[monotone]\nage = "up"', '`monotone` must be "increasing", "decreasing"'),
        ("model = 3", "model.toml: `model` must be the name of a model"),
        ('model = "mte"', "`--model` must be one of naive-bayes"),
        ("bins = [1,", "`--settings` must be a TOML file. Got model.toml: "),
        ("a = 1\nb =\nc = 2", "line 2"),
    ],
)
def test_what_cannot_be_is_named(folder, run, text, message):
    (folder / "model.toml").write_text(text)
    assert message in run(*FIT, "--settings", "model.toml", code=2).stderr
    assert not (folder / "m.bayfold").exists()


def test_a_file_that_is_not_there(folder, run):
    assert "Got none.toml: " in run(*FIT, "--settings", "none.toml", code=2).stderr


def test_settings_are_never_written_over(folder, run):
    (folder / "model.toml").write_text("n_bins = 4")
    run(*FIT[:-1], "model.toml", "--settings", "model.toml", "--overwrite", code=2)
    assert (folder / "model.toml").read_text() == "n_bins = 4"
