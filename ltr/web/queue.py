"""A queue of requests for those who answer, with a cache of the last answers."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable

from starlette.concurrency import run_in_threadpool

from ltr.web.processes import Call, Job, succeeds

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

    def __init__(
        self, perform: Callable[[Call], bytes], turns: int = 1, room: int = ROOM, remembered: int = REMEMBERED
    ) -> None:
        """``perform`` may be at work in as many threads at once as there are ``turns``."""
        self.waiting = 0
        self._perform = perform
        self._room = room
        self._remembered = remembered
        self._answers: OrderedDict[Call, bytes] = OrderedDict()
        self._turns = asyncio.Semaphore(turns)  # it serves its waiters in order

    async def get(self, call: Call, gone: Callable[[], Awaitable[bool]]) -> bytes:
        """The result of a call, or the remembered one.

        Raises Busy when too many requests wait, and Abandoned when the client is ``gone`` at its turn.
        """
        if call not in self._answers:
            if self.waiting >= self._room:
                raise Busy
            self.waiting += 1
            try:
                async with self._turns:
                    if call not in self._answers:  # the same question may have been answered in the meantime
                        if await gone():
                            raise Abandoned
                        self._answers[call] = await run_in_threadpool(self._perform, call)
            finally:
                self.waiting -= 1
            if len(self._answers) > self._remembered:
                self._answers.popitem(last=False)
        self._answers.move_to_end(call)
        return self._answers[call]

    async def prepare(self, jobs: Iterable[Job]) -> None:
        """Run these jobs between requests until one fails; every waiting request comes before the next job."""
        for job in jobs:
            async with self._turns:
                if not await run_in_threadpool(succeeds, job):
                    break
