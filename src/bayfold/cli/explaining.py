"""The evidence of rows, for the terminal and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_regressor

from bayfold import errors
from bayfold.cli.output import is_page
from bayfold.cli.reading import names_of
from bayfold.cli.show import as_plain, find_console, make_bars
from bayfold.core.evidence import Records
from bayfold.core.frames.files import TableFile, find_output_format, write_file


@dataclass(frozen=True)
class Explained:
    """One row: where it stands, what is predicted, and what its cells add."""

    row: int
    prediction: Any
    probability: float | None
    sides: tuple[str, str]
    records: Records

    @property
    def title(self) -> str:
        """The row and its prediction."""
        share = "" if self.probability is None else f" ({self.probability:.1%})"
        return f"Row {self.row + 1}: {self.prediction}{share}"

    def as_dict(self) -> dict[str, Any]:
        """For programs."""
        found = {"row": self.row + 1, "prediction": self.prediction, "evidence": self.records}
        return as_plain(found | ({} if self.probability is None else {"p": self.probability}))


def explain_chosen(
    model: Any, file: TableFile, rows: Sequence[int], label: str | None
) -> list[Explained]:
    """What the model goes by in each of the rows."""
    if not hasattr(model, "explain"):
        raise errors.nothing_explains(type(model).__name__)
    X = file.take(rows).select(names_of(model))
    try:
        records = model.explain(X)
    except AttributeError:  # a way of boosting that does not add up
        raise errors.nothing_explains(type(model).__name__) from None
    predicted = model.predict(X)
    is_number = is_regressor(model)
    certain = None if is_number else model.predict_proba(X).max(axis=1)
    explained = []
    for k, row in enumerate(rows):
        own, sides = _of_one(model, records.where(row=k), predicted[k], label)
        own = Records(
            {"row": np.full(len(own), row + 1), **{n: own[n] for n in own.names if n != "row"}}
        )
        shown = f"{predicted[k]:,.6g}" if is_number else predicted[k]
        share = None if certain is None else float(certain[k])
        explained.append(Explained(row, shown, share, sides, own))
    return explained


def _of_one(
    model: Any, records: Records, predicted: Any, label: str | None
) -> tuple[Records, tuple[str, str]]:
    """Records of one class, and what speaks to the left and to the right."""
    classes = getattr(model, "classes_", None)
    if classes is None:
        is_cluster = "component" in records.names
        return records, ("against", f"for cluster {predicted}") if is_cluster else ("less", "more")
    known = [str(each) for each in classes]
    if label is not None and label not in known:
        raise errors.no_such_class(label, known)
    if len(classes) == 2:
        return records, (known[0], known[1])
    wanted = classes[known.index(label)] if label is not None else predicted
    return records.where(**{"class": wanted}), ("against", f"for {wanted}")


def show_rows(explained: Sequence[Explained], top: int) -> None:
    """Bars in the terminal, one table per row."""
    console = find_console()
    for each in explained:
        console.print(make_bars(each.title, each.records, each.sides, top))


def save_evidence(explained: Sequence[Explained], path: str) -> None:
    """All evidence as one table, or as a page."""
    if is_page(path):
        import bayfold.report  # jinja2: only for pages

        bayfold.report.write_evidence([each.as_dict() | _of_page(each) for each in explained], path)
        return
    names = explained[0].records.names
    columns = {n: np.concatenate([each.records[n] for each in explained]) for n in names}
    write_file(path, Records(columns).to_frame("arrow"), find_output_format(path, None, "csv"))


def _of_page(each: Explained) -> dict[str, Any]:
    return {
        "title": each.title,
        "measure": each.records.measure,
        "sides": list(each.sides),
        "effects": each.records.effects.tolist(),
    }
