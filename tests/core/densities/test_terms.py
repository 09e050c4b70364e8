"""Laws of every kind of term, and a kind that only this test knows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from bayfold.core.counts.fold_counts import find_centres
from bayfold.core.counts.joint import JointCounts
from bayfold.core.densities import CurveTerm, InterpolatedTerm, QuadraticTerm, TableTerm
from bayfold.core.frames import read_table
from bayfold.core.kernels.encode import FIRST_BIN, UNSEEN
from bayfold.core.schema import Coder, infer_schema
from bayfold.core.scoring import NaiveBayesModel, Scorer
from bayfold.families.mte.curves import Curves, fit_mixtures
from bayfold.families.mte.term import ExponentialTerm


@dataclass(frozen=True, eq=False)
class SlopeTerm:
    """``slope[g] * x``."""

    column: int
    slope: np.ndarray
    kind: str = field(default="slope", init=False)
    merge: None = field(default=None, init=False)

    def scaled(self, weight):
        return replace(self, slope=self.slope * weight)

    def tabulate(self, centres):
        return np.nan_to_num(centres)[:, None] * self.slope

    @classmethod
    def pack(cls, terms, packing):
        slopes = np.array([packing.weigh(term.slope) for term in terms])
        return PackedSlopes(packing.numeric_positions(terms), slopes)


@dataclass(frozen=True, eq=False)
class PackedSlopes:
    columns: np.ndarray
    slopes: np.ndarray

    def add_scores(self, block, scores):
        scores += np.nan_to_num(block.values[:, self.columns]) @ self.slopes


def make_terms(n_bins, rng, n_groups=3):
    """One term of each kind for columns that hold ``n_bins`` values from 0 to 1, each in a bin of its own."""
    places = np.linspace(0.0, 1.0, n_bins)
    normal = rng.normal(size=(2, n_groups))
    counts = rng.integers(1, 9, (n_bins, n_groups)).astype(float)
    mixtures = fit_mixtures(Curves(places), counts)
    table = np.concatenate([np.zeros((FIRST_BIN, n_groups)), rng.normal(size=(n_bins, n_groups))])
    missing = rng.normal(size=n_groups)
    return [
        TableTerm(0, table),
        QuadraticTerm(1, normal[0], np.exp(normal[1]), normal[1], missing),
        InterpolatedTerm(2, 0.0, 1.0, rng.normal(size=(n_bins, n_groups)), missing),
        CurveTerm(3, places, rng.normal(size=(n_bins, n_groups)), missing),
        ExponentialTerm(4, 0.0, 1.0, mixtures.cuts, mixtures.coefficients),
        SlopeTerm(5, rng.normal(size=n_groups)),
    ]


@pytest.fixture
def model_and_block():
    rng = np.random.default_rng(3)
    values = np.stack([rng.permutation(np.linspace(0.0, 1.0, 12)) for _ in range(6)], axis=1)
    values[rng.random(values.shape) < 0.2] = np.nan
    values = np.concatenate([np.tile(np.linspace(0.0, 1.0, 12)[:, None], 6), values])
    table = read_table(values)
    schema = infer_schema(table)
    terms = make_terms(12, rng)
    model = NaiveBayesModel(schema, np.log([0.2, 0.3, 0.5]), tuple(terms))
    return model, Coder(schema).open(table).block(0, len(values))


@pytest.mark.parametrize("position", range(6))
def test_a_term_scores_what_its_table_says(model_and_block, position):
    model, block = model_and_block
    term = model.terms[position]
    counts = JointCounts(model.schema, np.arange(3), minimum=np.zeros(6), maximum=np.ones(6))
    by_code = term.tabulate(find_centres(model.schema, counts, position))
    scores = Scorer(model, centred=False, columns=[position], with_prior=False).score(block)
    np.testing.assert_allclose(scores, by_code[block.codes(position)], rtol=1e-9, atol=1e-12)
    assert not by_code[UNSEEN].any()


@pytest.mark.parametrize("position", range(6))
def test_a_scaled_term_scores_in_proportion(model_and_block, position):
    model, block = model_and_block
    scaled = replace(model, terms=tuple(term.scaled(0.25) for term in model.terms))
    plain, quarter = (
        Scorer(m, centred=False, columns=[position], with_prior=False).score(block)
        for m in (model, scaled)
    )
    np.testing.assert_allclose(quarter, 0.25 * plain, rtol=1e-9, atol=1e-12)


def test_the_scores_of_all_kinds_add_up(model_and_block):
    model, block = model_and_block
    whole = Scorer(model, centred=False).score(block)
    parts = [
        Scorer(model, centred=False, columns=[j], with_prior=False).score(block) for j in range(6)
    ]
    np.testing.assert_allclose(whole, model.log_prior + sum(parts), rtol=1e-12, atol=1e-12)


def test_the_order_of_terms_changes_no_bit(model_and_block):
    model, block = model_and_block
    turned = replace(model, terms=model.terms[::-1])
    np.testing.assert_array_equal(Scorer(model).score(block), Scorer(turned).score(block))
