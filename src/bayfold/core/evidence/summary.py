"""A model at a glance: rows, classes, how well held-out rows were predicted, and every column."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from bayfold.core.evidence.records import Records
from bayfold.core.scoring.quality import HeldOutScore

NOT_HELD_OUT = "not held out: measure on other rows, or by `bayfold.evaluate.cross_validate`"
NAMED_CLASSES = 10
"""The most frequent; the others are counted."""

SINGULAR = {
    "rows": "row",
    "columns": "column",
    "pairs of columns": "pair of columns",
    "triples of columns": "triple of columns",
    "rounds": "round",
    "components": "component",
    "subclasses": "subclass",
    "leaves": "leaf",
    "nodes": "node",
    "edits": "edit",
}
"""Of what is counted."""

MEASURES = {"error": "error", "log_loss": "log-loss", "rmse": "root mean squared error"}
"""What the measures of held-out rows are called."""


@dataclass(frozen=True, eq=False, repr=False)
class Summary:
    """What a fitted model has learnt, at a glance. Printed and in notebooks it is a page of text.

    Attributes
    ----------
    model : str
        The name of the estimator.
    facts : dict
        Rows, columns, and what else the model says of itself in one number.
    classes : Records or None
        Columns class, count and share: of a classifier.
    target : dict or None
        Mean, standard deviation, quartiles and range: of a regressor.
    held_out : HeldOutScore or None
        How well rows were predicted that were held out while the model was made; None where none were.
    columns : Records
        One record per column of the table, in its order: column, kind, n_values, values, missing (a share), density,
        weight, importance, and what makes it of no use. Numbers that the model does not know are NaN.
    warnings : tuple of str
        What was said when the model was fitted.
    """

    model: str
    facts: dict[str, Any]
    classes: Records | None
    target: dict[str, float] | None
    held_out: HeldOutScore | None
    columns: Records
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values, ready for JSON but for NaN."""
        held = self.held_out
        return {
            "model": self.model,
            "facts": dict(self.facts),
            "classes": None if self.classes is None else self.classes.to_dict(),
            "target": self.target,
            "held_out": None if held is None else dict(vars(held)),
            "columns": self.columns.to_dict(),
            "warnings": list(self.warnings),
        }

    def __repr__(self) -> str:
        """A page of text."""
        parts = [f"{self.model}: {self.describe_facts()}"]
        if self.classes is not None:
            parts.append(self._describe_classes())
        if self.target is not None:
            parts.append(self._describe_target())
        if self.classes is not None or self.target is not None:
            parts.append(self._describe_held_out())
        parts.append(f"\n{self._ordered_columns()!r}")
        if self.warnings:
            parts.append("\nwarnings at fit:")
            parts += [f"- {text}" for text in self.warnings]
        return "\n".join(parts)

    def _repr_html_(self) -> str:
        lines = [f"<b>{escape(self.model)}</b>: {escape(self.describe_facts())}"]
        if self.classes is not None:
            lines.append(escape(self._describe_classes()))
        if self.target is not None:
            lines.append(escape(self._describe_target()))
        if self.classes is not None or self.target is not None:
            lines.append(escape(self._describe_held_out()))
        said = "".join(f"<li>{escape(text)}</li>" for text in self.warnings)
        table = self._ordered_columns()._repr_html_()
        return "<br>".join(lines) + table + (f"<p>warnings at fit:</p><ul>{said}</ul>" * bool(said))

    def _ordered_columns(self) -> Records:
        """The columns, most important first, without what is unknown of all of them."""
        shown = self.columns
        importance = shown.columns.get("importance")
        if importance is not None and not np.isnan(importance).all():
            shown = shown[np.argsort(-importance, kind="stable")]
        return Records({name: c for name, c in shown.columns.items() if not _is_empty(c)})

    def describe_facts(self) -> str:
        """Rows, columns and the like, in a line."""
        return ", ".join(_count(name, value) for name, value in self.facts.items())

    def _describe_classes(self) -> str:
        assert self.classes is not None
        labels, counts, shares = (self.classes[name] for name in ("class", "count", "share"))
        order = np.argsort(-counts, kind="stable")[:NAMED_CLASSES]
        shown = [f"{labels[k]} {shares[k]:.1%}" for k in order]
        more = len(labels) - len(shown)
        return "classes: " + ", ".join(shown + ([f"and {more} more"] if more > 0 else []))

    def _describe_target(self) -> str:
        assert self.target is not None
        return "target: " + ", ".join(
            f"{name} {value:.5g}" for name, value in self.target.items() if value == value
        )

    def _describe_held_out(self) -> str:
        held = self.held_out
        if held is None:
            return NOT_HELD_OUT
        found = [
            f"{MEASURES.get(name, name)} {value:.4g} (prior {held.prior[name]:.4g}{_say_of_two(held, name)})"
            for name, value in held.model.items()
        ]
        return f"held out: {', '.join(found)}; {held.how}"


def _say_of_two(held: HeldOutScore, name: str) -> str:
    """What tables of at most two columns would cost."""
    return f", {held.of_two[name]:.4g} with interactions=2" if name in held.of_two else ""


def _count(name: str, value: Any) -> str:
    if isinstance(value, str):
        return f"{name} {value}"
    if value != value:
        return f"number of {name} not kept"
    if value == 1:
        return f"1 {SINGULAR.get(name, name)}"
    return f"{value:,.6g} {name}" if isinstance(value, float) else f"{value:,} {name}"


def _is_empty(column: np.ndarray) -> bool:
    if column.dtype.kind == "f":
        return bool(np.isnan(column).all())
    return len(column) > 0 and not any(column.tolist())
