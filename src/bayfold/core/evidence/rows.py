"""Why a row was scored as it was: the weight of evidence of each of its cells."""

from __future__ import annotations

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.densities import centre_groups
from bayfold.core.evidence.bins import describe_bins, format_number
from bayfold.core.evidence.pairs import label_sides, name_pair
from bayfold.core.evidence.records import Records
from bayfold.core.frames import Table
from bayfold.core.kernels.codes import UNSEEN
from bayfold.core.schema import ColumnSchema, NominalColumn
from bayfold.core.scoring import Scorer
from bayfold.core.scoring.predictor import Predictor

PRIOR = "(prior)"


def explain_rows(predictor: Predictor, counts: JointCounts, table: Table) -> Records:
    """Records of row, column, value, bin, class and weight; the first of each row is the prior.

    For two classes weights speak for the second class; otherwise there is one record per class. Weights of a row
    (and class) add up to the decision function. Pairs of columns come after the columns.
    """
    model, groups = predictor.model, counts.groups
    shown = groups[-1:] if len(groups) <= 2 else groups
    block = predictor.coder.open(table).block(0, table.n_rows)
    weights = [np.tile(predictor.decision.start, (table.n_rows, 1))]
    bins = [np.full(table.n_rows, None, object)]
    values = [np.full(table.n_rows, None, object)]
    for term in model.evidence_terms:
        j = term.column
        described = model.schema.columns[j]
        weights.append(Scorer(model, columns=[j], with_prior=False).score(block))
        names = describe_bins(described, term, counts.tables[j])
        bins.append(_bin_names(names.labels, names.of_code, block.codes(j)))
        values.append(shown_values(described, table, j))
    for pair in model.pairs:
        a, b = (merge[block.codes(j)] for j, merge in zip(pair.columns, pair.merges, strict=True))
        first, second = (np.array(side, object) for side in label_sides(pair, model.schema))
        weights.append(centre_groups(pair.log_table)[a, b])
        bins.append(first[a] + " & " + second[b])
        values.append(_joined(*(values[1 + j] for j in pair.columns)))
    n_columns, n_shown = len(weights), len(shown)
    pair_names = [name_pair(pair, model.schema) for pair in model.pairs]
    labels = np.array([PRIOR, *model.schema.names, *pair_names], object)
    return Records(
        {
            "row": np.repeat(np.arange(table.n_rows), n_columns * n_shown),
            "column": np.tile(np.repeat(labels, n_shown), table.n_rows),
            "value": np.repeat(np.stack(values, axis=1).ravel(), n_shown),
            "bin": np.repeat(np.stack(bins, axis=1).ravel(), n_shown),
            "class": np.tile(shown, table.n_rows * n_columns),
            "weight": np.stack(weights, axis=1).ravel(),
        }
    )


def _joined(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    pairs = zip(first, second, strict=True)
    texts = [", ".join("(missing)" if value is None else value for value in pair) for pair in pairs]
    return np.array(texts, object)


def _bin_names(labels: list[str], of_code: np.ndarray, codes: np.ndarray) -> np.ndarray:
    by_code = np.array(labels, object)[of_code]
    by_code[UNSEEN] = "(unseen)"
    return by_code[codes]


def shown_values(described: ColumnSchema, table: Table, j: int) -> np.ndarray:
    """The cells as text, None where missing."""
    column = table.columns[j]
    if isinstance(described, NominalColumn) or column.kind == "nominal":
        indices, labels = column.labels()
        return np.array([*labels, None], object)[indices]
    numbers = column.numbers(0, table.n_rows)
    texts = [None if x != x else format_number(x, described.is_time) for x in numbers]
    return np.array(texts, object)
