"""Numbers that results depend on: each with its reason beside it, each under a name of its own."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import pytest

import bayfold

ROOT = Path(bayfold.__file__).parent
EXEMPT = ("plot", "cli", "datasets")
"""What is drawn, printed or generated; no result depends on it."""


def number_constants():
    """Place, name, and whether a reason stands beside it, of every constant that holds a number."""
    for path in sorted(ROOT.rglob("*.py")):
        if path.relative_to(ROOT).parts[0] in EXEMPT:
            continue
        text = path.read_text()
        lines, body = text.split("\n"), ast.parse(text).body
        for position, node in enumerate(body):
            names = constant_names(node)
            if not names or not holds_number(node.value):
                continue
            following = find_after_run(body, position)
            around = lines[node.lineno - 2] + lines[node.lineno - 1]
            for name in names:
                yield path.relative_to(ROOT), name, is_text(following) or "#" in around


def find_after_run(body, position):
    """What follows the constants that stand line below line: one reason may be that of all of them."""
    node = body[position]
    for following in body[position + 1 :]:
        if not constant_names(following) or following.lineno != node.end_lineno + 1:
            return following
        node = following
    return None


def constant_names(node):
    """The constants that a statement assigns, one by one or several as a tuple."""
    target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
    targets = target.elts if isinstance(target, ast.Tuple) else [target]
    names = [each.id for each in targets if isinstance(each, ast.Name)]
    return [name for name in names if name.strip("_").isupper()]


def holds_number(value):
    inside = ast.walk(value) if value is not None else ()
    return any(isinstance(n, ast.Constant) and type(n.value) in (int, float) for n in inside)


def is_text(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def test_every_number_has_its_reason():
    bare = [f"{path}: {name}" for path, name, has_reason in number_constants() if not has_reason]
    assert bare == []


def test_no_name_has_two_meanings():
    places = defaultdict(list)
    for path, name, _ in number_constants():
        places[name].append(str(path))
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


@pytest.mark.parametrize("source", ["A = 3", "A: int = 3", "A, B = 3, 4", "A, b = 3, 4"])
def test_constants_of_tuples_are_seen(source):
    found = constant_names(ast.parse(source).body[0])
    assert found == (["A", "B"] if "B" in source else ["A"])


@pytest.mark.parametrize(
    ("source", "found"), [("A = 3", True), ("A: int = -1", True), ("A = 'x'", False)]
)
def test_numbers_are_told_from_other_constants(source, found):
    assert holds_number(ast.parse(source).body[0].value) is found
