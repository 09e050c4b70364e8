"""All that is said to people is written in ``errors/``; one idea has one name in all constructors."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

import bayfold

SOURCE = Path(bayfold.__file__).parent
MODULES = [p for p in SOURCE.rglob("*.py") if p.relative_to(SOURCE).parts[0] != "errors"]
OTHER_NAMES = {"verbose": "progress", "weights": "calibration", "axes": "ax"}


def is_wording(node: ast.AST) -> bool:
    """An exception that is raised with words of its own, other than by a module without such a name."""
    if not (isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)):
        return False
    words = any(isinstance(a, (ast.Constant, ast.JoinedStr)) for a in node.exc.args)
    kind = ast.unparse(node.exc.func)
    return kind.endswith("bad_parameter") or (
        words and kind[0].isupper() and kind != "AttributeError"
    )


def test_no_wording_outside_errors():
    found = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text()))
        if is_wording(node)
    ]
    assert found == []


@pytest.mark.parametrize(
    "name", [n for n in bayfold.__all__ if hasattr(getattr(bayfold, n), "fit")]
)
def test_one_idea_has_one_name(name):
    parameters = inspect.signature(getattr(bayfold, name)).parameters
    assert [p for p in parameters if p in OTHER_NAMES] == []
