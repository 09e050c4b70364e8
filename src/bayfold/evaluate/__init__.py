"""What predictions are worth."""

from bayfold.evaluate.calibration import Reliability, expected_calibration_error, find_reliability

__all__ = ["Reliability", "expected_calibration_error", "find_reliability"]
