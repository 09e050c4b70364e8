"""After a warm-up, estimators find their kernels compiled."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import bayfold

SOURCES = Path(bayfold.__file__).parent
SELDOM = {"count_unknown"}
"""Only where a column of few values gets new ones in a stream."""

CODE = """
import json, sys, warnings
from importlib import import_module
from rich.console import Console
from bayfold.cli.warming import warm_up

warm_up(Console(stderr=True))
packages = [import_module(name) for name in json.loads(sys.argv[1])]
cold = [k for p in packages for k in p.__all__ if not getattr(getattr(p, k), "signatures", True)]
print(json.dumps(cold))
"""


def find_called() -> set[str]:
    """Kernels that Python code calls; others are called by kernels and compiled into them."""
    files = [path for path in SOURCES.rglob("*.py") if "kernels" not in path.parts]
    return {name for path in files for name in re.findall(r"kernels\.(\w+)\(", path.read_text())}


def test_every_kernel_is_compiled():
    packages = [
        ".".join(("bayfold", *path.relative_to(SOURCES).parts))
        for path in SOURCES.rglob("kernels")
        if (path / "__init__.py").exists()
    ]
    command = [sys.executable, "-c", CODE, json.dumps(packages)]
    told = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ)
    assert set(json.loads(told.stdout)) & find_called() <= SELDOM
    assert "compiled" in told.stderr
    assert "bayfold compiles its kernels" not in told.stderr
