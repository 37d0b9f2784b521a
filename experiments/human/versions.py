"""Which version of the published files figures are of: another one is read all the same, and the command says so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ltr.data.files import sha256

VERSIONS = Path(__file__).with_suffix(".txt")
"""SHA-256 and ``FOLDER/FILE`` a line, as ``sha256sum`` writes them."""


def other_versions(folders: Mapping[str, Path | None], listed: Path = VERSIONS) -> Iterator[str]:
    """A note for each file of the folders, by name, that is not the listed version; absent files have none."""
    for line in listed.read_text("utf-8").splitlines():
        digest, _, file = line.partition("  ")
        name, _, inside = file.partition("/")
        if (folder := folders.get(name)) and (path := folder / inside).is_file() and sha256(path) != digest:
            yield f"{path}: another version than the one of the published figures"
