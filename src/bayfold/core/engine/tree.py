"""Sums in a fixed tree, of parts that come one by one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class TreeSum:
    """Adds parts as ``add_in_tree`` adds a list of them, and holds only as many sums as the tree is high.

    Attributes
    ----------
    n_parts : int
        How many parts have been added.
    sums : list
        Sums of neighbouring parts, of as many as each bit of ``n_parts`` that is set, the most first.

    Examples
    --------
    >>> tree = TreeSum()
    >>> for part in ["a", "b", "c", "d", "e", "f", "g"]:
    ...     tree.add(part)
    >>> tree.sums, tree.total()
    (['abcd', 'ef', 'g'], 'abcdefg')
    """

    n_parts: int = 0
    sums: list[Any] = field(default_factory=list)

    def add(self, part: Any) -> None:
        """Add the next part."""
        level = self.n_parts
        while level & 1:
            part = self.sums.pop() + part
            level >>= 1
        self.sums.append(part)
        self.n_parts += 1

    def total(self) -> Any:
        """The sum of all parts so far; None of none."""
        if not self.sums:
            return None
        total = self.sums[-1]
        for more in reversed(self.sums[:-1]):
            total = more + total
        return total
