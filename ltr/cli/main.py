"""``riposte COMMAND ...``: the commands of this package under one name."""

from __future__ import annotations

import sys
from importlib import import_module

from ltr import __version__
from ltr.cli.process import run_command
from ltr.errors import InputError

COMMANDS = {
    "train": "learn a ranker from judgments",
    "predict": "answer topics with a run",
    "search": "answer a question on the terminal",
    "serve": "a page in the browser to ask questions",
    "evaluate": "measure runs",
    "explain": "why a pair of a run stands where it does",
    "export": "the feature matrix as a file for other learners",
    "rerank": "scores of exported rows as a run",
    "fuse": "several runs as one",
    "collect": "what sources on the web find, as a corpus",
}
"""Name -> what it does. ``riposte NAME`` is ``python -m ltr.NAME``."""


def main() -> None:
    """Run the command that the process's arguments name, and end the process as it ends."""
    run_command(dispatch)


def dispatch(_: list[str] | None = None) -> int | None:
    """Run the command that the process's arguments name. Raises InputError for one that there is not."""
    name, *options = sys.argv[1:] or ["--help"]
    if name in ("-h", "--help"):
        rows = [f"  {command:<10}{what}" for command, what in COMMANDS.items()]
        print("usage: riposte COMMAND [OPTIONS]\n\n" + "\n".join(rows))
        print("\nriposte COMMAND --help shows its options; python -m ltr.COMMAND is the same.")
        return 0
    if name == "--version":
        print(f"riposte {__version__}")
        return 0
    if name not in COMMANDS:
        raise InputError("usage", f"there is no command {name[:40]!r}", f"use one of {', '.join(COMMANDS)}")
    sys.argv = [f"riposte {name}", *options]
    return import_module(f"ltr.commands.{name}").main(None)
