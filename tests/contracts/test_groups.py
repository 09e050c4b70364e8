"""Dependency groups are the extras of the same names: pip of older Pythons knows only these."""

import tomllib
from pathlib import Path

PROJECT = tomllib.loads(Path(__file__).parents[2].joinpath("pyproject.toml").read_text())


def test_groups_are_the_extras():
    extras = PROJECT["project"]["optional-dependencies"]
    groups = PROJECT["dependency-groups"]
    assert {name: extras[name] for name in groups if name != "dev"} == {
        name: found for name, found in groups.items() if name != "dev"
    }
