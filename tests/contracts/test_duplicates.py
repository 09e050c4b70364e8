"""No six equal lines of code stand twice."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

import bayfold

ROOT = Path(bayfold.__file__).parent
LENGTH = 6


def lines_of_code(text):
    """Number and text of the lines that do something: no docstrings, imports or signatures."""
    passed = set()
    for node in ast.walk(ast.parse(text)):
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if is_text or isinstance(node, (ast.Import, ast.ImportFrom)):
            passed |= set(range(node.lineno, node.end_lineno + 1))
        elif isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            passed |= set(range(first, node.body[0].lineno))
    for number, line in enumerate(text.split("\n"), start=1):
        code = line.split("#")[0].strip()
        is_kept = re.fullmatch(r"self\.(\w+) = \1", code)
        if number not in passed and re.search(r"\w", code) and not is_kept:
            yield number, code


def find_repeats(texts):
    places = defaultdict(list)
    for name, text in texts.items():
        lines = list(lines_of_code(text))
        for k in range(len(lines) - LENGTH + 1):
            run = tuple(code for _, code in lines[k : k + LENGTH])
            places[run].append(f"{name}:{lines[k][0]}")
    return [where for where in places.values() if len(where) > 1]


def test_no_six_equal_lines_stand_twice():
    texts = {str(path.relative_to(ROOT)): path.read_text() for path in sorted(ROOT.rglob("*.py"))}
    assert find_repeats(texts) == []


def test_repeats_are_found():
    text = "\n".join(f"x = f({k})" for k in range(LENGTH))
    assert find_repeats({"a": text, "b": text}) == [["a:1", "b:1"]]
    assert find_repeats({"a": text, "b": text.replace("3", "7")}) == []
