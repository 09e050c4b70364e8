"""The kernels are Python: they must mean the same when numba does not compile them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]

WITHOUT_COMPILER = """
import numba, pytest, sys
from pathlib import Path
from hypothesis import settings

assert numba.config.DISABLE_JIT

FAMILIES = [
    "adaboost/test_votes", "aode/test_kernels", "boosting/test_rounds", "boosting/test_tables", "mixtures/test_kernels",
    "mte/test_kernels", "regression/test_smooth", "trees/test_grower", "trees/test_leaves",
]

class FewExamples:
    def pytest_configure(self):
        settings.register_profile("few", settings.get_profile("ci"), max_examples=5)
        settings.load_profile("few")

tests = [str(path) for path in sorted(Path("tests/core/kernels").glob("test_*.py"))]
tests.remove("tests/core/kernels/test_uncompiled.py")
tests += [f"tests/families/{path}.py" for path in FAMILIES]
arguments = ["-x", "-p", "no:cacheprovider", "-k", "twin or exact", *tests]
sys.exit(pytest.main(arguments, plugins=[FewExamples()]))
"""


def test_twins_agree_without_compilation():
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT_COMPILER],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stdout + run.stderr
