"""Settings of the server."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from ltr.parallel import usable_cores
from ltr.settings import Settings, setting, shared
from ltr.settings.kinds import CorpusName, Model, Number, Text

USUAL, MOST = 4, 40
"""Default and largest number of processes that answer."""


@dataclass(frozen=True, kw_only=True)
class ServerSettings(Settings):
    """Serve a page for questions, on this machine only."""

    input: str | None = shared.SAMPLE
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
    encoder: str | None = shared.ENCODER
    rerank: str | None = shared.RERANK
    reader: str | None = shared.READER
    plugin: tuple[Path, ...] = shared.PLUGIN
    index: Path | None = shared.INDEX
    processes: int = setting(
        Number(1, MOST),
        f"questions answered at a time, each by a process of some 550 MB, by default one a core, {USUAL} at most",
        default=lambda: min(usable_cores(), USUAL),
    )
    jobs: int = replace(shared.JOBS, help="processes for indexing, threads for scoring, by default one a core")
    quiet: bool = replace(shared.QUIET, help="no progress, only the address and errors")
