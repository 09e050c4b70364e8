"""Counts, rates and amounts as a product of factors: what the models are given, balance, and what is left."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from bayfold.base.summed_estimators import summarise_numbers
from bayfold.core.counts import LabelledRows
from bayfold.core.schema import Schema
from bayfold.core.schema.target import merge_rounding
from bayfold.core.scoring import NaiveBayesModel
from bayfold.core.scoring.quality import HeldOutScore
from bayfold.core.scoring.rates import SHAPE_ROWS, AmountShape, CountShape, Shape
from bayfold.families.boosting.collapse import AddedTables
from bayfold.families.boosting.ensembles import NumberEnsemble, TreeRounds
from bayfold.families.boosting.numbers.learner import deal_numbers, locate_tables
from bayfold.families.boosting.numbers.machine import count_once
from bayfold.families.boosting.rates.model import RatePredictor
from bayfold.families.boosting.rates.rows import POISSON, RateRows
from bayfold.families.boosting.rounds.distinct_rows import DistinctRows
from bayfold.families.boosting.rounds.task import make_rate_loss
from bayfold.families.boosting.settings import HOW_LEFT_OUT, BoostSettings


def learn_rate(
    rows: LabelledRows, schema: Schema, power: float, settings: BoostSettings
) -> NumberEnsemble:
    """Code the rows, boost the log of the rate, balance it, and fit the shape of what is left."""
    assert rows.target is not None
    ones = np.ones(rows.n_rows)
    exposures = rows.extras.get("exposure", ones)
    given = RateRows(rows.target, exposures, np.exp(rows.extras.get("offset", 0.0 * ones)), power)
    distinct, rank = _find_distinct(given)
    places = np.arange(len(distinct.totals), dtype=np.float64)
    numbers = deal_numbers(rows, schema, rank, places, settings)
    machine = numbers.machine
    dealt = numbers.dealt
    weights = dealt.weights
    own = distinct.take(dealt.targets.astype(np.int64))
    base = own.find_base(weights)
    even = _even_out(dealt, own, base)
    assert even.exposures is not None
    by_exposure = replace(
        even, weights=weights * own.exposures, exposures=even.exposures / own.exposures
    )
    loss = make_rate_loss(power)
    located = locate_tables(
        machine, even, numbers.n_models, settings, loss, numbers.exposed, by_exposure
    )
    location = located.trees
    tables = located.tables
    numbers.warn_about(location, settings)
    some = np.arange(min(len(located.left_out), SHAPE_ROWS))
    known = own.take(some)

    def read(scores: np.ndarray) -> np.ndarray:
        rates = base * np.exp(scores[some])
        return rates * known.find_balance(rates, weights[some])

    rates = read(located.left_out)
    shape = fit_shape(known, rates, weights[some])
    times = numbers.collapsed.given.n_rows / numbers.collapsed.counts.n_rows
    rule = located.rule
    if rule is not None:
        ordered = known.find_deviance(rates, weights[some])
        free = known.find_deviance(read(located.free), weights[some])
        rule = replace(rule, measure="deviance", ordered=ordered, free=free)
    model = replace(_make_model(tables, np.log(base), times), monotone=rule)
    make = partial(RatePredictor, shape=shape, exposed=numbers.exposed, power=power)
    means = make(model).means(rows.table, settings.n_threads)
    level = model.log_prior + np.log(given.find_balance(means, rows.find_weights()))
    predictor = make(replace(model, log_prior=level))
    judged = [rates, np.full_like(rates, base)]
    judged += [] if located.of_two is None else [read(located.of_two)]
    scores = [{"deviance": known.find_deviance(r, weights[some])} for r in judged]
    total = float(weights[some].sum())
    return NumberEnsemble(
        predictor,
        count_once(numbers.collapsed.given),
        location.splits.shape[1],
        location.losses,
        tables.left_out_share,
        np.array(location.blend_weights),
        summarise_numbers(*merge_rounding(rows.target, rows.weights)),
        HeldOutScore(HOW_LEFT_OUT, total, *scores),
        TreeRounds(location, machine.counted),
    )


def _find_distinct(given: RateRows) -> tuple[RateRows, np.ndarray]:
    """The distinct triples of total, exposure and factor, by total first, and which of them each row has."""
    key = np.zeros(len(given.totals), np.int64)
    for values in (given.totals, given.exposures, given.factors):
        distinct, place = np.unique(values, return_inverse=True)
        _, key = np.unique(key * len(distinct) + place, return_inverse=True)
    _, first = np.unique(key, return_index=True)
    return given.take(first), key


def _even_out(dealt: DistinctRows, own: RateRows, base: float) -> DistinctRows:
    """The rows with rates of mean one, each as firm as its share of a row whose variance is one.

    So a ridge is as strong as for other numbers, and neither the unit of the target nor that of the exposure matters.
    """
    rates = own.totals / own.sizes / base
    firmness = own.firmness / (dealt.weights @ own.firmness / dealt.weights.sum())
    variance = float(dealt.weights @ (firmness * (rates - 1.0) ** 2) / dealt.weights.sum())
    return replace(dealt, targets=rates, exposures=firmness / (variance or 1.0))


def fit_shape(rows: RateRows, rates: np.ndarray, weights: np.ndarray) -> Shape:
    """What is left of totals whose means are known."""
    kind = CountShape if rows.power == POISSON else AmountShape
    return kind.fit(rows.totals, rows.sizes * rates, rows.exposures, weights)


def _make_model(tables: AddedTables, log_base: float, times: float) -> NaiveBayesModel:
    """The model of the log of the rate; counts of pairs are multiplied, so that copies count as they were given."""
    terms = [tables.make_term(j, tables.single[j]) for j in range(len(tables.single))]
    pairs = [replace(pair, counts=times * pair.rows) for pair in tables.pairs]
    start = tables.intercept + log_base
    return NaiveBayesModel(tables.schema, start, tuple(terms), pairs=tuple(pairs))
