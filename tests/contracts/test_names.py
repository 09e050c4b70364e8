"""One name, one meaning: what is defined twice under the same name is confused with each other."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import bayfold

SOURCES = Path(bayfold.__file__).parent


def test_no_public_name_is_defined_twice():
    found = defaultdict(list)
    for path in sorted(SOURCES.rglob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(str(path.relative_to(SOURCES)))
    assert {name: places for name, places in found.items() if len(places) > 1} == {}
