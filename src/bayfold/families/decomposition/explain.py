"""Why a row fell into its subclass, by the estimator that was trained on subclasses."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayfold import errors
from bayfold.core.evidence import Records


def explain_cells(estimator: Any, source: Any) -> Records | None:
    """The estimator's own explanation; None without weights of evidence."""
    if not hasattr(estimator, "explain"):
        return None
    try:
        found = estimator.explain(source)
    except errors.NoTablesError:  # with its parameters it has nothing to explain by
        return None
    return found if "weight" in found.names else None  # others move predictions, not odds


def weigh_cells(found: Records, fell: np.ndarray, groups: np.ndarray) -> dict[str, np.ndarray]:
    """The cells of an explanation, their weights for the subclass that each row fell into."""
    cells = {name: found[name] for name in ("column", "value", "bin")}
    subclass = fell[found["row"]]
    if len(groups) == 2:  # weights speak for the second one
        sign = np.where(subclass == 1, 1.0, -1.0)
        return cells | {"weight": sign * found["weight"], "keep": np.ones(len(sign), bool)}
    return cells | {"weight": found["weight"], "keep": found["class"] == groups[subclass]}
