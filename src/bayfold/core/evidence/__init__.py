"""Evidence as plain records."""

from bayfold.core.evidence.curves import Curve, trace_curve
from bayfold.core.evidence.evidence import describe_evidence
from bayfold.core.evidence.importance import describe_selection, share_evidence
from bayfold.core.evidence.records import Records
from bayfold.core.evidence.rows import explain_rows

__all__ = [
    "Curve",
    "Records",
    "describe_evidence",
    "describe_selection",
    "explain_rows",
    "share_evidence",
    "trace_curve",
]
