"""Which format a file has: by its name, or by how it begins."""

from __future__ import annotations

from pathlib import Path

from bayfold import errors

FORMATS = ("csv", "parquet", "arrow", "arff", "duckdb")
ENDINGS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".txt": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".arff": "arff",
    ".duckdb": "duckdb",
    ".ddb": "duckdb",
}
GZIP = b"\x1f\x8b"


def check_format(name: str | None) -> None:
    """Refuse a format that is not known."""
    if name is not None and name not in FORMATS:
        raise errors.unknown_file_format(name, list(FORMATS))


def name_format(path: str) -> str | None:
    """The format a name ends with, ``.gz`` aside.

    >>> name_format("sales.CSV.gz"), name_format("sales"), name_format("-")
    ('csv', None, None)
    """
    return ENDINGS.get(Path(without_gz(path)).suffix.lower())


def ending_without_format(path: str) -> str | None:
    """The ending of a name, if it has one that stands for no format.

    >>> ending_without_format("sales.xlsx"), ending_without_format("sales.csv.gz"), ending_without_format("sales")
    ('.xlsx', None, None)
    """
    return None if name_format(path) else Path(without_gz(path)).suffix or None


def without_gz(path: str) -> str:
    """The name without ``.gz``."""
    return path[:-3] if path.lower().endswith(".gz") else path


def recognise(start: bytes) -> str:
    r"""The format of a file by its first bytes; what looks like nothing else is taken for CSV.

    >>> recognise(b"PAR1..."), recognise(b"a,b\n1,2"), recognise(b"% Iris\n@RELATION iris")
    ('parquet', 'csv', 'arff')
    """
    if start[:4] == b"PAR1":
        return "parquet"
    if start[:6] == b"ARROW1" or start[:4] == b"\xff\xff\xff\xff":
        return "arrow"
    if start[8:12] == b"DUCK":
        return "duckdb"
    lines = [line.strip().lower() for line in start.splitlines()]
    content = [line for line in lines if line and not line.startswith(b"%")]
    is_arff = content and content[0].startswith((b"@relation", b"@attribute"))
    return "arff" if is_arff else "csv"
