"""Documents of older protocols as the current one has them, step by step (docs/model_files.md says how to add one)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bayfold.persist.archive import PROTOCOL

UPGRADES: dict[int, Callable[[Any], Any]] = {}
"""What makes a document of one protocol a document of the next. They work on the JSON alone, never on classes, which
change later. There is no older protocol yet."""


def upgrade(document: Any, protocol: int) -> Any:
    """A document of the current protocol from one of an older."""
    for step in range(protocol, PROTOCOL):
        document = UPGRADES[step](document)
    return document
