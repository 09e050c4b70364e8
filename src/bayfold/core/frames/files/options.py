"""What a user may say about a file; whatever is left out is detected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

MISSING = ("", "NA", "N/A", "#N/A", "NaN", "nan", "NULL", "null", "None", "?")
"""Spellings of a missing cell: of R, pandas, spreadsheets, SQL, Python and WEKA."""


@dataclass(frozen=True)
class ReadOptions:
    """How to read a file.

    Attributes
    ----------
    format : {"csv", "parquet", "arrow", "arff", "duckdb"} or None
        By default what the name ends with, or how the file begins.
    delimiter, decimal, encoding : str or None
        Of a CSV file.
    missing : tuple of str
        What stands for a missing cell in a CSV file.
    table, query : str or None
        Of a DuckDB file; a query may also be put to other files, where it finds them as ``data``.
    kinds : dict of str to {"numeric", "nominal", "boolean", "time"}
        What columns are known to be; of the others it is inferred.
    """

    format: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    missing: tuple[str, ...] = MISSING
    table: str | None = None
    query: str | None = None
    kinds: Mapping[str, str] = field(default_factory=dict)
