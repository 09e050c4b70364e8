"""What people changed by hand in a model, for its report."""

from __future__ import annotations

from typing import Any

from bayfold.base.collapsed import CollapsedClassifier
from bayfold.base.estimator import TableEstimator
from bayfold.evaluate import compare_edits
from bayfold.families.boosting.numbers.answers import CollapsedRegressor


def is_fixed(model: Any) -> bool:
    """Whether another fit would not make this model: it was edited, or has forgotten its rounds."""
    return isinstance(model, CollapsedClassifier | CollapsedRegressor) or has_edits(model)


def has_edits(model: Any) -> bool:
    """Whether people changed the fitted model by hand."""
    return isinstance(model, TableEstimator) and bool(model._find_edits())


def gather_edits(model: Any, X: Any, y: Any, weight: Any) -> dict[str, Any] | None:
    """The edits one by one, and the scores of some rows after each; None where there are none."""
    if not has_edits(model):
        return None
    steps = compare_edits(model, X, y, weight)
    measures = [n for n in steps.names if n not in ("edit", "action", "reason")]
    return {"measures": measures, "steps": list(steps), "records": list(model.edits_)}
