"""The code of the README and of the documentation runs, block by block, and prints what the page says it prints."""

from __future__ import annotations

import contextlib
import io
import re
import runpy
import sys
from pathlib import Path

import pytest

import bayfold
from benchmarks import readme

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"```python\n(.*?)```(?:\n+```text\n(.*?)```)?", re.DOTALL)
TESTED_ELSEWHERE = {"exports.md", "large_data.md"}
"""With what they leave behind: tests/export/test_page.py, tests/contracts/test_guide_to_large_data.py."""


def find_pages() -> list[Path]:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    with_code = [page for page in pages if BLOCK.search(page.read_text(encoding="utf-8"))]
    return [page for page in with_code if page.name not in TESTED_ELSEWHERE]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("page", find_pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    for code, shown in BLOCK.findall(page.read_text(encoding="utf-8")):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(page), "exec"), names)
        if shown:
            assert as_lines(printed.getvalue()) == as_lines(shown)


def as_lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().splitlines()]


EXAMPLES = sorted(set((ROOT / "examples").glob("*.py")) - {ROOT / "examples" / "mlflow_model.py"})
"""Those that draw a picture; ``tests/export/test_mlflow.py`` runs the other one."""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_examples_run_and_are_short(path, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib").use("Agg")
    pytest.importorskip("pandas")
    monkeypatch.setattr(sys, "argv", [str(path), str(tmp_path)])
    runpy.run_path(str(path), run_name="__main__")
    assert (tmp_path / f"{path.stem}.png").stat().st_size > 10_000
    assert len(path.read_text(encoding="utf-8").splitlines()) < 60


def test_tables_are_those_of_the_result_files():
    """After measuring again: ``python -m benchmarks.readme``, ``python -m docs.make_benchmarks``."""
    for page in readme.PAGES:
        text = page.read_text(encoding="utf-8")
        assert readme.fill(text) == text


def test_every_public_name_is_on_a_page_of_the_api():
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs/api").glob("*.md"))
    wanted = set(bayfold.__all__) - {"__version__"}
    assert {name for name in wanted if f"bayfold.{name}" not in text} == set()


def test_every_page_is_in_the_menu():
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = [path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")]
    shown = [
        page for page in pages if page.parts[0] != "decisions"
    ]  # these are listed by decisions.md
    assert [str(page) for page in shown if f" {page.as_posix()}\n" not in menu] == []
