"""Model files: JSON and plain arrays in one zip, read without running anything of what is in them."""

from bayfold.persist import schema_kinds, text_kinds
from bayfold.persist.checks import expect
from bayfold.persist.files import is_model_file, read_model, read_notes, write_model
from bayfold.persist.kinds import register, register_estimator
from bayfold.persist.model_kinds import check_counted, register_term
