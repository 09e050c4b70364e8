"""Evidence as plain records."""

from bayfold.explain.components import describe_components
from bayfold.explain.evidence import describe_evidence
from bayfold.explain.records import Records
from bayfold.explain.rows import explain_rows
from bayfold.explain.subclasses import describe_subclasses

__all__ = [
    "Records",
    "describe_components",
    "describe_evidence",
    "describe_subclasses",
    "explain_rows",
]
