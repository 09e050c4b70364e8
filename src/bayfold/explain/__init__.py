"""Evidence as plain records."""

from bayfold.explain.evidence import describe_evidence
from bayfold.explain.importance import describe_selection, share_evidence
from bayfold.explain.records import Records
from bayfold.explain.rows import explain_rows

__all__ = [
    "Records",
    "describe_evidence",
    "describe_selection",
    "explain_rows",
    "share_evidence",
]
