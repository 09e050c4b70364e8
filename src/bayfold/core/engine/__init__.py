"""How a fold is run: row blocks in threads, partitions of a source, added up in a fixed tree."""

from bayfold.core.engine.engine import Engine, ThreadEngine
from bayfold.core.engine.fold import block_rows, fold_table, resolve_threads
from bayfold.core.engine.open import open_rows, open_with_engine
from bayfold.core.engine.tree import TreeSum
from bayfold.core.frames import map_in_threads

__all__ = [
    "Engine",
    "ThreadEngine",
    "TreeSum",
    "block_rows",
    "fold_table",
    "map_in_threads",
    "open_rows",
    "open_with_engine",
    "resolve_threads",
]
