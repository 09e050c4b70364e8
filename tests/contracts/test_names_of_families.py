"""One name, one meaning: what two methods define under the same name is confused with each other."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import bayfold

FAMILIES = Path(bayfold.__file__).parent / "families"


def test_no_two_families_define_the_same_name():
    families = defaultdict(set)
    for path in FAMILIES.rglob("*.py"):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                families[node.name].add(path.relative_to(FAMILIES).parts[0])
    assert {name: sorted(found) for name, found in families.items() if len(found) > 1} == {}
