"""Kernels run wherever they are started: without a folder to write to, from damaged caches, in two processes."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

KERNEL = """
from bayfold.core.kernels.compiler import kernel
from called import increment

@kernel
def add_one(x):
    return add(x)

@kernel
def add(x):
    return increment(x)
"""

CALLED = """
from bayfold.core.kernels.compiler import inner

@inner
def increment(x):
    return add_step(x)

@inner
def add_step(x):
    return x + 1
"""

RUN = """
import sys, warnings
from numba.core import caching

if "read-only" in sys.argv:
    def refuse(self):
        raise PermissionError(self.get_cache_path())
    caching._CacheLocator.ensure_cache_path = refuse
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    import tiny
    answer = tiny.add_one(2.0 if "float" in sys.argv else 1)
print([str(w.message) for w in said], sum(tiny.add_one.stats.cache_hits.values()), answer)
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "tiny.py").write_text(KERNEL)
    (tmp_path / "called.py").write_text(CALLED)
    (tmp_path / "tmp").mkdir()
    return tmp_path


def environment(folder, **changes):
    paths = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    own = {"PYTHONPATH": paths, "TMPDIR": str(folder / "tmp"), "BAYFOLD_QUIET": "1"}
    own["NUMBA_CACHE_DIR"] = str(folder / "cache")
    return {**os.environ, **own, "PYTHONDONTWRITEBYTECODE": "1", **changes}


def start(folder, *arguments, **changes):
    command = [sys.executable, "-c", RUN, *arguments]
    return subprocess.Popen(
        command,
        env=environment(folder, **changes),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(folder, *arguments, answer="2", **changes):
    """What was said, and how often compiled code was found."""
    out, err = (process := start(folder, *arguments, **changes)).communicate()
    assert process.returncode == 0, err
    said, hits, answered = out.strip().rsplit(" ", 2)
    assert answered == answer
    return said, int(hits)


def nowhere(folder):
    """No folder below a file can be made, not even by root."""
    (folder / "__pycache__").write_text("")
    place = str(folder / "tiny.py" / "below")
    return {"NUMBA_CACHE_DIR": place, "XDG_CACHE_HOME": place, "HOME": place}


def test_without_a_folder_to_write_to_kernels_are_kept_in_a_private_temporary_one(folder):
    said, hits = run(folder, **nowhere(folder))
    assert said.count("NUMBA_CACHE_DIR") == 1
    assert f"bayfold-{os.getuid()}" in said
    assert hits == 0
    private = folder / "tmp" / f"bayfold-{os.getuid()}"
    assert private.stat().st_mode & 0o077 == 0
    (folder / "__pycache__").unlink()
    assert run(folder, **nowhere(folder))[1] == 1


def test_a_temporary_folder_that_others_write_to_is_not_trusted(folder):
    shared = folder / "tmp" / f"bayfold-{os.getuid()}"
    shared.mkdir()
    shared.chmod(0o777)
    said, hits = run(folder, **nowhere(folder))
    assert "every process compiles them again" in said
    assert said.count("NUMBA_CACHE_DIR") == 1
    assert list(shared.iterdir()) == []
    assert hits == 0


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
@pytest.mark.parametrize("content", [b"", b"\x80\x05garbage"])
def test_a_damaged_file_is_thrown_away_and_compiled_anew(folder, suffix, content):
    run(folder)
    (damaged,) = (folder / "cache").rglob(f"tiny.add_one-*.{suffix}")
    whole = damaged.read_bytes()
    damaged.write_bytes(content or whole[: len(whole) // 2])
    assert run(folder) == ("[]", 0)
    assert run(folder) == ("[]", 1)


@pytest.mark.parametrize("place", [0.2, 0.5, 0.8])
def test_a_file_with_a_hole_is_thrown_away_and_compiled_anew(folder, place):
    """Machine code of zeros would end the process, today's and every later one."""
    run(folder)
    (damaged,) = (folder / "cache").rglob("tiny.add_one-*.nbc")
    content = bytearray(damaged.read_bytes())
    start = int(place * len(content))
    content[start : start + 256] = bytes(256)
    damaged.write_bytes(content)
    assert run(folder) == ("[]", 0)
    assert run(folder) == ("[]", 1)


def test_a_cache_of_another_version_is_compiled_anew(folder):
    run(folder)
    (index,) = (folder / "cache").rglob("tiny.add_one-*.nbi")
    index.write_bytes(b"\x80\x04\x95\x09\x00\x00\x00\x00\x00\x00\x00\x8c\x050.0.1\x94.")
    assert run(folder) == ("[]", 0)
    assert run(folder) == ("[]", 1)


def test_a_kernel_is_compiled_anew_if_one_that_it_calls_has_changed(folder):
    run(folder)
    (folder / "called.py").write_text(CALLED.replace("x + 1", "x + 2"))
    assert run(folder, answer="3") == ("[]", 0)
    assert run(folder, answer="3") == ("[]", 1)


def test_inner_functions_are_kept_within_the_kernels_that_call_them(folder):
    run(folder)
    kept = {file.name.split("-")[0] for file in (folder / "cache").rglob("*.nbc")}
    assert kept == {"tiny.add_one", "tiny.add"}


def test_code_of_another_signature_is_not_run(folder):
    """Two processes that compile two signatures at once may give both the same file name."""
    run(folder)
    run(folder, "float", answer="3.0")
    whole, floats = sorted((folder / "cache").rglob("tiny.add_one-*.nbc"))
    whole.write_bytes(floats.read_bytes())
    assert run(folder) == ("[]", 0)
    assert run(folder) == ("[]", 1)


def test_a_complete_cache_that_can_only_be_read_is_read_in_silence(folder):
    run(folder)
    before = sorted((folder / "cache").rglob("*"))
    assert run(folder, "read-only") == ("[]", 1)
    assert sorted((folder / "cache").rglob("*")) == before


def test_a_cache_beside_the_source_that_can_only_be_read_is_read_in_silence(folder):
    run(folder, NUMBA_CACHE_DIR="")
    assert list((folder / "__pycache__").glob("tiny.add_one-*.nbc"))
    assert run(folder, "read-only", NUMBA_CACHE_DIR="") == ("[]", 1)


def test_two_processes_that_compile_at_once_do_not_disturb_each_other(folder):
    both = [start(folder) for _ in range(2)]
    for process in both:
        _, err = process.communicate()
        assert process.returncode == 0, err
    assert run(folder) == ("[]", 1)
