"""Parts of a page: its commands, blocks of code, and the names of files and functions in it."""

from __future__ import annotations

import importlib.util
import re
import shlex
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def commands(text: str) -> list[str]:
    """The lines after ``$``, those that go on after a backslash joined."""
    joined = re.sub(r" \\\n\s*", " ", text)
    return re.findall(r"^\s*\$ (.*)$", joined, re.MULTILINE)


def module_words(command: str) -> list[str]:
    """The arguments of Python for a command of the package, ``riposte NAME ...`` or ``python -m ...``; else none.

    >>> module_words("riposte train -m model"), module_words("python -m ltr.train -o out"), module_words("make run")
    (['-m', 'ltr.cli.main', 'train', '-m', 'model'], ['-m', 'ltr.train', '-o', 'out'], [])
    """
    first, *rest = shlex.split(command)
    if first == "riposte" and rest and not rest[0].startswith("-"):
        return ["-m", "ltr.cli.main", *rest]
    if first == "python" and rest[:1] == ["-m"] and rest[1].startswith(("ltr.", "experiments.")):
        return rest
    return []


def program_of(command: str) -> tuple[str, ...]:
    """The arguments of Python before the options of a command; none for a command of others."""
    words = module_words(command)
    return tuple(words[: 3 if "ltr.cli.main" in words else 2])


def blocks(text: str, language: str) -> list[str]:
    """The blocks of code in a language."""
    return [code for found, code in BLOCK.findall(text) if found == language]


def prose(text: str) -> list[str]:
    """The lines that are no code and no table."""
    return [line for line in BLOCK.sub("", text).splitlines() if not line.startswith("|")]


def dotted_names(text: str) -> set[str]:
    """What stands in backticks and looks like a name in one of the packages."""
    return set(re.findall(r"`((?:ltr|features|models|experiments)(?:\.\w+)+)`", text))


def files(text: str) -> set[str]:
    """What stands in backticks and looks like a file or a folder of the project."""
    return set(re.findall(r"`((?:ltr|features|models|experiments|tests|docs)/[\w./-]*)`", text))


def module_of(file: Path) -> Any:
    """The module in a file of docs."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found
