"""Models in forms that run elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bayfold import errors
from bayfold.core.frames.files import find_output_format, write_file
from bayfold.core.frames.files.write import write_bytes

FORMS = {"sql": "to_sql", "json": "to_json", "onnx": "to_onnx", "scorecard": "to_scorecard"}


@dataclass(frozen=True)
class SqlOptions:
    """What a query is written for; as the parameters of ``to_sql`` say."""

    dialect: str = "duckdb"
    table: str = "data"
    keep: Sequence[str] = ()


def write_export(model: Any, form: str, path: str, sql: SqlOptions) -> None:
    """Write a model as a query, as JSON, in ONNX, or as a table of points."""
    if form not in FORMS:
        raise errors.unknown_export(form, list(FORMS))
    if sql.keep and form != "sql":
        raise errors.option_of_sql("--keep", form)
    method = getattr(model, FORMS[form], None)
    if method is None:
        raise errors.not_exportable(type(model).__name__, form)
    if form == "scorecard":
        card = method()
        if path.endswith((".html", ".htm")):
            write_bytes(path, card.to_html().encode())
            return
        points = card.table.to_frame("arrow")
        write_file(path, points, find_output_format(path, None, "csv"))
        return
    made = method(sql.dialect, table=sql.table, keep=sql.keep) if form == "sql" else method()
    write_bytes(path, made.SerializeToString() if form == "onnx" else made.encode() + b"\n")
