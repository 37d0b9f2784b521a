"""Settings of the server."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ltr.parallel import usable_cores
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


@dataclass(frozen=True, kw_only=True)
class ServerSettings(Settings):
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
