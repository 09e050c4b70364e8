"""A table of everything that is awkward, and rows to score that are more so."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tests.export.engines import KEY

NUMBER, COUNT, LARGE, FLAG, TEXT, LEVEL, SHARE, TIME = (
    'a "quoted" name',
    "n; DROP TABLE data; --",
    "größe 📏",
    "is 100% 'sure'",
    "text\\name",
    "Level",
    "share.of",
    "when",
)
TYPES = {
    NUMBER: "double precision",
    COUNT: "integer",
    LARGE: "bigint",
    FLAG: "boolean",
    TEXT: "text",
    LEVEL: "integer",
    SHARE: "double precision",
    TIME: "timestamp",
    KEY: "integer",
}
WORDS = [
    "plain",
    "it's",
    'say "hi"',
    "back\\slash",
    "x'); DROP TABLE data; --",
    "",
    "émoji 🎉",
    "NULL",
    "Plain",
    "1",
]
CATEGORICAL = [LEVEL, SHARE]


def draw_awkward(seed, n_rows=120, n_classes=2):
    """A frame with missing cells, and a class for each row that has to do with all of its columns."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n_rows)
    shift = y + rng.normal(size=n_rows)
    start = np.datetime64("2024-03-31T01:30:00.123456")
    frame = pd.DataFrame(
        {
            NUMBER: np.exp(shift) / 3,
            COUNT: pd.array(np.round(5 * shift).astype(int), "Int64"),
            LARGE: pd.array(2**53 + 1 + np.round(9 * shift).astype(np.int64), "Int64"),
            FLAG: pd.array(shift > 0.5, "boolean"),
            TEXT: np.array(WORDS[:7], object)[(y + rng.integers(0, 6, n_rows)) % 7],
            LEVEL: pd.array(np.clip(np.round(shift), -2, 3).astype(int), "Int64"),
            SHARE: np.array([0.1, 0.30000000000000004, 1.0, 2.5, 1e-7])[
                (y + rng.integers(0, 4, n_rows)) % 5
            ],
            TIME: start + (shift * 1e9).astype("timedelta64[us]") * 3600,
        }
    )
    return spoil(frame, rng), y


def spoil(frame, rng, share=0.12):
    """The frame with some cells missing."""
    frame = frame.copy()
    for name in frame.columns:
        frame.loc[rng.random(len(frame)) < share, name] = None
    return frame


def draw_new_rows(frame, seed=0):
    """Rows of the frame, then rows far out, unseen and empty; with a key."""
    rng = np.random.default_rng(seed)
    rows = frame.sample(40, random_state=seed, replace=True).reset_index(drop=True)
    far = [1e308, -1e308, 5e-324, 0.0, -0.0, 1e15, float(frame[NUMBER].max())]
    rows.loc[: len(far) - 1, NUMBER] = far
    rows.loc[:3, COUNT] = [2**31 - 1, -(2**31), 0, None]
    rows.loc[:3, LARGE] = [2**63 - 1, -(2**63), 2**53 + 1, 0]
    rows.loc[:3, TEXT] = ["unseen", "PLAIN", None, WORDS[9]]
    rows.loc[:2, LEVEL] = [77, None, -2]
    rows.loc[:2, SHARE] = [0.3, np.nan, 1e-7]
    rows.loc[:2, TIME] = [pd.Timestamp("1901-01-01"), pd.Timestamp("2200-12-31 23:59:59"), pd.NaT]
    rows.loc[7, :] = None
    rows = rows.astype(frame.dtypes)
    rows[KEY] = rng.permutation(len(rows))
    return rows.sort_values(KEY).reset_index(drop=True)
