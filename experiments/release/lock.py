"""Print the part of requirements.txt that an install needs, for pip.

Needs the standard library alone: it runs before anything is installed.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ltr.cli.options import Parser
from ltr.cli.process import run_command
from ltr.errors import InputError

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Pin:
    """A package of the lock. ``text`` is what pip reads: name, version, marker and hashes."""

    name: str
    version: str
    text: str
    wanted_by: frozenset[str]


def normal(name: str) -> str:
    """The name of a package as the lock spells it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def read_lock(file: Path = ROOT / "requirements.txt") -> list[Pin]:
    """All packages that are locked; one may have several versions, each for other versions of Python."""
    pins = []
    for block in re.findall(r"^\S+==.*\n(?:\s.*\n)*", file.read_text("utf-8"), re.MULTILINE):
        text = "".join(line for line in block.splitlines(keepends=True) if not line.lstrip().startswith("#"))
        name, version = text.split()[0].split("==")
        wanted_by = re.findall(r"^    #\s+(?:via )?(\S+)", block, re.MULTILINE)
        pins.append(Pin(name, version, text, frozenset(wanted_by)))
    return pins


def read_project(file: Path = ROOT / "pyproject.toml") -> dict[str, Any]:
    """The tables of pyproject.toml."""
    if not file.exists():
        raise InputError(file, "there is no such file", "run this in a checkout of Riposte")
    return tomllib.loads(file.read_text("utf-8"))


def direct_requirements(document: dict[str, Any], *extras: str) -> list[str]:
    """What pyproject.toml asks for itself: always, and with ``extras``, those that these name included."""
    project = document["project"]
    found = list(project["dependencies"])
    for extra in extras:
        for requirement in project["optional-dependencies"][extra]:
            own = re.fullmatch(rf"{project['name']}\[(.+)\]", requirement)
            found += direct_requirements(document, *own[1].split(",")) if own else [requirement]
    return found


def select(pins: list[Pin], requirements: list[str]) -> list[Pin]:
    """The pins of ``requirements``, and of what these want in turn."""
    wanted = {normal(re.split(r"[^\w.-]", requirement)[0]) for requirement in requirements}
    while more := {pin.name for pin in pins if pin.wanted_by & wanted} - wanted:
        wanted |= more
    return [pin for pin in pins if pin.name in wanted]


def main(argv: list[str] | None = None) -> None:
    """Print the lock of an install with the extras that are named, and of what builds it."""
    document = read_project()
    known = document["project"]["optional-dependencies"]
    parser = Parser("python -m experiments.release.lock", __doc__)
    parser.add_argument("extras", nargs="*", metavar="EXTRA", help=f"one or more of {', '.join(known)}")
    extras = parser.parse_args(argv).extras
    if unknown := [extra for extra in extras if extra not in known]:
        raise InputError("usage", f"there is no extra {unknown[0]!r}", f"use one of {', '.join(known)}")
    wanted = direct_requirements(document, *extras) + document["build-system"]["requires"]
    print(end="".join(pin.text for pin in select(read_lock(), wanted)))


if __name__ == "__main__":
    run_command(main)
