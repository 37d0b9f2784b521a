"""``riposte serve``: answer questions on a web page and through a JSON interface."""

from __future__ import annotations

import os
import socket
import sys
from dataclasses import dataclass
from pathlib import Path

from ltr.cli.parser import Command
from ltr.errors import SettingError
from ltr.escapes import say
from ltr.parallel import usable_cores
from ltr.progress import Progress
from ltr.settings import Settings, setting
from ltr.settings.kinds import CorpusName, Model, Number, Text
from ltr.settings.shared import (
    encoder_field,
    index_field,
    jobs_field,
    plugin_field,
    quiet_field,
    rerank_field,
    sample_field,
)

USUAL, MOST = 4, 40
"""Default and largest number of processes that answer."""

EVERY = ("0.0.0.0", "::")
"""Addresses that mean every address of the machine: its host names are not known then."""


@dataclass(frozen=True, kw_only=True)
class ServeSettings(Settings):
    """Serve a page for questions, on this machine only."""

    input: str | None = sample_field()
    comparative: str | None = setting(
        CorpusName(), "corpus for comparative questions (default: the sample's, without -i)"
    )
    model: tuple[str, ...] = setting(
        Model(),
        "a model folder of any task, or a baseline for all others (default: the shipped models)",
        "-m",
        "--model",
        several=True,
    )
    host: str = setting(Text(metavar="HOST"), "address to listen at", default="127.0.0.1")
    port: int = setting(Number(0, 65535), "port to listen at; 0: any free port", default=8000)
    encoder: str | None = encoder_field()
    rerank: str | None = rerank_field()
    plugin: tuple[Path, ...] = plugin_field()
    index: Path | None = index_field()
    processes: int = setting(
        Number(1, MOST),
        f"questions answered at a time, each by a process of some 550 MB, by default one a core, {USUAL} at most",
        default=lambda: min(usable_cores(), USUAL),
    )
    jobs: int = jobs_field("processes for indexing, threads for scoring, by default one a core")
    quiet: bool = quiet_field("no progress, only the address and errors")


def serve(options: ServeSettings) -> int:
    """Answer until the process is stopped. Raises InputError for anything that the user can correct."""
    import uvicorn

    from ltr.web.app import LOCAL, SERVER
    from ltr.web.loading import Settings, load_answerers, warm_app

    progress = Progress(quiet=options.quiet)
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


main = Command("serve", ServeSettings, serve, __file__)
