"""Questions wait in line for the one thread that answers, and what was asked lately is remembered."""

from __future__ import annotations

import asyncio
import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import suppress
from threading import Thread

from ltr.errors import InputError

ROOM = 40
"""Questions that may wait: twenty people, each with one more than they look at."""

REMEMBERED = 128
"""Answers."""


class Busy(Exception):
    """As many questions wait as may."""


class WorkQueue:
    """First come, first served. All but the work itself happens in the thread of the event loop."""

    def __init__(self, room: int = ROOM, remembered: int = REMEMBERED) -> None:
        self.waiting = 0
        self._room = room
        self._remembered = remembered
        self._answers: OrderedDict[Hashable, bytes] = OrderedDict()
        self._thread = ThreadPoolExecutor(1, "answers")

    async def get(self, key: Hashable, work: Callable[[], bytes]) -> bytes:
        """What ``work`` gives, or gave when ``key`` came last. Raises Busy when too many wait."""
        if key not in self._answers:
            if self.waiting >= self._room:
                raise Busy
            self.waiting += 1
            try:
                found = await asyncio.get_running_loop().run_in_executor(self._thread, self._work, key, work)
            finally:
                self.waiting -= 1
            self._answers[key] = found
            if len(self._answers) > self._remembered:
                self._answers.popitem(last=False)
        self._answers.move_to_end(key)
        return self._answers[key]

    def _work(self, key: Hashable, work: Callable[[], bytes]) -> bytes:
        """The same question may have been answered while this one waited."""
        found = self._answers.get(key)
        return work() if found is None else found

    def prepare(self, jobs: Iterable[Callable[[], object]]) -> None:
        """Do these, too, one after the other, each behind all questions that wait when its turn comes."""

        def work() -> None:
            try:
                for job in jobs:
                    if (done := self._submitted(job)) is None:
                        break
                    with suppress(CancelledError):
                        done.result()
            except InputError as error:  # a damaged text: whoever asks for it hears of it too
                print(f"error: {error}", file=sys.stderr)

        Thread(target=work, daemon=True, name="preparation").start()

    def _submitted(self, job: Callable[[], object]) -> Future[object] | None:
        """None when the server ends."""
        try:
            return self._thread.submit(job)
        except RuntimeError:
            return None

    def close(self) -> None:
        """Let go of all that wait."""
        self._thread.shutdown(wait=False, cancel_futures=True)
