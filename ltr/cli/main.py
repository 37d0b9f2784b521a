"""``riposte COMMAND ...``: the commands of Riposte, studies too, under one name."""

from __future__ import annotations

import ast
import sys
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path

from ltr import __version__
from ltr.cli.process import run_command
from ltr.errors import InputError

ROOT = Path(__file__).resolve().parents[2]


def commands() -> dict[str, Path]:
    """Name of a command -> its module: all of ltr.commands, and every study that ``python -m experiments.`` runs."""
    files = {path.stem: path for path in sorted((ROOT / "ltr" / "commands").glob("[!_]*.py"))}
    studies = {path.parent.name: path.with_name("command.py") for path in (ROOT / "experiments").glob("*/__main__.py")}
    for path in (ROOT / "experiments").glob("*.py"):
        if "run_command(main)" in path.read_text("utf-8"):
            studies[path.stem] = path
    return files | dict(sorted(studies.items()))


def summary(path: Path) -> str:
    """What a command does, from the first line of its module."""
    line = (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").partition("\n")[0]
    return line.rpartition("``: ")[2].rstrip(".")


def main() -> None:
    """Run the command that the process's arguments name, and end the process as it ends."""
    run_command(dispatch)


def dispatch(_: list[str] | None = None) -> int | None:
    """Run the command that the process's arguments name. Raises InputError for an unknown one."""
    name, *options = sys.argv[1:] or ["--help"]
    if name == "--version":
        print(f"riposte {__version__}")
        return 0
    known = commands()
    if name in ("-h", "--help"):
        rows = [f"  {command.replace('_', '-'):<16}{summary(path)}" for command, path in known.items()]
        print("usage: riposte COMMAND [OPTIONS]\n\n" + "\n".join(rows))
        print("\nriposte COMMAND --help shows the options of a command.")
        return 0
    path = known.get(name.replace("-", "_"))
    if path is None:
        names = [command.replace("_", "-") for command in known]
        close = get_close_matches(name.replace("_", "-"), names)
        hint = f"did you mean {' or '.join(close)}?" if close else f"use one of {', '.join(names)}"
        raise InputError("usage", f"there is no command {name[:40]!r}", hint)
    sys.argv = [f"riposte {name}", *options]
    return import_module(".".join(path.relative_to(ROOT).with_suffix("").parts)).main(None)
