"""Linear algebra on one thread.

Vectors of a handful of numbers are done before a second thread has woken up: on a busy machine L-BFGS with twenty
parameters takes a hundred times as long with threads as without. And sums do not depend on the number of threads.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


@cache
def _find_libraries() -> ThreadpoolController:
    """Looked for once: it takes a millisecond or two."""
    return ThreadpoolController()


def on_one_thread() -> AbstractContextManager[Any]:
    """Within it, linear algebra libraries use a single thread."""
    return _find_libraries().limit(limits=1, user_api="blas")
