"""What the documents say of files: links lead somewhere, places exist, decisions are numbered without gaps."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

import bayfold

ROOT = Path(__file__).parents[2]
PAGES = [
    *ROOT.glob("*.md"),
    *ROOT.glob("docs/**/*.md"),
    *ROOT.glob("benchmarks/**/*.md"),
    *ROOT.glob("papers/**/*.md"),
]
PLACES = (Path(bayfold.__file__).parent, ROOT)  # the package may be installed elsewhere
COMMANDS = [*ROOT.glob("benchmarks/*.py"), *ROOT.glob("papers/**/*.py"), *ROOT.glob("docs/*.py")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text())
    local = [link for link in links if "://" not in link]
    assert [link for link in local if not (page.parent / link).exists()] == []


def test_the_plan_of_the_house_names_places_that_exist():
    plan = (ROOT / "CONTRIBUTING.md").read_text()
    places = re.findall(r"`([\w/]+/[\w/]*(?:\.py)?)`", plan)
    assert places
    inside = [place.removeprefix("src/bayfold/") for place in places]
    assert [p for p in inside if not any((at / p).exists() for at in PLACES)] == []


def test_decisions_are_numbered_without_gaps():
    decisions = sorted((ROOT / "docs/decisions").glob("*.md"))
    titles = [path.read_text().split("\n")[0] for path in decisions]
    for number, (path, title) in enumerate(zip(decisions, titles, strict=True), start=1):
        assert path.name.startswith(f"{number:04}-")
        assert title.startswith(f"# {number}. ")


@pytest.mark.parametrize("command", COMMANDS, ids=lambda path: str(path.relative_to(ROOT)))
def test_commands_import_what_exists(command):
    """Nobody runs them in CI: they take hours and other libraries."""
    found = [n for n in ast.walk(ast.parse(command.read_text())) if isinstance(n, ast.ImportFrom)]
    ours = [node for node in found if (node.module or "").split(".")[0] == "bayfold"]
    names = [(import_module(node.module), alias.name) for node in ours for alias in node.names]
    lost = [f"{m.__name__}.{name}" for m, name in names if not hasattr(m, name)]
    assert [name for name in lost if not _is_module(name)] == []


def _is_module(name: str) -> bool:
    path = ROOT / "src" / name.replace(".", "/")
    return path.is_dir() or path.with_suffix(".py").exists()
