"""Evidence as plain records."""

from bayfold.core.evidence.curves import Curve, trace_curve
from bayfold.core.evidence.evidence import describe_evidence, describe_wrong_steps
from bayfold.core.evidence.importance import (
    as_shares,
    describe_selection,
    share_evidence,
    share_shifts,
)
from bayfold.core.evidence.records import ColumnArray, Records
from bayfold.core.evidence.rows import choose_strongest, explain_rows
from bayfold.core.evidence.shifts import describe_target_bins
from bayfold.core.evidence.summary import Summary
from bayfold.core.evidence.texts import count_joined, describe_tables
from bayfold.core.evidence.training import TrainingFacts, describe_training
