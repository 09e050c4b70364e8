"""Why a row was scored as it was: the weight of evidence of each of its cells."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.densities import PairTerm, centre_groups
from bayfold.core.evidence.bins import describe_basis, format_number
from bayfold.core.evidence.curves import name_cells, name_pairs
from bayfold.core.evidence.errors import (
    bound,
    bound_sums,
    find_code_errors,
    find_pair_errors,
    find_start_errors,
)
from bayfold.core.evidence.evidence import find_bins
from bayfold.core.evidence.records import Records
from bayfold.core.evidence.texts import WordsOfRows, explain_words
from bayfold.core.frames import Table
from bayfold.core.schema import ColumnSchema, NumericColumn, RowBlock
from bayfold.core.scoring import Scorer
from bayfold.core.scoring.predictor import Predictor
from bayfold.errors import check_whole, unknown_against

PRIOR = "(prior)"

BOUNDS = ("low", "high", "whole_low", "whole_high")

TEXT_ROUNDING = 1e-9
"""Less is left of a text's evidence without its words by rounding."""


def explain_rows(predictor: Predictor, counts: JointCounts, table: Table) -> Records:
    """Records of row, column, value, bin, class and weight; the first of each row is the prior.

    In place of a bin, a normal density has the means and standard deviations that the value is compared with.

    For two classes weights speak for the second class; otherwise there is one record per class. Weights of a row
    (and class) add up to the decision function. Pairs of columns come after the columns. A text has a record for each
    of its words that the model knows, with the word in place of the value.
    """
    model = predictor.model
    groups = counts.groups
    shown = groups[-1:] if len(groups) <= 2 else groups
    block = predictor.coder.open(table).block(0, table.n_rows)
    nothing = np.full(table.n_rows, None, object)
    weights = [np.tile(predictor.decision.start, (table.n_rows, 1))]
    wholes = weights.copy()  # with the words of texts
    errors = [np.tile(find_start_errors(model, counts), (table.n_rows, 1))]
    bins = [nothing[:, None]]
    values = [nothing]
    texts = {j: explain_words(model, j, block) for j in model.schema.text}
    for term in model.terms:
        j = term.column
        column_schema = model.schema.columns[j]
        codes = block.codes(j)
        own = Scorer(model, columns=[j], with_prior=False).score(block)
        wholes.append(own)
        if j in texts:
            own = own.copy()
            np.subtract.at(own, texts[j].row, texts[j].weights)  # what is left are not words
        weights.append(own)
        shown_bins = find_bins(model, counts, j)
        errors.append(find_code_errors(model, counts, term, shown_bins)[codes])
        bins.append(describe_basis(term, column_schema, shown_bins, codes, groups))
        values.append(shown_values(column_schema, table, j))
    for pair in model.pairs:
        found, words = _explain_pair(pair, block)
        errors.append(find_pair_errors(model, pair)[pair.find_bins(block)])
        weights.append(found)
        wholes.append(found)
        bins.append(words)
        values.append(join_values(*(values[1 + j] for j in pair.columns)))
    names = [PRIOR, *model.schema.names, *name_pairs(model.pairs, model.schema)]
    uncertain = np.stack(errors, axis=1)
    whole = bound_sums(np.stack(wholes, axis=1), uncertain)
    records = record_rows(
        table, names, values, bins, shown, np.stack(weights, axis=1), uncertain, whole
    )
    return records if not texts else _with_words(records, texts, table, names, shown)


def choose_strongest(records: Records, top: int | None, against: Any, classes: list) -> Records:
    """Of each row the cells that say most, the strongest first, or those that say most against a class; without prior.

    Parameters
    ----------
    records : Records
        As ``explain_rows`` makes them.
    top : int or None
        How many of each row, at most; None for all.
    against : class label or None
        Only cells that speak against it.
    classes : list
        Of the model.
    """
    if top is None and against is None:
        return records
    check_whole("top", top, 1, words=[None])
    weight = records["weight"]
    wanted = records["column"] != PRIOR
    size = np.abs(weight)
    if against is not None:
        if against not in classes:
            raise unknown_against(against, classes)
        sign = 1.0
        if len(classes) > 2:
            wanted &= records["class"] == against
        else:
            sign = 1.0 if against == classes[-1] else -1.0
        size = -sign * weight
    wanted &= size > 0
    order = np.lexsort((-size, records["row"]))
    order = order[wanted[order]]
    row = records["row"][order]
    rank = np.arange(len(row)) - np.searchsorted(row, row)
    return records[order if top is None else order[rank < top]]


def record_rows(
    table: Table,
    names: list[str],
    values: list[np.ndarray],
    bins: list[np.ndarray],
    shown: np.ndarray,
    weights: np.ndarray,
    errors: np.ndarray,
    whole: dict[str, np.ndarray] | None = None,
) -> Records:
    """Records of weights and errors of shape (n_rows, n_names, n_shown): row by row, name by name, group by group.

    ``whole`` bounds the sums of all weights of each row, repeated in all its records, where these leave words out.
    """
    n_names = len(names)
    n_shown = len(shown)
    bins = [np.broadcast_to(of_rows, (table.n_rows, n_shown)) for of_rows in bins]
    return Records(
        {
            **name_rows(table, np.repeat(np.arange(table.n_rows), n_names * n_shown)),
            "column": np.tile(np.repeat(np.array(names, object), n_shown), table.n_rows),
            "value": np.repeat(np.stack(values, axis=1).ravel(), n_shown),
            "bin": np.stack(bins, axis=1).ravel(),
            "class": np.tile(shown, table.n_rows * n_names),
            "weight": weights.ravel(),
            **bound(weights.ravel(), errors.ravel()),
            **(bound_sums(weights, errors) if whole is None else whole),
        }
    )


def _with_words(
    records: Records,
    texts: dict[int, WordsOfRows],
    table: Table,
    names: list[str],
    shown: np.ndarray,
) -> Records:
    """The records with those of words in the place of their texts, where a text has some."""
    n_columns = len(names)
    n_shown = len(shown)
    place = np.arange(len(records)) // n_shown  # of the row and the column
    keep = np.ones(len(records), bool)
    parts = []
    for j, words in texts.items():
        has_words = np.zeros(table.n_rows, bool)
        has_words[words.row] = True
        is_cell = place % n_columns == j + 1
        # a cell may say something beside its words: that it is known
        keep &= ~(is_cell & has_words[records["row"]] & (np.abs(records["weight"]) < TEXT_ROUNDING))
        parts.append(
            {
                **name_rows(table, np.repeat(words.row, n_shown)),
                "column": np.full(len(words.row) * n_shown, names[j + 1], object),
                "value": np.repeat(words.texts, n_shown),
                "bin": np.full(len(words.row) * n_shown, "word", object),
                "class": np.tile(shown, len(words.row)),
                "weight": words.weights.ravel(),
                **dict.fromkeys(BOUNDS, np.full(words.weights.size, np.nan)),
                "place": np.repeat(words.row * n_columns + j + 1, n_shown),
            }
        )
    kept = {**records[keep].columns, "place": place[keep]}
    joined = {name: np.concatenate([kept[name], *(part[name] for part in parts)]) for name in kept}
    order = np.argsort(joined.pop("place"), kind="stable")
    return Records({name: column[order] for name, column in joined.items()})


def name_rows(table: Table, rows: np.ndarray) -> dict[str, np.ndarray]:
    """The columns of records that say which row is meant: its position, and what the frame calls it."""
    labels = table.row_labels()
    return {"row": rows} if labels is None else {"row": rows, "index": labels[rows]}


def _explain_pair(pair: PairTerm, block: RowBlock) -> tuple[np.ndarray, np.ndarray]:
    """Weights of a pair of columns in each row, and the bins they belong to."""
    bins = pair.find_bins(block)
    return centre_groups(pair.log_table)[bins], name_cells(pair, block.schema, bins)[:, None]


def join_values(*values: np.ndarray) -> np.ndarray:
    """The cells of some columns as one text for each row."""
    cells = zip(*values, strict=True)
    texts = [", ".join("(missing)" if value is None else value for value in row) for row in cells]
    return np.array(texts, object)


def shown_values(column_schema: ColumnSchema, table: Table, j: int) -> np.ndarray:
    """The cells as text, None where missing."""
    column = table.columns[j]
    if not isinstance(column_schema, NumericColumn) or column.kind == "nominal":
        indices, labels = column.labels()
        return np.array([*labels, None], object)[indices]
    numbers = column.numbers(0, table.n_rows)
    texts = [None if x != x else format_number(x, column_schema.zone) for x in numbers]
    return np.array(texts, object)
