"""How a pass over the rows is run: blocks in threads, partitions of a source, sums added up in a fixed tree."""

from bayfold.core.engine.engine import Engine, ThreadEngine
from bayfold.core.engine.open import lies_on_cluster, open_rows, open_with_engine
from bayfold.core.engine.reduce import block_rows, reduce_table, resolve_threads
from bayfold.core.engine.tree import TreeSum
from bayfold.core.frames import map_in_threads
