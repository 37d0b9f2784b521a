"""The command line that the laboratory's programs share."""

from __future__ import annotations

from pathlib import Path

from ltr.cli.parser import Parser


def parser_of(file: str, description: str) -> Parser:
    """The parser of the program in ``file``; below its options stands the text of a .txt file of its name."""
    path = Path(file)
    name = path.parent.name if path.stem == "__main__" else path.stem
    below = file if path.with_suffix(".txt").exists() else ""
    return Parser(f"python -m experiments.lab.{name}", description, below)


def add_path(parser: Parser, *names: str, help: str, **more: object) -> None:
    """Add an option that takes a path."""
    parser.add_argument(*names, type=Path, metavar="PATH", help=help, **more)  # type: ignore[arg-type]
