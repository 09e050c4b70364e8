"""How a fold is run: row blocks in threads, partitions of a source, added up in a fixed tree."""

from bayfold.core.engine.blocks import block_rows, map_blocks, resolve_threads
from bayfold.core.engine.engine import Engine, ThreadEngine
from bayfold.core.engine.fold import fold_table
from bayfold.core.engine.tree import TreeSum

__all__ = [
    "Engine",
    "ThreadEngine",
    "TreeSum",
    "block_rows",
    "fold_table",
    "map_blocks",
    "resolve_threads",
]
