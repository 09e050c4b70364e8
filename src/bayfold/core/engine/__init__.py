"""How a fold is run: row blocks in threads, added up in a fixed tree."""

from bayfold.core.engine.blocks import block_rows, map_blocks, resolve_threads
from bayfold.core.engine.fold import fold_table

__all__ = ["block_rows", "fold_table", "map_blocks", "resolve_threads"]
