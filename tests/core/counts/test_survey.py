"""The first pass: parts of it are told what others have found, which only saves time."""

from __future__ import annotations

import numpy as np

from bayfold.core.counts import LabelledRows
from bayfold.core.counts.survey import Tally, survey_rows
from bayfold.core.frames import read_table


def test_what_is_kept_already_is_not_looked_for_and_changes_nothing():
    rng = np.random.default_rng(0)
    tables = [read_table(rng.normal(size=(4000, 1))) for _ in range(3)]
    parts = [LabelledRows.in_one_group(table) for table in tables]
    tally = Tally.of(np.ones(4000, bool), None)
    alone = [survey_rows(part, frozenset(), tally) for part in parts]
    told = [
        alone[0],
        *(survey_rows(part, frozenset(), tally, alone[0].limits) for part in parts[1:]),
    ]
    assert len(told[1].numbers(0).hashes) < len(alone[1].numbers(0).hashes)
    whole, short = alone[0] + alone[1] + alone[2], told[0] + told[1] + told[2]
    assert short.numbers(0).hashes.tolist() == whole.numbers(0).hashes.tolist()
    assert (short.numbers(0).low, short.numbers(0).high) == (
        whole.numbers(0).low,
        whole.numbers(0).high,
    )
