"""Warnings about columns that cannot tell anything."""

from __future__ import annotations

from bayfold.counts import JointCounts
from bayfold.errors import harmless_column, warn
from bayfold.kernels.codes import FIRST_BIN
from bayfold.schema import NominalColumn

IDENTIFIER_SHARE = 0.9
IDENTIFIER_ROWS = 20


def warn_about_columns(counts: JointCounts) -> None:
    """One warning for each way in which columns are of no use, naming them."""
    found: dict[str, list[str]] = {"all missing": [], "constant": [], "identifier": []}
    assert counts.schema is not None
    for described, table in zip(counts.schema.columns, counts.tables, strict=True):
        of_bin = table[FIRST_BIN:].sum(axis=1)
        known, n_values = of_bin.sum(), int((of_bin > 0).sum())
        if known == 0:
            found["all missing"].append(described.name)
        elif n_values == 1:
            found["constant"].append(described.name)
        elif isinstance(described, NominalColumn) and _is_identifier(n_values, known):
            found["identifier"].append(described.name)
    wording = {
        "all missing": "without a single known cell",
        "constant": "with a single value",
        "identifier": "with nearly as many categories as rows (an identifier?)",
    }
    for what, names in found.items():
        if names:
            warn(harmless_column(names, wording[what]))


def _is_identifier(n_values: int, known: float) -> bool:
    return known >= IDENTIFIER_ROWS and n_values >= IDENTIFIER_SHARE * known
