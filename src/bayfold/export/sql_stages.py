"""Stages of a query, one on top of the other, and names for what comes out of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bayfold.export.dialects import SqlDialect


class Stages:
    """A chain of common table expressions. Columns that are kept go through all of them as k0, k1, ...

    Parameters
    ----------
    dialect : SqlDialect
    table : str or sequence of str
        Its name, or schema and name.
    keep : list of str
    """

    def __init__(self, dialect: SqlDialect, table: str | Sequence[str], keep: list[str]) -> None:
        self.dialect = dialect
        parts = [table] if isinstance(table, str) else list(table)
        self._from = ".".join(map(dialect.name_of, parts)) + " AS t"
        self.kept = [f"k{i}" for i in range(len(keep))]
        self._kept_from = {f"k{i}": f"t.{dialect.name_of(name)}" for i, name in enumerate(keep)}
        self._written: list[str] = []

    def add_table(self, name: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """A table of literals, to be joined to the next stage."""
        listed = ", ".join(f"({', '.join(row)})" for row in rows)
        self._written.append(f"{name} ({', '.join(columns)}) AS MATERIALIZED (VALUES {listed})")

    def add(
        self, name: str, items: Mapping[str, str], joined: Mapping[str, str] | None = None
    ) -> None:
        """A stage that works out the items, by their names, from the stage before and tables joined to it.

        ``joined`` has the condition for each table. They are joined in the given order, which no database needs to
        look for a better one.
        """
        body = self._select(self._kept_from | dict(items))
        for table in joined or {}:
            body += f" CROSS JOIN {table}"
        body += f" WHERE {' AND '.join(joined.values())}" if joined else ""
        stage = f"bayfold_{name}"
        self._written.append(f"{stage} AS MATERIALIZED (\n  {body}\n)")
        self._from = stage
        self._kept_from = {name: name for name in self.kept}

    def finish(self, items: Mapping[str, str]) -> str:
        """The statement that returns the items, by their names."""
        return f"WITH {', '.join(self._written)}\n{self._select(self._quote(items))}"

    def _quote(self, items: Mapping[str, str]) -> dict[str, str]:
        return {self.dialect.name_of(name): item for name, item in items.items()}

    def _select(self, items: Mapping[str, str]) -> str:
        listed = [item if item == name else f"{item} AS {name}" for name, item in items.items()]
        # a stage of a model that reads no column still has one row per row
        return f"SELECT {', '.join(listed) or 'NULL AS nothing'} FROM {self._from}"


def name_results(dialect: SqlDialect, wanted: Sequence[str]) -> list[str]:
    """Names of what comes out, short enough and different: a number is put behind those that are not.

    >>> from bayfold.export.dialects import DIALECTS
    >>> name_results(DIALECTS["sqlite"], ["p_Yes", "p_yes"])
    ['p_Yes', 'p_yes_2']
    """
    names: list[str] = []
    taken: set[str] = set()
    for text in wanted:
        name = _cut(text, dialect.longest_name)
        number = 1
        while (name if dialect.exact_case else name.casefold()) in taken:
            number += 1
            suffix = f"_{number}"
            name = _cut(text, dialect.longest_name - len(suffix)) + suffix
        taken.add(name if dialect.exact_case else name.casefold())
        names.append(name)
    return names


def _cut(text: str, n_bytes: int) -> str:
    return text.encode("utf-8", "surrogatepass")[:n_bytes].decode("utf-8", "ignore")
