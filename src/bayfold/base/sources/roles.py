"""Which columns of a source are learnt from, predicted, or weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bayfold import errors
from bayfold.core.frames import NullColumn, Table
from bayfold.core.frames.sources import Source


@dataclass(frozen=True)
class Roles:
    """What the columns of a source are for.

    Attributes
    ----------
    features : tuple of str
    target, weight : str or None
    """

    features: tuple[str, ...]
    target: str | None = None
    weight: str | None = None

    @classmethod
    def find(
        cls,
        source: Source,
        target: Any,
        weight: Any,
        columns: Sequence[str] | None,
        has_target: bool = True,
    ) -> Roles:
        """Check the names; without ``columns``, all that are left are learnt from."""
        names = source.names
        used = {"target": target} if has_target else {}
        used |= {} if weight is None else {"weight": weight}
        for role, name in used.items():
            _check_name(role, name, names)
        if target is not None and target == weight:
            raise errors.column_has_two_roles(target, "target", "weight")
        if columns is None:
            columns = [name for name in names if name not in used.values()]
        for name in columns:
            _check_name("columns", name, names)
            for role, other in used.items():
                if name == other:
                    raise errors.column_has_two_roles(name, "columns", role)
        if not columns:
            raise errors.no_columns_left(names)
        return cls(tuple(columns), target, weight)

    @property
    def columns(self) -> list[str]:
        """All that are read."""
        others = [name for name in (self.target, self.weight) if name is not None]
        return [*self.features, *others]

    def header(self) -> Table:
        """The columns that are learnt from, without a row."""
        columns = tuple(NullColumn(name, 0) for name in self.features)
        return Table(columns, 0, self.features)


def _check_name(parameter: str, name: Any, names: list[str]) -> None:
    if not isinstance(name, str) or name not in names:
        raise errors.no_such_column(parameter, name, names)
