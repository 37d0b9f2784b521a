"""``riposte serve``: answer questions on a web page and through a JSON interface."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from ltr.cli.options import RERANK_OPTIONS, Parser, add_options, whole_number
from ltr.escapes import say
from ltr.parallel import collect_often, usable_cores
from models.defaults import NO_ENCODER

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Mapping

    from ltr.web.answerer import Answerer
    from ltr.web.processes import Job
    from ltr.web.queue import WorkQueue


USUAL, MOST = 4, 40
"""Processes that answer, by default and at most: the server waits for answers in as many threads."""


def parser() -> Parser:
    """The command's options."""
    p = Parser(prog="riposte serve", description="Serve a page for questions, on this machine only.", file=__file__)
    p.add_argument("-i", "--input", metavar="DIR", help="corpus, as for riposte predict (default: the sample)")
    text = "corpus for comparative questions (default: the sample's, without -i)"
    p.add_argument("--comparative", metavar="DIR", help=text)
    text = "a model folder of any task; may repeat (default: the shipped models)"
    p.add_argument("-m", "--model", metavar="MODEL", action="append", default=[], help=text)
    p.add_argument("--host", default="127.0.0.1", help="address to listen at (default: %(default)s)")
    text = "port to listen at; 0: any free port (default: %(default)s)"
    p.add_argument("--port", type=whole_number(0, 65535), default=8000, metavar="N", help=text)
    add_options(p, "--encoder", *RERANK_OPTIONS, "--plugin", "--index")
    text = (
        "questions answered at a time, each by a process of some 200 MB (default: %(default)s; a core each, 4 at most)"
    )
    p.add_argument(
        "--processes", type=whole_number(1, MOST), default=min(usable_cores(), USUAL), metavar="N", help=text
    )
    jobs = "processes for indexing, threads for scoring (default: all cores, %(default)s)"
    p.add_argument("--jobs", type=whole_number(1, 1024), default=usable_cores(), metavar="N", help=jobs)
    p.add_argument("--quiet", action="store_true", help="no progress, only the address and errors")
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the command until it is stopped. Raises InputError for anything that the user can correct."""
    options = parser().parse_args(argv)

    from ltr.parallel import Workers
    from ltr.progress import Progress
    from ltr.ranking.describe import Resources
    from ltr.web.app import make_app
    from ltr.web.guard import LOCAL
    from ltr.web.loading import load_answerers
    from ltr.web.server import bind, make_server

    progress = Progress(quiet=options.quiet)
    with bind(options.host, options.port) as listener:
        host, port = listener.getsockname()[:2]
        resources = Resources(Workers(options.jobs), progress)
        answerers = load_answerers(
            options.input, options.comparative, options.model, options.index, options.encoder, resources
        )
        for answerer in answerers.values():
            answerer.reranked(options.rerank, options.rerank_depth, options.rerank_weight)
        if options.host not in LOCAL:
            progress.warn(f"whoever reaches {host} can search the corpus: there are no accounts, nothing is encrypted")
        for answerer in answerers.values():
            names = answerer.names
            size = f"{answerer.index.arguments:,} {answerer.task.reads}"
            say(f"{answerer.task.name}: {names['corpus']}, {size}; {names['model']}")
        hosts = {*LOCAL, options.host.lower(), host}
        with _queue(answerers, options.processes if _forks(options) else 1) as (queue, preparations):
            server = make_server(make_app(answerers, hosts, queue, preparations), listener)
            for number in (signal.SIGINT, signal.SIGTERM):  # uvicorn raises them again when it has ended
                signal.signal(number, server.handle_exit)
            say(f"http://{f'[{host}]' if ':' in host else host}:{port}/ answers until Ctrl-C")
            sys.stdout.flush()
            collect_often()
            server.run(sockets=[listener])
    return 0


def _forks(options: Namespace) -> bool:
    """Whether processes can answer: threads of components that a user names may not survive a fork."""
    ours = options.encoder in (None, NO_ENCODER) and not options.rerank and not options.plugin
    return ours and hasattr(os, "fork") and os.path.isdir("/dev/fd")


@contextmanager
def _queue(answerers: Mapping[str, Answerer], count: int) -> Iterator[tuple[WorkQueue, list[Job]]]:
    """A queue for this process, or for ``count`` others that it forks; what is left for this one to prepare."""
    from ltr.web.app import perform
    from ltr.web.processes import Processes, succeeds
    from ltr.web.queue import WorkQueue

    work = partial(perform, answerers)
    warming: list[Job] = [answerer.warm for answerer in answerers.values()]
    of_index = {answerer.index: answerer for answerer in answerers.values()}

    def reading(number: int) -> Iterator[Job]:
        return (job for answerer in of_index.values() for job in answerer.preparations(number, count))

    if count == 1:
        yield WorkQueue(work), [*warming, *reading(0)]
        return
    for job in warming:
        succeeds(job)
    with Processes(count, work, reading) as processes:
        yield WorkQueue(processes, count), []
