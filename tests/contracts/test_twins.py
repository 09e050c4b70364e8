"""Every kernel has a slow twin: one of the same name, or the higher-level one that CONTRIBUTING.md names for it."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

import bayfold

ROOT = Path(__file__).parents[2]
SOURCE = Path(bayfold.__file__).parent
PACKAGES = sorted({path.parent for path in SOURCE.rglob("kernels/__init__.py")})
ROW = re.compile(
    r"^\| (`[^|]+`) \| `(tests/reference/\w+\.py)`: `(\w+)` \| `(tests/[\w/]+\.py)` \|$", re.M
)


def exported_kernels():
    """What the rest of the code calls, by package."""
    for package in PACKAGES:
        name = ".".join(["bayfold", *package.relative_to(SOURCE).parts])
        yield package, set(getattr(import_module(name), "__all__", ()))


@pytest.mark.parametrize("package", PACKAGES, ids=str)
def test_no_module_has_the_name_of_an_exported_kernel(package):
    """Python sets a package's attribute to the module of that name when it is imported: the kernel would be gone."""
    exported = dict(exported_kernels())[package]
    assert exported & {path.stem for path in package.glob("*.py")} == set()


def functions_of(path):
    return {n.name: n for n in ast.parse(path.read_text()).body if isinstance(n, ast.FunctionDef)}


def compiled_kernels(package):
    """Name and tree of every function under the decorator."""
    found = {}
    for path in package.glob("*.py"):
        for name, node in functions_of(path).items():
            if any(ast.unparse(d) in ("kernel", "inner") for d in node.decorator_list):
                found[name] = node
    return found


def test_python_calls_no_inner_kernel():
    """They have no entry for Python: a call would end the process."""
    inner = {
        name
        for package in PACKAGES
        for name, node in compiled_kernels(package).items()
        if "inner" in {ast.unparse(d) for d in node.decorator_list}
    }
    imported = {
        alias.name
        for path in [
            *ROOT.glob("tests/**/*.py"),
            *SOURCE.rglob("*.py"),
            *ROOT.glob("benchmarks/*.py"),
        ]
        if path.parent not in PACKAGES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and "kernels" in (node.module or "")
        for alias in node.names
    }
    exported = {name for _, names in exported_kernels() for name in names}
    assert sorted(inner & (imported | exported)) == []


def test_kernels_that_only_kernels_call_are_inner():
    """An entry for Python that nobody uses is optimised and translated once more, and each first fit waits for it."""
    compiled = {
        name: node for package in PACKAGES for name, node in compiled_kernels(package).items()
    }
    exported = {name for _, names in exported_kernels() for name in names}
    called = {n.id for node in compiled.values() for n in ast.walk(node) if isinstance(n, ast.Name)}
    with_entry = {
        name
        for name, node in compiled.items()
        if "kernel" in {ast.unparse(d) for d in node.decorator_list}
    }
    assert len(with_entry) > 50
    assert sorted(with_entry & called - exported) == []


def covered_kernels():
    """The table of CONTRIBUTING.md: kernel, file and name of the twin, test."""
    for kernels, file, twin, test in ROW.findall((ROOT / "CONTRIBUTING.md").read_text()):
        for kernel in re.findall(r"`(\w+)`", kernels):
            yield kernel, file, twin, test


def twin_names():
    return {name for path in ROOT.glob("tests/reference/*.py") for name in functions_of(path)}


def test_every_kernel_has_a_twin_or_is_covered_by_one():
    known = twin_names() | {kernel for kernel, *_ in covered_kernels()}
    exported = {name for _, names in exported_kernels() for name in names}
    assert exported
    assert sorted(exported - known) == []


def test_the_table_lists_nothing_else():
    exported = {name for _, names in exported_kernels() for name in names}
    listed = {kernel for kernel, *_ in covered_kernels()}
    assert sorted(listed - exported) == []
    assert sorted(listed & twin_names()) == []


@pytest.mark.parametrize("entry", list(covered_kernels()), ids=lambda entry: entry[0])
def test_what_the_table_names_exists_and_is_used(entry):
    _, file, twin, test = entry
    assert twin in functions_of(ROOT / file)
    assert f"{Path(file).stem}" in (ROOT / test).read_text()
    assert twin in (ROOT / test).read_text() + (ROOT / file).read_text().split(f"def {twin}")[1]


@pytest.mark.parametrize("package", PACKAGES, ids=lambda p: "/".join(p.relative_to(SOURCE).parts))
def test_kernels_that_are_not_exported_serve_one_that_is(package):
    """So that the twin of the caller covers them."""
    compiled = {name: node for other in PACKAGES for name, node in compiled_kernels(other).items()}
    reached = {name for _, names in exported_kernels() for name in names}
    while True:
        calls = {
            n.id
            for r in reached
            if r in compiled
            for n in ast.walk(compiled[r])
            if isinstance(n, ast.Name)
        }
        if calls & set(compiled) <= reached:
            break
        reached |= calls & set(compiled)
    assert sorted(set(compiled_kernels(package)) - reached) == []
