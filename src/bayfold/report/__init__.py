"""Reports: what is in a table, what a model of it is worth, and what it goes by, as one page that needs no network.

The data come first, as a dict that `gather` makes; the page is one template filled with it.
"""

from bayfold.report.gather import gather
from bayfold.report.page import Page, write, write_evidence

__all__ = ["Page", "gather", "write", "write_evidence"]
