"""What ``import bayfold`` offers, and that it costs nothing until it is used."""

from __future__ import annotations

import subprocess
import sys

import pytest

import bayfold


@pytest.mark.parametrize("name", bayfold.__all__)
def test_every_public_name_is_there(name):
    assert getattr(bayfold, name) is not None
    assert name in dir(bayfold)


def test_parts_are_there_without_an_import_of_their_own():
    code = (
        "import bayfold, sys; early = [m for m in sys.modules if m.startswith('bayfold.')];"
        "print(early, bayfold.plot.plot_tree.__name__, bayfold.evaluate.sign_test(3, 1),"
        " bayfold.datasets.load_dataset.__name__)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["[]", "plot_tree", "0.3125", "load_dataset"]


def test_an_unknown_name_is_refused():
    with pytest.raises(AttributeError, match="module 'bayfold' has no attribute 'nonsense'"):
        _ = bayfold.nonsense
