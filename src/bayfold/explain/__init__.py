"""Evidence as plain records."""

from bayfold.explain.curves import Curve, trace_curve
from bayfold.explain.evidence import describe_evidence
from bayfold.explain.records import Records
from bayfold.explain.rows import explain_rows

__all__ = ["Curve", "Records", "describe_evidence", "explain_rows", "trace_curve"]
