"""Parameters that were given on the command line: a bad one is misuse, not bad data."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bayfold.errors import UsageError


@contextmanager
def blame_parameters(estimator: Any) -> Iterator[None]:
    """Turn the refusal of one of the estimator's parameters into misuse; what it says stays."""
    names = estimator.get_params(deep=False)
    try:
        yield
    except ValueError as error:
        if any(str(error).startswith(f"`{name}` must") for name in names):
            raise UsageError(str(error)) from error
        raise
