"""What predictions are worth: the same folds for all methods, tests of a difference, calibration."""

from bayfold.evaluate.calibration import Reliability, expected_calibration_error, find_reliability
from bayfold.evaluate.cross_validation import (
    CrossValidation,
    cross_validate,
    find_bias_and_variance,
    score_folds,
    summarise,
)
from bayfold.evaluate.decisions import CostCurve, find_cost_curve, score_decisions
from bayfold.evaluate.distributions import (
    DistributionValidation,
    cross_validate_distributions,
    find_coverage,
)
from bayfold.evaluate.edits import compare_edits
from bayfold.evaluate.numbers import (
    RegressorValidation,
    cross_validate_regressors,
    score_regressor_folds,
    summarise_regressors,
)
from bayfold.evaluate.significance import (
    compare_pairs,
    compare_with_best,
    friedman_test,
    paired_t_test,
    sign_test,
)

__all__ = [
    "CostCurve",
    "CrossValidation",
    "DistributionValidation",
    "RegressorValidation",
    "Reliability",
    "compare_edits",
    "compare_pairs",
    "compare_with_best",
    "cross_validate",
    "cross_validate_distributions",
    "cross_validate_regressors",
    "expected_calibration_error",
    "find_bias_and_variance",
    "find_cost_curve",
    "find_coverage",
    "find_reliability",
    "friedman_test",
    "paired_t_test",
    "score_decisions",
    "score_folds",
    "score_regressor_folds",
    "sign_test",
    "summarise",
    "summarise_regressors",
]
