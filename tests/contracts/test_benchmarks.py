"""Every benchmark can be started: what they share moves now and then."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"
MODULES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__")


@pytest.mark.parametrize("name", MODULES)
def test_every_benchmark_is_imported(name):
    try:
        import_module(f"benchmarks.{name}")
    except ModuleNotFoundError as missing:
        if str(missing.name).split(".")[0] in ("benchmarks", "bayfold", "papers"):
            raise
        pytest.skip(f"{missing.name} is not installed")
