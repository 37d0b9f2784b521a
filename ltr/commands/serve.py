"""``riposte serve``: answer questions on a web page and through a JSON interface."""

from __future__ import annotations

import os
import socket
import sys

from ltr.cli.options import RERANK_OPTIONS, Parser, add_number, add_options, open_progress
from ltr.errors import InputError
from ltr.escapes import say
from ltr.parallel import usable_cores

USUAL, MOST = 4, 40
"""Default and largest number of processes that answer."""

EVERY = ("0.0.0.0", "::")
"""Addresses that mean every address of the machine: its host names are not known then."""


def parser() -> Parser:
    """The command's options."""
    p = Parser("riposte serve", "Serve a page for questions, on this machine only.", __file__)
    p.add_argument("-i", "--input", metavar="DIR", help="corpus, as for riposte predict (default: the sample)")
    text = "corpus for comparative questions (default: the sample's, without -i)"
    p.add_argument("--comparative", metavar="DIR", help=text)
    text = "a model folder of any task, or a baseline for all others; may repeat (default: the shipped models)"
    p.add_argument("-m", "--model", metavar="MODEL", action="append", default=[], help=text)
    p.add_argument("--host", default="127.0.0.1", help="address to listen at (default: %(default)s)")
    add_number(p, "--port", "port to listen at; 0: any free port", 8000, 0, 65535)
    add_options(p, "--encoder", *RERANK_OPTIONS, "--plugin", "--index")
    text = "questions answered at a time, each by a process of some 550 MB (default: %(default)s; a core each, "
    add_number(p, "--processes", f"{text}{USUAL} at most)", min(usable_cores(), USUAL), 1, MOST)
    jobs = "processes for indexing, threads for scoring (default: all cores, %(default)s)"
    add_number(p, "--jobs", jobs, usable_cores(), 1, 1024)
    p.add_argument("--quiet", action="store_true", help="no progress, only the address and errors")
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the command until it is stopped. Raises InputError for anything that the user can correct."""
    options = parser().parse_args(argv)

    import uvicorn

    from ltr.web.app import LOCAL, SERVER
    from ltr.web.loading import Settings, load_answerers, warm_app

    progress = open_progress(options)
    with bind(options.host, options.port) as listener:
        host, port = listener.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        given = {name: value for name, value in vars(options).items() if name in Settings.__dataclass_fields__}
        settings = Settings(**given, hosts=["*"] if host in EVERY else [*LOCAL, options.host, shown])
        answerers = load_answerers(settings, progress)
        if options.host not in (*LOCAL, "::1"):
            progress.warn(f"whoever reaches {host} can search the corpus: there are no accounts, nothing is encrypted")
        for answerer in answerers.values():
            names = answerer.names
            size = f"{answerer.index.arguments:,} {answerer.task.reads}"
            say(f"{answerer.task.name}: {names['corpus']}, {size}; {names['model']}")
        say(f"http://{shown}:{port}/ answers until Ctrl-C")
        sys.stdout.flush()
        settings.export()
        app = "ltr.web.loading:load_app" if options.processes > 1 else warm_app(answerers, settings.hosts)
        del answerers, answerer  # each process opens its own
        uvicorn.run(app, factory=options.processes > 1, workers=options.processes, fd=listener.fileno(), **SERVER)
    return 0


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens at this address. Raises InputError."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError):
        what = f"{host!r} is not an address of this machine"
        raise InputError("--host", what, "leave it out for 127.0.0.1") from None
    try:
        both = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
        return socket.create_server(address, family=family, dualstack_ipv6=both)
    except OSError as error:
        what = f"port {port} of {host} is not available ({os.strerror(error.errno or 0).lower()})"
        raise InputError("--port", what, "name another, or 0 for any that is free") from None
