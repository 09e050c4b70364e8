"""Rows that need not fit in memory: files, queries and streams, read again for every pass, a chunk at a time."""

from bayfold.core.frames.sources.chunk import Chunk, Source
from bayfold.core.frames.sources.open import open_source
