"""Groups of fine bins: a discretization is made after counting, by merging.

Each method returns ``merge``: for every fine bin, the number of the coarse bin it goes to.
"""

from bayfold.discretize.equal_frequency import merge_equal_frequency
from bayfold.discretize.equal_width import merge_equal_width

__all__ = ["merge_equal_frequency", "merge_equal_width"]
