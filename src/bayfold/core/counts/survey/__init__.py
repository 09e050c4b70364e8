"""What a first pass over rows finds out, all of it sums: what the columns hold, and some rows."""

from bayfold.core.counts.survey.same_rows import find_changed_column
from bayfold.core.counts.survey.survey import Survey, SurveyLimits, survey_rows
from bayfold.core.counts.survey.tally import Tally
