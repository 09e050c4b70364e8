"""What is shown while long work goes on, and only in a terminal; rich is imported only then."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # before scikit-learn 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing can be set."""

    def with_callbacks(method: Any) -> Any:
        """The method as it is."""
        return method


Callback = Callable[[int, int, float], Any]
"""Called after some rounds with the rounds so far, the most there will be, and the loss or error now (NaN: none)."""


class SearchProgress:
    """A line that says what was tried last and how it did.

    Parameters
    ----------
    shown : bool
        Nothing is shown otherwise, nor where standard error is no terminal.
    """

    def __init__(self, shown: bool) -> None:
        self._status: Any = None
        if shown and sys.stderr.isatty():
            from rich.console import Console

            self._status = Console(stderr=True).status("searching")

    def __enter__(self) -> SearchProgress:
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._status is not None:
            self._status.stop()

    def say(self, text: str) -> None:
        """Show this."""
        if self._status is not None:
            self._status.update(text)


def follow_callbacks(estimator: Any, callback: Callback | None) -> Callback | None:
    """What to call after some rounds: the given callback, and those that ``set_callbacks`` of scikit-learn has set."""
    if not getattr(estimator, "_skl_callbacks", ()):
        return callback
    fitting = estimator._init_callback_context(max_subtasks=None)
    fitting.call_on_fit_task_begin(estimator=estimator)

    def call_all(done: int, most: int, loss: float) -> None:
        if callback is not None:
            callback(done, most, loss)
        rounds = fitting.subcontext("rounds")
        rounds.call_on_fit_task_begin(estimator=estimator)
        rounds.call_on_fit_task_end(
            estimator=estimator, metadata={"n_rounds": done, "most": most, "loss": loss}
        )

    return call_all


def end_callbacks(estimator: Any) -> None:
    """Tell callbacks of scikit-learn that the fit is done."""
    if hasattr(estimator, "_callback_fit_ctx"):
        estimator._callback_fit_ctx.call_on_fit_task_end(estimator=estimator)


@contextmanager
def follow_rounds(shown: bool, callback: Callback | None, what: str) -> Iterator[Callback | None]:
    """What to call after some rounds: the given callback, a bar, both, or nothing.

    The bar goes to standard error, so that it never mixes with what a program prints.
    """
    if not shown:
        yield callback
        return
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=None)

        def both(done: int, most: int, loss: float) -> None:
            text = what if math.isnan(loss) else f"{what}, loss {loss:.4f}"
            bar.update(task, completed=done, total=most, description=text)
            if callback is not None:
                callback(done, most, loss)

        yield both
