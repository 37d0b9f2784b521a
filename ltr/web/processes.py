"""Processes that answer, one request at a time each: copies of the loaded server, whose memory they share.

They are forked: models, lexicons and the index are there once. Of what is open, a copy keeps what was open before the
first one: it neither holds connections of clients nor the other pipes, so that it ends when its server does.
"""

from __future__ import annotations

import gc
import json
import multiprocessing
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterable
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from ltr.errors import InputError
from ltr.parallel import interrupts_blocked

Call = tuple[Any, ...]
"""What is asked for: strings and numbers."""

Job = Callable[[], object]

JobsOf = Callable[[int], Iterable[Job]]
"""Number of a process -> its jobs."""

DONE = b"1"
"""What a result begins with, unless the call failed."""


class FailedCallError(Exception):
    """The call failed, or ended two processes; why was printed."""


class Processes:
    """``count`` processes that ``perform`` calls; each runs the ``preparations`` of its number while nobody asks.

    As many threads as there are processes may call at once. A process that has ended is replaced.
    """

    def __init__(self, count: int, perform: Callable[[Call], bytes], preparations: JobsOf) -> None:
        self._perform, self._preparations = perform, preparations
        self._kept, self._closed = _descriptors(), False
        self._copies = [self._started(number) for number in range(count)]
        self._idle = list(range(count))

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        """End all processes."""
        self._closed = True
        for process, _pipe in self._copies:
            process.kill()
            process.join()

    def __call__(self, call: Call) -> bytes:
        """The result of a call, by the process that was at work last: it may know the question. Raises FailedCallError.

        Where the process ends meanwhile, the call is made once more, in the next one.
        """
        number = self._idle.pop()
        try:
            for _ in range(2):
                process, pipe = self._copies[number]
                with suppress(EOFError, OSError):
                    pipe.send_bytes(json.dumps(call).encode())
                    result = pipe.recv_bytes()
                    if result[:1] != DONE:
                        raise FailedCallError
                    return result[1:]
                if self._closed:
                    break
                pipe.close()
                process.join()
                print("warning: a process that answers has ended; another one is started", file=sys.stderr)
                self._copies[number] = self._started(number)
            raise FailedCallError
        finally:
            self._idle.append(number)

    def _started(self, number: int) -> tuple[BaseProcess, Connection]:
        context = multiprocessing.get_context("fork")
        pipe, other = context.Pipe()
        process = context.Process(target=self._work, args=(number, other), daemon=True)
        with interrupts_blocked():
            process.start()
        other.close()
        return process, pipe

    def _work(self, number: int, pipe: Connection) -> None:
        """Perform calls, in the process, until the server has ended."""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # where all get it, the server has the last word
        gc.freeze()  # what was inherited is never freed: others may have its descriptors by then
        for descriptor in _descriptors() - self._kept - {pipe.fileno()}:
            os.close(descriptor)
        jobs = iter(self._preparations(number))
        with suppress(EOFError, OSError):
            while True:
                while not pipe.poll() and (job := next(jobs, None)):
                    jobs = jobs if succeeds(job) else iter(())
                call, results = pipe.recv_bytes(), [b""]
                succeeds(lambda: results.append(DONE + self._perform(tuple(json.loads(call)))))  # noqa: B023 at once
                pipe.send_bytes(results[-1])


def succeeds(job: Job) -> bool:
    """Whether a job does; what fails is printed on the terminal."""
    try:
        job()
    except InputError as error:  # what the operator can correct, such as a damaged index
        print(f"error: {error}", file=sys.stderr)
    except Exception:
        traceback.print_exc()
    else:
        return True
    sys.stderr.flush()
    return False


def _descriptors() -> set[int]:
    """The open files of this process."""
    return {number for number in map(int, os.listdir("/dev/fd")) if _is_open(number)}


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:  # that of the listing itself
        return False
    return True
