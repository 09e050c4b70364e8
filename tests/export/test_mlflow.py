"""The example with MLflow runs where MLflow is installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "mlflow_model.py"


def test_a_model_comes_back_from_mlflow(tmp_path):
    pytest.importorskip("mlflow", reason="needs mlflow")
    command = [sys.executable, str(EXAMPLE), str(tmp_path)]
    found = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert "the model from MLflow answers alike" in found.stdout, found.stderr
