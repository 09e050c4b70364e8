"""Nanoseconds per row and column of single kernels on one thread."""

from __future__ import annotations

import numpy as np

from bayfold.core import kernels
from bayfold.core.frames import read_table
from bayfold.core.schema import Coder, infer_schema
from benchmarks.data import N_COLUMNS, make_numeric
from benchmarks.measure import Action, best_time

N_CODES = 256
N_CLASSES = (2, 10)
REPEATS = 7


def time_kernels(n_rows: int) -> dict[str, float]:
    """Best time of each kernel over all cells of a table; kernels never start threads."""
    values, y = make_numeric(n_rows, 2)
    coder = Coder(infer_schema(read_table(values)))
    codes = np.empty(values.shape, np.uint8)
    actions = {"encode numbers": encode_action(coder, values, codes)}
    actions["encode numbers"]()  # the others want the codes that a fit would count
    actions["hash rows"] = hash_action(codes)
    for n_classes in N_CLASSES:
        groups = (y if n_classes == 2 else np.arange(n_rows) % n_classes).astype(np.int32)
        actions[f"count codes, {n_classes} classes"] = count_action(codes, groups, n_classes)
        # two classes are compared by one score
        n_scores = 1 if n_classes == 2 else n_classes
        actions[f"score tables, {n_classes} classes"] = score_action(codes, n_scores)
    return {
        name: 1e9 * best_time(action, REPEATS) / values.size for name, action in actions.items()
    }


def table_offsets(width: int) -> np.ndarray:
    """Where the tables of the columns begin if every code has ``width`` entries."""
    return np.arange(N_COLUMNS, dtype=np.int64) * N_CODES * width


def encode_action(coder: Coder, values: np.ndarray, codes: np.ndarray) -> Action:
    """Numbers to one-byte codes."""
    ranges = coder.new_ranges()
    return lambda: kernels.encode_rows(values, *coder.schema.grids.arrays, codes, *ranges)


def hash_action(codes: np.ndarray) -> Action:
    """Codes to one content hash per row."""
    words = np.random.default_rng(0).integers(0, 2**63, N_COLUMNS * N_CODES, np.uint64)
    wide, wide_offsets = np.empty((len(codes), 0), np.uint16), np.empty(0, np.int64)
    hashes = np.zeros(len(codes), np.uint64)
    offsets = table_offsets(1)
    return lambda: kernels.hash_rows(codes, wide, offsets, wide_offsets, words, hashes)


def count_action(codes: np.ndarray, groups: np.ndarray, n_groups: int) -> Action:
    """Codes to counts of (column, code) x class."""
    weights = np.ones(len(codes))
    counts = np.zeros(N_COLUMNS * N_CODES * n_groups)
    offsets = table_offsets(n_groups)
    return lambda: kernels.count_codes(codes, groups, weights, offsets, n_groups, counts)


def score_action(codes: np.ndarray, n_scores: int) -> Action:
    """Codes to scores."""
    tables = np.random.default_rng(0).standard_normal(N_COLUMNS * N_CODES * n_scores)
    scores = np.zeros((len(codes), n_scores))
    offsets = table_offsets(n_scores)
    return lambda: kernels.score_tables(codes, offsets, tables, scores)
