"""A scorecard beside rows whose outcome is known: events by bin, weight of evidence, information value, Gini and KS."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from bayfold.core.evidence import Records
from bayfold.core.evidence.records import show_as_html
from bayfold.export.plain import PlainColumn, PlainPair

HALF_A_ROW = 0.5
"""Added to good and bad rows of a bin that lacks one of them, whose weight of evidence would be infinite: by custom."""


@dataclass(frozen=True, eq=False)
class CardMeasures:
    """How well points tell good rows from bad ones.

    Attributes
    ----------
    rows, event_rate : float
        Weight of the rows, and the share of those that are not of the good class.
    gini : float
        Twice the area under the ROC curve of the points, less one.
    ks : float
        The largest distance between the shares of good and of bad rows up to some number of points.
    information : Records
        Columns column and iv, the information value: below .02 nothing, from .3 on strong, by custom.
    """

    rows: float
    event_rate: float
    gini: float
    ks: float
    information: Records

    def describe(self) -> str:
        """All of it in a line."""
        return f"{self.rows:,.6g} rows, event rate {self.event_rate:.2%}, Gini {self.gini:.4f}, KS {self.ks:.4f}."


def count_outcomes(
    codes: Sequence[np.ndarray],
    columns: Sequence[PlainColumn],
    shown: Sequence[Sequence[int]],
    pairs: Sequence[PlainPair],
    outcomes: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Weights of bad and good rows of each record of a card, and the information value of its bin; NaN of no bin.

    Parameters
    ----------
    codes : sequence of ndarray of shape (n_rows,)
        By column.
    columns, pairs
        Of the card.
    shown : sequence of sequence of int
        By column, the codes that have a record.
    outcomes : ndarray of shape (n_rows, 2)
        Weight of each row as a bad and as a good one.
    """
    total = outcomes.sum(axis=0)
    counts = [total[None]]
    information = [np.full(1, np.nan)]
    for code, column, of_column in zip(codes, columns, shown, strict=True):
        if of_column:
            counted = _count(code, len(column.form.table), outcomes)[list(of_column)]  # type: ignore[union-attr]
            counts.append(counted)
            shares = _find_shares(counted, total)
            woe = np.log(shares[:, 1] / shares[:, 0])
            gain = np.where(counted.sum(axis=1) > 0, (shares[:, 1] - shares[:, 0]) * woe, 0.0)
            information.append(gain)
    for pair in pairs:
        a, b = (merge[codes[j]] for j, merge in zip(pair.columns, pair.merges, strict=True))
        table = pair.table[..., 0]
        cells = _count(a * table.shape[1] + b, table.size, outcomes)
        counts.append(cells[np.flatnonzero(table.ravel())])
        information.append(np.full(len(counts[-1]), np.nan))
    return np.concatenate(counts), np.concatenate(information)


def _count(places: np.ndarray, n_places: int, outcomes: np.ndarray) -> np.ndarray:
    return np.stack([np.bincount(places, each, n_places) for each in outcomes.T], axis=1)


def _find_shares(counts: np.ndarray, total: np.ndarray) -> np.ndarray:
    lacks = (counts == 0).any(axis=1, keepdims=True)
    return (counts + HALF_A_ROW * lacks) / total


def add_outcomes(table: Records, counts: np.ndarray, information: np.ndarray) -> Records:
    """The records of a card with the rows, event rate, weight of evidence and information value of each."""
    rows = counts.sum(axis=1)
    total = counts[0]
    some = np.where(rows > 0, rows, np.nan)
    shares = _find_shares(counts, total)
    return Records(
        {
            **table.columns,
            "rows": rows,
            "share": rows / total.sum(),
            "event_rate": counts[:, 0] / some,
            "woe": np.where(rows > 0, np.log(shares[:, 1] / shares[:, 0]), np.nan),
            "iv": information,
        }
    )


def measure_points(points: np.ndarray, outcomes: np.ndarray, table: Records) -> CardMeasures:
    """Gini and KS of points, and the information value of the columns of a card."""
    total = outcomes.sum(axis=0)
    _, places = np.unique(points, return_inverse=True)
    by_points = _count(places, int(places.max()) + 1, outcomes) / total
    below = np.cumsum(by_points, axis=0)
    # a good row has more points than a bad one, or as many, which counts half
    auc = float(by_points[:, 1] @ (below[:, 0] - by_points[:, 0] / 2))
    names = table["column"]
    known = ~np.isnan(table["iv"])
    columns = list(dict.fromkeys(names[known].tolist()))
    sums = [float(table["iv"][known & (names == name)].sum()) for name in columns]
    order = np.argsort(-np.array(sums), kind="stable")
    found = Records({"column": np.array(columns, object)[order], "iv": np.array(sums)[order]})
    rate = float(total[0] / total.sum())
    ks = float(np.abs(below[:, 0] - below[:, 1]).max())
    return CardMeasures(float(total.sum()), rate, 2 * auc - 1, ks, found)


def write_card_page(table: Records, notes: Sequence[str]) -> str:
    """A page of HTML with all records of a card."""
    lines = "".join(f"<p>{escape(note)}</p>" for note in notes)
    shown = show_as_html(table.columns, len(table))
    return (
        "<!doctype html><html lang='en'><meta charset='utf-8'><title>Scorecard</title>"
        "<style>body{font-family:sans-serif;margin:2em}td,th{padding:.1em .8em}</style>"
        f"<body><h1>Scorecard</h1>{lines}{shown}</body></html>\n"
    )
