"""A queue of requests for one working thread, with a cache of the last answers."""

from __future__ import annotations

import asyncio
import sys
import traceback
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Iterable

from starlette.concurrency import run_in_threadpool

from ltr.errors import InputError

ROOM = 40
"""Requests that may wait: twenty users, each with one more than they are looking at."""

REMEMBERED = 128
"""Answers that are remembered."""


class Busy(Exception):
    """Too many requests wait."""


class Abandoned(Exception):
    """The client has gone before its turn came."""


class WorkQueue:
    """First come, first served. Only the work itself leaves the event loop."""

    def __init__(self, room: int = ROOM, remembered: int = REMEMBERED) -> None:
        self.waiting = 0
        self._room = room
        self._remembered = remembered
        self._answers: OrderedDict[Hashable, bytes] = OrderedDict()
        self._turn = asyncio.Lock()  # it serves its waiters in order

    async def get(self, key: Hashable, work: Callable[[], bytes], gone: Callable[[], Awaitable[bool]]) -> bytes:
        """The result of ``work``, or the remembered one of ``key``.

        Raises Busy when too many requests wait, and Abandoned when the client is ``gone`` at its turn.
        """
        if key not in self._answers:
            if self.waiting >= self._room:
                raise Busy
            self.waiting += 1
            try:
                async with self._turn:
                    if key not in self._answers:  # the same question may have been answered in the meantime
                        if await gone():
                            raise Abandoned
                        self._answers[key] = await run_in_threadpool(work)
            finally:
                self.waiting -= 1
            if len(self._answers) > self._remembered:
                self._answers.popitem(last=False)
        self._answers.move_to_end(key)
        return self._answers[key]

    async def prepare(self, jobs: Iterable[Callable[[], object]]) -> None:
        """Run these jobs between requests; every waiting request comes before the next job."""
        try:
            for job in jobs:
                async with self._turn:
                    await run_in_threadpool(job)
        except InputError as error:  # a damaged text: the request that needs it reports it as well
            print(f"error: {error}", file=sys.stderr)
        except Exception:
            traceback.print_exc()
