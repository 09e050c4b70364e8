"""Warnings that were given already.

Python gives a warning once per line of code, and forgets which whenever somebody enters ``warnings.catch_warnings``.
scikit-learn does so in every fit of a cross-validation, which would warn of the same column in every fold.
"""

from __future__ import annotations

import warnings
from types import FrameType

MOST_TOLD = 10_000
"""Texts that are kept; a program that gives more of them loses the oldest, and warns again."""

CROSS_VALIDATION = "sklearn.model_selection._validation"
"""The module whose functions fit and score each fold."""

_TOLD: dict[tuple[str, int, str], None] = {}


def is_told(warning: Warning, frame: FrameType | None) -> bool:
    """Whether this line of code was warned so before, and nobody asked for more than Python's default."""
    if frame is None or _find_action(warning) != "default":
        return False
    key = (frame.f_code.co_filename, frame.f_lineno, str(warning))
    if key in _TOLD:
        return True
    _TOLD[key] = None
    if len(_TOLD) > MOST_TOLD:
        del _TOLD[next(iter(_TOLD))]
    return False


def is_in_cross_validation(frame: FrameType | None) -> bool:
    """Whether scikit-learn is judging a model on rows of the same table, by whatever it calls cross-validation.

    Not by way of ``GridSearchCV.predict`` and the like, which stand in another module: their rows are new.
    """
    while frame is not None:
        if frame.f_globals.get("__name__") == CROSS_VALIDATION:
            return True
        frame = frame.f_back
    return False


def _find_action(warning: Warning) -> str:
    """What the filters of the moment say; those for single modules and lines are left to Python."""
    for action, message, category, module, line in warnings.filters:
        fits = message is None or message.match(str(warning))
        if isinstance(warning, category) and fits:
            return action if module is None and line == 0 else "other"
    return "default"
