"""Say what a long job is doing, and remember where the time went."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from ltr.escapes import escaped

Tick = Callable[..., None]

LOGGER = logging.getLogger("riposte")
"""What `Logged` writes to."""


class Progress:
    """Progress lines on a terminal, and seconds by stage for ``--timings``."""

    def __init__(self, *, quiet: bool = False, stream: TextIO | None = None, since: float | None = None) -> None:
        """Seconds ``since`` some `time.perf_counter` are those of the start."""
        self.quiet = quiet
        self._stream = stream or sys.stderr
        self._live = not quiet and self._stream.isatty()
        self._shown = 0.0
        self.seconds = {} if since is None else {"start": time.perf_counter() - since}

    def say(self, line: str) -> None:
        """One line that stays, unless ``--quiet``."""
        if not self.quiet:
            self._clear()
            print(escaped(line), file=self._stream, flush=True)

    def warn(self, line: str) -> None:
        """One line that stays, ``--quiet`` or not."""
        self._clear()
        print(f"warning: {escaped(line)}", file=self._stream, flush=True)

    def print_report(self) -> None:
        """Stages and seconds, a line each, the sum last."""
        rows = [*self.seconds.items(), ("sum", sum(self.seconds.values()))]
        print("\n".join(f"{name:<24}{seconds:8.2f} s" for name, seconds in rows), file=self._stream, flush=True)

    @contextmanager
    def stage(self, name: str, *, unit: str = "", total: int | None = None) -> Iterator[Tick]:
        """Time a stage; the yielded ``tick(done, share)`` updates the line at most five times a second.

        Stages inside count for themselves.
        """
        start, others = time.perf_counter(), sum(self.seconds.values())
        done = 0
        if self._live:
            self._line(f"{name} ...")

        def tick(count: int = 1, share: float | None = None) -> None:
            nonlocal done
            done += count
            now = time.perf_counter()
            if not self._live or now - self._shown < 0.2:
                return
            self._shown = now
            if share is None and total:
                share = done / total
            elapsed = now - start
            left = f", {elapsed * (1 - share) / share:.0f} s left" if share and share > 0.01 else ""
            percent = f" {100 * share:.0f}%" if share else ""
            self._line(f"{name}{percent}: {done:,} {unit}, {done / max(elapsed, 1e-9):,.0f}/s{left}")

        try:
            yield tick
        finally:
            inside = sum(self.seconds.values()) - others
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start - inside
            self._clear()

    def _line(self, text: str) -> None:
        self._stream.write(f"\r\x1b[K{text}")
        self._stream.flush()

    def _clear(self) -> None:
        if self._live:
            self._stream.write("\r\x1b[K")
            self._stream.flush()


class Logged(Progress):
    """Progress for library use: logs to `LOGGER` instead of printing, stages with their seconds."""

    def __init__(self) -> None:
        super().__init__(quiet=True)

    def say(self, line: str) -> None:
        """As information."""
        LOGGER.info(line)

    def warn(self, line: str) -> None:
        """As a warning, which Python prints where no program says otherwise."""
        LOGGER.warning(line)

    @contextmanager
    def stage(self, name: str, *, unit: str = "", total: int | None = None) -> Iterator[Tick]:
        """As information when it ends."""
        before = self.seconds.get(name, 0.0)
        with super().stage(name, unit=unit, total=total) as tick:
            yield tick
        LOGGER.info("%s: %.1f s", name, self.seconds[name] - before)
