"""What pages say: their commands, blocks of code, and the names of files and functions in them."""

from __future__ import annotations

import re

BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def commands(text: str) -> list[str]:
    """The lines after ``$``, those that go on after a backslash joined."""
    joined = re.sub(r" \\\n\s*", " ", text)
    return re.findall(r"^\s*\$ (.*)$", joined, re.MULTILINE)


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
