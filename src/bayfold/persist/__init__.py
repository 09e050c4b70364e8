"""Model files: JSON and plain arrays in one zip, read without running anything of what is in them."""

from bayfold.persist import core_kinds as core_kinds  # says what model files may hold
from bayfold.persist.files import load_model, save_model
from bayfold.persist.kinds import register, register_estimator
from bayfold.persist.reasons import expect

__all__ = ["expect", "load_model", "register", "register_estimator", "save_model"]
