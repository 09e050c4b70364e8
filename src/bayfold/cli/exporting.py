"""Models in forms that run elsewhere."""

from __future__ import annotations

import json
from typing import Any

from bayfold import errors
from bayfold.cli.show import as_plain

FORMS = {"sql": "to_sql", "json": "to_json", "onnx": "to_onnx", "scorecard": "to_scorecard"}


def export_model(model: Any, form: str, dialect: str, table: str) -> bytes:
    """The bytes of the file that is to be written."""
    if form not in FORMS:
        raise errors.cannot_export(form, list(FORMS))
    method = getattr(model, FORMS[form], None)
    if method is None:
        raise errors.not_exportable(type(model).__name__, form)
    made = method(dialect=dialect, table=table) if form == "sql" else method()
    if isinstance(made, bytes):
        return made
    if hasattr(made, "SerializeToString"):
        return made.SerializeToString()
    text = made if isinstance(made, str) else json.dumps(as_plain(made), ensure_ascii=False)
    return text.encode() + b"\n"
