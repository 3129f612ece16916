"""A bar for work that takes long."""

from collections.abc import Callable
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

PATIENCE_SECONDS = 1.0


class Progress:
    """Counts work; from its second second on a bar stands on the given stream, and is gone at the end.

    Without a stream it only counts. `total` is in the caller's own units, None where it is not known.
    """

    def __init__(
        self, total: float | None, label: str, stream: TextIO | None, *, clock: Callable[[], float] = monotonic
    ) -> None:
        self.done = 0.0
        self._total = total
        self._label = label
        self._stream = stream
        self._clock = clock
        self._due = clock() + PATIENCE_SECONDS
        self._bar: RichProgress | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.hide()

    def advance(self, amount: float = 1) -> None:
        """Notes that so much more is done."""
        self.done += amount
        if self._bar:
            self._bar.update(self._bar.task_ids[0], completed=self.done)
        elif self._stream and self._clock() >= self._due:
            self._show(self._stream)

    def hide(self) -> None:
        """Takes the bar away for good: results or messages are about to stand where it is."""
        self._stream = None
        if self._bar:
            self._bar.stop()
            self._bar = None

    def _show(self, stream: TextIO) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress

        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(),
        )
        self._bar = RichProgress(
            *columns, console=Console(file=stream), transient=True, redirect_stdout=False, redirect_stderr=False
        )
        self._bar.add_task(self._label, total=self._total, completed=int(self.done))
        self._bar.start()
