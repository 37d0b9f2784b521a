"""``riposte serve``: answer questions on a web page and through a JSON interface."""

from __future__ import annotations

import os
import socket
import sys

from ltr.cli.parser import Command
from ltr.errors import SettingError
from ltr.escapes import say
from ltr.progress import Progress
from ltr.web.settings import ServerSettings

EVERY = ("0.0.0.0", "::")
"""Addresses that mean every address of the machine: its host names are not known then."""


def serve(options: ServerSettings) -> int:
    """Answer until the process is stopped. Raises InputError for anything that the user can correct."""
    import uvicorn

    from ltr.web.app import LOCAL, SERVER
    from ltr.web.loading import export, load_answerers, warm_app

    progress = Progress(quiet=options.quiet)
    with bind(options.host, options.port) as listener:
        host, port = listener.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        hosts = ["*"] if host in EVERY else [*LOCAL, options.host, shown]
        answerers = load_answerers(options, progress)
        if options.host not in (*LOCAL, "::1"):
            progress.warn(f"whoever reaches {host} can search the corpus: there are no accounts, nothing is encrypted")
        for answerer in answerers.values():
            names = answerer.names
            size = f"{answerer.index.arguments:,} {answerer.task.reads}"
            say(f"{answerer.task.name}: {names['corpus']}, {size}; {names['model']}")
        say(f"http://{shown}:{port}/ answers until Ctrl-C")
        sys.stdout.flush()
        export(options, hosts)
        app = "ltr.web.loading:load_app" if options.processes > 1 else warm_app(answerers, hosts)
        del answerers, answerer  # each process opens its own
        uvicorn.run(app, factory=options.processes > 1, workers=options.processes, fd=listener.fileno(), **SERVER)
    return 0


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens at this address. Raises SettingError."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError):
        what = f"{host!r} is not an address of this machine"
        raise SettingError("host", what, "leave it out for 127.0.0.1") from None
    try:
        both = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
        return socket.create_server(address, family=family, dualstack_ipv6=both)
    except OSError as error:
        what = f"port {port} of {host} is not available ({os.strerror(error.errno or 0).lower()})"
        raise SettingError("port", what, "name another, or 0 for any that is free") from None


main = Command("serve", ServerSettings, serve, __file__)
