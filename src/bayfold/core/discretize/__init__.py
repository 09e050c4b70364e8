"""Groups of fine bins: a discretization is made after counting, by merging.

Each method returns ``merge``: for every fine bin, the number of the coarse bin it goes to.
"""

from bayfold.core.discretize.bins import (
    AUTO,
    DECREASING,
    DIRECTIONS,
    INCREASING,
    PEAK,
    VALLEY,
    find_wrong_neighbours,
    merge_by_weight,
    merge_equal_frequency,
    merge_equal_width,
    merge_mdl,
    merge_monotone,
    set_special_apart,
)
