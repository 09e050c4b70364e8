"""Evidence as plain records."""

from bayfold.explain.components import describe_components
from bayfold.explain.evidence import describe_evidence
from bayfold.explain.records import Records
from bayfold.explain.rows import explain_rows

__all__ = ["Records", "describe_components", "describe_evidence", "explain_rows"]
