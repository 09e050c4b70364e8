"""What CI does, by name: ``nox`` for tests and linters, ``nox -s packages``, ``docs``, ``spark`` and ``bench``."""

from __future__ import annotations

import shutil
from pathlib import Path

import nox

nox.options.sessions = ["tests", "lint"]
nox.options.default_venv_backend = "venv"

HERE = Path(__file__).parent


@nox.session
def tests(session: nox.Session) -> None:
    """The whole suite; arguments behind ``--`` go to pytest."""
    session.install(".[test]")
    session.run("pytest", "-n", "auto", *session.posargs)


@nox.session
def spark(session: nox.Session) -> None:
    """The tests on Spark, which needs Java: the tests above skip them where pyspark is not installed."""
    session.install(".[test,spark]")
    session.run("pytest", "-m", "spark", "tests", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Style, types and the order of imports."""
    session.install(".[test,lint]")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy")
    session.run("lint-imports", "--no-cache")


@nox.session
def packages(session: nox.Session) -> None:
    """Wheel and sdist, and the tests of the sdist against the installed wheel, outside the repository."""
    session.install("build", "twine", "validate-pyproject")
    session.run("validate-pyproject", "pyproject.toml")
    shutil.rmtree(HERE / "dist", ignore_errors=True)
    session.run("python", "-m", "build", "--outdir", "dist")
    session.run("twine", "check", "--strict", *map(str, (HERE / "dist").iterdir()))
    (wheel,), (sdist,) = (HERE / "dist").glob("*.whl"), (HERE / "dist").glob("*.tar.gz")
    session.install(f"{wheel}[test]")
    elsewhere = Path(session.create_tmp())
    shutil.unpack_archive(sdist, elsewhere)
    with session.chdir(elsewhere / sdist.name.removesuffix(".tar.gz")):
        shutil.rmtree("src")  # what is tested is what was installed
        session.run("pytest", "-n", "auto", "tests", *session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """The documentation site; a warning is an error."""
    session.install(".[docs]")
    session.run("mkdocs", "build", "--strict", *session.posargs)


@nox.session
def bench(session: nox.Session) -> None:
    """A short run of the benchmark of the core."""
    session.install(".[test]")
    session.run("python", "-m", "benchmarks.core", "--quick", *session.posargs)
