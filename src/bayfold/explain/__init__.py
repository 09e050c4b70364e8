"""Evidence as plain records."""

from bayfold.explain.curves import Curve, trace_curve
from bayfold.explain.evidence import describe_evidence
from bayfold.explain.importance import describe_selection, share_evidence
from bayfold.explain.records import Records
from bayfold.explain.rows import explain_rows

__all__ = [
    "Curve",
    "Records",
    "describe_evidence",
    "describe_selection",
    "explain_rows",
    "share_evidence",
    "trace_curve",
]
