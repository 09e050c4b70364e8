"""As a shell sees it: pipes, exit codes, signals, time to start."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

BAYFOLD = [sys.executable, "-m", "bayfold"]


def run(*arguments, **options):
    return subprocess.run([*BAYFOLD, *arguments], capture_output=True, text=True, **options)


def test_help_imports_neither_models_nor_arrays():
    code = (
        "import sys; from typer.testing import CliRunner; from bayfold.cli import app;"
        "assert CliRunner().invoke(app, ['--help']).exit_code == 0;"
        "print([m for m in ('numpy', 'sklearn', 'pyarrow', 'numba', 'scipy') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_a_command_in_a_pipe(folder):
    fit = run("fit", "credit.csv", "-t", "outcome", "--drop", "id", "-o", "m.bayfold")
    assert fit.returncode == 0
    text = (folder / "credit.csv").read_text()
    scored = run("predict", "m.bayfold", "-", "--keep", "id", input=text)
    assert (scored.returncode, scored.stderr) == (0, "")
    assert scored.stdout.splitlines()[0] == "id,prediction,probability_default,probability_paid"
    # a reader that has gone already
    reading, writing = os.pipe()
    os.close(reading)
    command = [*BAYFOLD, "predict", "m.bayfold", "credit.csv"]
    cut = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert (cut.returncode, cut.stderr) == (1, "")
    # a reader that goes in the middle, and no buffer of Python's between
    text += "".join(text.splitlines(keepends=True)[1:]) * 300
    (folder / "long.csv").write_text(text)
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    command = [*BAYFOLD, "predict", "m.bayfold", "long.csv"]
    for output in ("-", "/dev/stdout"):
        with subprocess.Popen(
            [*command, "-o", output],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
        ) as process:
            assert process.stdout.read(100)
            process.stdout.close()
            process.wait()
        assert process.returncode == 1


def test_errors_are_sentences_unless_debug_is_asked_for(folder):
    bad = run("fit", "credit.csv", "-t", "outcom", "-o", "m.bayfold")
    assert bad.returncode == 2
    assert bad.stderr.startswith("error: `--target` must name a column")
    assert "Traceback" not in bad.stderr
    shown = run("fit", "credit.csv", "-t", "outcom", "-o", "m.bayfold", "--debug")
    assert "Traceback" in shown.stderr
    assert shown.returncode != 0


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_ends_quietly(folder):
    command = [*BAYFOLD, "compare", "credit.csv", "-t", "outcome", "--repeats", "1000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        process.stderr.readline()  # the note on the task: reading is done, fitting begins
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read().decode()
    # Python may end by the signal itself where it was caught inside exec(); a shell sees 130 either way
    assert process.returncode in (130, -signal.SIGINT)
    assert rest.endswith("error: interrupted\n")
    assert "Traceback" not in rest
