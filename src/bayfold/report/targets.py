"""What is to be predicted."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayfold.core.frames import find_groups, find_numbers
from bayfold.report.columns import describe_numbers


def describe_target(name: str, y: np.ndarray, task: str) -> dict[str, Any]:
    """The classes with their shares, or the range of the numbers."""
    if task == "regression":
        return {"name": name, "classes": None, **describe_numbers(find_numbers(y))}
    codes, groups = find_groups(y)
    counts = np.bincount(codes[codes >= 0], minlength=len(groups))
    shares = counts / counts.sum()
    return {
        "name": name,
        "classes": [
            {"name": str(group), "count": int(count), "share": float(share)}
            for group, count, share in zip(groups, counts, shares, strict=True)
        ],
    }
