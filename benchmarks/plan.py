"""Which measurements a run makes."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.child import ONE_THREAD, Job

SIZES = (10**4, 10**5, 10**6, 10**7)
QUICK_SIZES = (10**4, 10**5)
REFERENCE_ROWS = 10**6
"""The size the requirements speak of."""

SLOW_PEER_ROWS = 10**6
MIXED_ROWS = (10**5, 10**6)
CLASSES = (2, 10)
THREADS = ("default", "one")


@dataclass(frozen=True)
class Plan:
    """What a run covers.

    ``everything`` runs the slow peers on the largest sizes too; ``quick`` makes fewer rounds and
    leaves out the peers' memory and the skewed columns.
    """

    sizes: tuple[int, ...]
    everything: bool = False
    quick: bool = False

    @property
    def reference(self) -> int:
        """10^6 rows, or the largest size of a shorter run."""
        below = [size for size in self.sizes if size <= REFERENCE_ROWS]
        return max(below, default=min(self.sizes))

    @property
    def mixed_sizes(self) -> tuple[int, ...]:
        """Tables with strings: 10^5 rows, 10^6 only if everything is asked for."""
        wanted = MIXED_ROWS if self.everything else MIXED_ROWS[:1]
        return tuple(n for n in wanted if n <= max(self.sizes)) or (max(self.sizes),)

    def jobs(self) -> dict[str, list[Job]]:
        """The measurements, section by section."""
        repeats = 3 if self.quick else 5
        return {
            "startup": [
                Job("first call", "benchmarks.startup:measure_first_calls"),
                Job("imports", "benchmarks.startup:measure_imports", {"repeats": repeats}),
            ],
            "kernels": [
                Job("kernels", "benchmarks.kernel_times:time_kernels", {"n_rows": self.reference})
            ],
            "memory": self._memory_cases(),
            **{f"mixed, {t}": [self._mixed(n, t) for n in self.mixed_sizes] for t in THREADS},
            **{f"numeric, {threads}": self._numeric_cases(threads) for threads in THREADS},
        }

    def _models(self, n_rows: int) -> list[str]:
        from benchmarks.models import BINNED, GAUSSIAN, OURS, OURS_DEFAULT, OURS_GAUSSIAN

        return [
            OURS,
            OURS_DEFAULT,
            OURS_GAUSSIAN,
            GAUSSIAN,
            *([BINNED] if self._with_binned(n_rows) else []),
        ]

    def _with_binned(self, n_rows: int) -> bool:
        return self.everything or n_rows <= SLOW_PEER_ROWS

    def _repeats(self, n_rows: int) -> int:
        """Many rounds where one is short and noisy, few where one is long."""
        for largest, repeats in ((10**4, 15), (10**5, 9), (10**6, 5)):
            if n_rows <= largest and not self.quick:
                return repeats
        return 3

    def _memory_cases(self) -> list[Job]:
        if self.quick:
            return [self._memory(self._models(self.reference)[0], self.reference)]
        return [self._memory(model, n) for n in self.sizes for model in self._models(n)]

    def _memory(self, model: str, n_rows: int) -> Job:
        arguments = {"model": model, "n_rows": n_rows}
        return Job(
            f"memory, {model}, {n_rows:,} rows", "benchmarks.memory:measure_fit_memory", arguments
        )

    def _mixed(self, n_rows: int, threads: str) -> Job:
        arguments = {
            "n_rows": n_rows,
            "n_jobs": n_jobs(threads),
            "repeats": self._repeats(n_rows),
        }
        title = f"strings, {n_rows:,} rows, {threads} threads"
        return Job(title, "benchmarks.speed:compare_mixed", arguments, environment(threads))

    def _numeric_cases(self, threads: str) -> list[Job]:
        cases = [(n, k, "normal") for k in CLASSES for n in self.sizes]
        if not self.quick:
            cases.append((self.reference, 2, "skewed"))
        return [self._numeric(*case, threads) for case in cases]

    def _numeric(self, n_rows: int, n_classes: int, shape: str, threads: str) -> Job:
        arguments = {
            "n_rows": n_rows,
            "n_classes": n_classes,
            "shape": shape,
            "n_jobs": n_jobs(threads),
            "with_binned": self._with_binned(n_rows),
            "repeats": self._repeats(n_rows),
        }
        title = f"{n_rows:,} rows, {n_classes} classes, {shape}, {threads} threads"
        return Job(title, "benchmarks.speed:compare_numeric", arguments, environment(threads))


def n_jobs(threads: str) -> int | None:
    """Our own parameter: the default, or one thread."""
    return 1 if threads == "one" else None


def environment(threads: str) -> dict[str, str]:
    """What pins every other library to one thread."""
    return ONE_THREAD if threads == "one" else {}
