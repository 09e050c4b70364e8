"""Tables with a column of text, for the laws."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

WORDS = {
    "bill": ["invoice", "refund", "card", "charged", "bank", "éuro"],
    "tech": ["server", "crashed", "disk", "network", "log", "Update"],
    "sales": ["offer", "price", "demo", "contract", "trial", "日本語"],
}
COMMON = ["please", "hello", "the", "our", "again"]


def draw_tickets(n: int = 120, seed: int = 0) -> tuple[pa.Table, np.ndarray]:
    """Sentences of three teams, with a number beside them; some cells are missing or empty."""
    rng = np.random.default_rng(seed)
    y = np.array(list(WORDS))[rng.integers(0, 3, n)]
    texts: list[str | None] = []
    for team in y:
        own, common = rng.choice(WORDS[team], rng.integers(0, 4)), rng.choice(COMMON, 3)
        other = rng.choice(WORDS["tech"], rng.integers(0, 2))
        texts.append(" ".join([*own, *common, *other]))
    texts[3], texts[5] = None, ""
    size = rng.normal(size=n) + (y == "tech")
    return pa.table({"body": texts, "size": size}), y
