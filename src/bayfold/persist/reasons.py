"""Why a file is refused, as it is found out; the error that people see also names the file."""

from __future__ import annotations


class RefusedError(Exception):
    """A file that does not hold what it must; caught where the file's name is known."""


def expect(holds: bool, what: str) -> None:
    """Refuse a file unless something holds of it.

    Parameters
    ----------
    holds : bool
    what : str
        What does not fit otherwise, such as "the edges of a column".
    """
    if not holds:
        raise RefusedError(what)
