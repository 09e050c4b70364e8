"""Reports as pages."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from sklearn.base import BaseEstimator

from bayfold.base.options import PathLike, TableLike, VectorLike
from bayfold.core.frames.files.write import write_bytes
from bayfold.report.columns import say_exposure, say_rows, show_factor, show_number, show_weight
from bayfold.report.gather import gather
from bayfold.report.svg import (
    draw_confusion,
    draw_costs,
    draw_coverage,
    draw_pair,
    draw_reliability,
    draw_scatter,
    draw_spark,
    draw_steps,
)
from bayfold.version import __version__

FRAME_HEIGHT = 800
"""Pixels of a page within a notebook: most of a screen."""


@dataclass(frozen=True, repr=False)
class Page:
    """A page that needs no network.

    Attributes
    ----------
    html : str
        The whole document.
    """

    html: str

    def __repr__(self) -> str:
        """How long it is: the text itself is for browsers."""
        return f"Page({len(self.html):,} characters)"

    def _repr_html_(self) -> str:
        """The page in a frame of its own, so that its styles are not the notebook's."""
        inner = escape(self.html)
        return f'<iframe srcdoc="{inner}" style="width:100%;height:{FRAME_HEIGHT}px;border:0"></iframe>'


def write(
    model: BaseEstimator,
    X: TableLike,
    y: VectorLike | None,
    path: PathLike | None = None,
    *,
    target: str = "target",
    source: str | None = None,
    sample_weight: VectorLike | None = None,
    groups: VectorLike | None = None,
    time: VectorLike | None = None,
    n_folds: int = 5,
    against: BaseEstimator | None = None,
) -> Page:
    """Write a report on a fitted model as one HTML file, which needs no network, or show it in a notebook.

    Parameters
    ----------
    model : estimator
        Fitted to the rows.
    X : array-like or frame
    y : array-like or None
        The target; None for clusters.
    path : str or path-like, optional
        Where the page is written; by default nowhere.
    target : str, default="target"
        The name of the target.
    source : str, optional
        Where the rows come from, such as the name of a file.
    sample_weight : array-like of shape (n_rows,), optional
        Frequencies of the rows.
    groups, time : array-like of shape (n_rows,), optional
        Rows of one group are held out together; rows that are held out are later than those that are learnt from.
    n_folds : int, default=5
        Folds of the cross-validation; fewer where a class has fewer rows.
    against : estimator, optional
        Another fitted model, such as last month's: the report says what changed since.

    Returns
    -------
    page : Page
        Shown where it is the last line of a notebook's cell. ``page.html`` is its text.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from bayfold import NaiveBayesClassifier
    >>> from bayfold.datasets import make_credit
    >>> credit = make_credit(200, random_state=0)
    >>> model = NaiveBayesClassifier().fit(credit.frame, credit.target)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "report.html")
    ...     page = write(model, credit.frame, credit.target, path, target="outcome", n_folds=2)
    ...     path.read_text(encoding="utf-8") == page.html
    True
    """
    found = gather(
        model,
        X,
        y,
        target=target,
        source=source,
        sample_weight=sample_weight,
        groups=groups,
        time=time,
        n_folds=n_folds,
        against=against,
    )
    page = Page(_fill("report.html", found))
    if path is not None:
        write_bytes(os.fspath(path), page.html.encode())
    return page


def write_evidence(rows: Sequence[dict[str, Any]], path: str) -> None:
    """Write the evidence of some rows as one page; each has title, measure, sides, evidence and effects."""
    write_bytes(path, _fill("evidence.html", {"rows": rows, "version": __version__}).encode())


def _fill(template: str, values: dict[str, Any]) -> str:
    # whatever comes from the user's table is escaped: names are text, never markup
    environment = Environment(
        loader=PackageLoader("bayfold.report"), autoescape=True, undefined=StrictUndefined
    )
    drawing = {
        "trusted": Markup,  # code of our own
        "draw_spark": draw_spark,
        "draw_confusion": draw_confusion,
        "draw_costs": draw_costs,
        "draw_coverage": draw_coverage,
        "draw_pair": draw_pair,
        "draw_reliability": draw_reliability,
        "draw_scatter": draw_scatter,
        "draw_steps": draw_steps,
        "show_number": show_number,
        "say_exposure": say_exposure,
        "say_rows": say_rows,
        "show_factor": show_factor,
        "show_weight": show_weight,
    }
    return environment.get_template(template).render(**values, **drawing)
