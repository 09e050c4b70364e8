"""Warnings about columns that cannot tell anything."""

from __future__ import annotations

from bayfold.core.counts import JointCounts
from bayfold.core.counts.identifiers import find_identifiers
from bayfold.core.kernels.codes import FIRST_BIN
from bayfold.errors import harmless_column, warn


def warn_about_columns(counts: JointCounts) -> None:
    """One warning for each way in which columns are of no use, naming them."""
    found: dict[str, list[str]] = {"all missing": [], "constant": [], "identifier": []}
    assert counts.schema is not None
    columns = zip(counts.schema.columns, counts.tables, find_identifiers(counts), strict=True)
    for described, table, is_identifier in columns:
        of_bin = table[FIRST_BIN:].sum(axis=1)
        known, n_values = of_bin.sum(), int((of_bin > 0).sum())
        if known == 0:
            found["all missing"].append(described.name)
        elif n_values == 1:
            found["constant"].append(described.name)
        elif is_identifier:
            found["identifier"].append(described.name)
    wording = {
        "all missing": "without a single known cell",
        "constant": "with a single value",
        "identifier": "with nearly as many categories as rows (an identifier?)",
    }
    for what, names in found.items():
        if names:
            warn(harmless_column(names, wording[what]))
