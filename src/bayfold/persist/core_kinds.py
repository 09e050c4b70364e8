"""What model files hold of the core: schemas, statistics, terms, and models of terms."""

from __future__ import annotations

from bayfold.core.counts import JointCounts, LabelledRows, RowSample, Statistics
from bayfold.core.densities.terms import (
    CurveTerm,
    InterpolatedTerm,
    PairTerm,
    QuadraticTerm,
    TableTerm,
)
from bayfold.core.evidence import Records
from bayfold.core.frames import LabelColumn, NullColumn, Table
from bayfold.core.frames.columns import ArrayReader, NumberColumn
from bayfold.core.schema import Coder, NominalColumn, NumericColumn, Schema
from bayfold.core.scoring import NaiveBayesModel
from bayfold.core.scoring.naive_bayes import Calibration, Dropped
from bayfold.core.scoring.predictor import Predictor
from bayfold.core.scoring.regression import RegressionModel
from bayfold.persist.kinds import register

register(NumericColumn)
register(NominalColumn)
register(Schema)
register(Coder)
register(ArrayReader)
register(LabelColumn)
register(NullColumn)
register(Table)
register(LabelledRows)
register(NumberColumn, read=ArrayReader)
register(JointCounts)
register(RowSample)
register(Statistics)
register(TableTerm)
register(QuadraticTerm)
register(InterpolatedTerm)
register(CurveTerm)
register(PairTerm)
register(Calibration)
register(Dropped)
register(NaiveBayesModel)
register(RegressionModel)
register(Records)
register(Predictor, model=NaiveBayesModel)
