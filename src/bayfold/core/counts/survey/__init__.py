"""What a first pass over rows finds out, all of it sums: what the columns hold, and some rows."""

from bayfold.core.counts.survey.survey import (
    Survey,
    SurveyLimits,
    Tally,
    find_changed_column,
    survey_rows,
)
