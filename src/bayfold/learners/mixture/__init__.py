"""Mixtures of naive Bayes components by EM: rows in chunks, runs from several starts, the number of components."""

from bayfold.learners.mixture.em import EMProblem, EMRun, EMSettings
from bayfold.learners.mixture.model import (
    count_components,
    count_memberships,
    derive_mixture,
)
from bayfold.learners.mixture.rows import MixtureRows, read_rows
from bayfold.learners.mixture.sample import draw_rows
from bayfold.learners.mixture.search import Search, best_number, find_held_out, numbers_to_try

__all__ = [
    "EMProblem",
    "EMRun",
    "EMSettings",
    "MixtureRows",
    "Search",
    "best_number",
    "count_components",
    "count_memberships",
    "derive_mixture",
    "draw_rows",
    "find_held_out",
    "numbers_to_try",
    "read_rows",
]
