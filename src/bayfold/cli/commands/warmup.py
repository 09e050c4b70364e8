"""``bayfold warmup``."""

from __future__ import annotations


def warmup() -> None:
    """Compile all kernels now, once per machine, so that no first fit has to wait for it.

    Example: bayfold warmup
    """
    # the models and their libraries: not for --help
    from rich.console import Console

    from bayfold.cli.warming import warm_up

    warm_up(Console(stderr=True))
