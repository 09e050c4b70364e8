"""What model files hold of mixtures of truncated exponentials."""

from __future__ import annotations

from bayfold.base.files import FOLDED, OF_LEARNING
from bayfold.families.mte.curves import Curves
from bayfold.families.mte.density import MTEDensity
from bayfold.families.mte.distribution import Pieces
from bayfold.families.mte.estimator import LearntMTE, MTERegressor
from bayfold.families.mte.fit import MTEFit
from bayfold.families.mte.incomplete import Iteration
from bayfold.families.mte.learner import MTEModel, MTESettings, NumericDomain
from bayfold.families.mte.predictor import MTEPredictor
from bayfold.families.mte.term import ExponentialTerm
from bayfold.persist import register, register_estimator

register(MTEDensity)
register(Pieces)
register(ExponentialTerm)
register(MTEModel)
register(MTESettings)
register(Curves)
register(NumericDomain)
register(Iteration)
register(MTEFit)
register(MTEPredictor)
register(LearntMTE)
register_estimator(MTERegressor, dropped=OF_LEARNING, **FOLDED, _predictor=LearntMTE)
