"""Exceptions and warnings. The wording of every message lives in this folder.

Errors read "`{thing}` must be {condition}. Got {value}." followed by what to type.
"""

from bayfold.errors.checks import *
from bayfold.errors.commands import *
from bayfold.errors.datasets import *
from bayfold.errors.dependent_rows import *
from bayfold.errors.edits import *
from bayfold.errors.evaluation import *
from bayfold.errors.exports import *
from bayfold.errors.kinds import *
from bayfold.errors.kinds import ignore_warnings, record_warnings
from bayfold.errors.model_files import *
from bayfold.errors.models import *
from bayfold.errors.notices import *
from bayfold.errors.parameters import *
from bayfold.errors.sources import *
from bayfold.errors.table_files import *
from bayfold.errors.tables import *
from bayfold.errors.targets import *
