"""The folder of an index: what in it is the index's own, and what a user put there and must find again."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from zlib import crc32

from ltr.data.files import link, manifest_digest
from ltr.errors import InputError
from ltr.index.engine import ENGINES

MANIFEST = "manifest.json"
VALUES = "values.sqlite"
"""What `ltr.index.values` keeps there; it goes with the index that it is of."""

SUMS = "sums.json"
"""Checksums of the files of an engine."""

_OF_ENGINE = re.compile(r"[0-9a-f]{32}\.[0-9a-z.]+|\.tantivy-\w+\.lock|(meta|\.managed|sums)\.json")
"""Names in the folder of an engine. They are drawn at random, so no manifest lists them: it is the same every time."""


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """The manifest of the index in ``folder``; None where there is no index."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text("utf-8"))
    except (OSError, ValueError):
        return None
    keys = {"format", "tantivy", "analysis", "corpus", "arguments", "sentences", "files"}
    return manifest if isinstance(manifest, dict) and keys <= manifest.keys() else None


def sums_of(folder: Path) -> dict[str, int]:
    """CRC-32 of the files in a folder, but of texts, which are checked as they are read (`ltr.index.strings`)."""
    return {path.name: _sum(path) for path in sorted(folder.iterdir()) if path.is_file() and path.name[:5] != "text-"}


def damaged_file(folder: Path, manifest: Mapping[str, Any]) -> str:
    """The first file of the index that is not as it was written; empty where all are. Raises OSError and ValueError."""
    if manifest.get("digest") != manifest_digest(manifest):
        return MANIFEST
    engines = [(name, json.loads((folder / name / SUMS).read_text("utf-8"))) for name in ENGINES]
    sums = manifest["sums"] | {f"{engine}/{name}": crc for engine, files in engines for name, crc in files.items()}
    sizes = (name for name, size in manifest["files"].items() if (folder / name).stat().st_size != size)
    return next(sizes, "") or next((name for name, crc in sums.items() if _sum(folder / name) != crc), "")


def _sum(path: Path) -> int:
    found, block = 0, bytearray(1 << 20)
    with path.open("rb", buffering=0) as file:
        while size := file.readinto(block):
            found = crc32(memoryview(block)[:size], found)
    return found


def keep_foreign(place: Path, whole: Path) -> None:
    """Put what a user keeps in the index ``place`` into the folder ``whole``, which is to take its place.

    That is all that neither the index's manifest lists nor its engines made. Raises InputError for a name that the new
    index needs.
    """
    manifest = read_manifest(place)
    if manifest is None:
        return
    own = {MANIFEST, VALUES, f"{VALUES}-journal", *manifest["files"]}

    def index_files(found: str, names: list[str]) -> set[str]:
        here = Path(found).relative_to(place)
        paths = {name: (here / name).as_posix() for name in names}
        engine = here.as_posix() in ENGINES
        ours = {name for name, path in paths.items() if (_OF_ENGINE.fullmatch(name) if engine else path in own)}
        for name in sorted(set(names) - ours):
            if paths[name] not in ENGINES and os.path.lexists(whole / here / name):
                raise InputError(place / here / name, "the index needs a file of this name", "move this one elsewhere")
        return ours

    # Links, so that there is no moment at which a file lies in neither folder.
    shutil.copytree(place, whole, symlinks=True, ignore=index_files, copy_function=link, dirs_exist_ok=True)


def refuse_foreign(place: Path) -> None:
    """Raise InputError when an index cannot be built in ``place``, because something else is there, or we are."""
    here = Path.cwd()
    if Path(os.path.realpath(place)) in (here, *here.parents):
        what = "this is the current directory or one above it, and an index replaces its folder"
        raise InputError(place, what, "name a directory below")
    if place.exists() and read_manifest(place) is None and (not place.is_dir() or any(place.iterdir())):
        raise InputError(place, "this is not empty and no Riposte index", "name an empty or new directory")


def refuse_outputs(place: Path, outputs: Iterable[Path | None], what: str = "index") -> None:
    """Raise InputError when one of ``outputs`` would lie in the folder of the index, or ``what`` else is in ``place``.

    None among ``outputs`` is none.
    """
    folder = Path(os.path.realpath(place))
    for output in outputs:
        if output is None:
            continue
        real = Path(os.path.realpath(output))
        if folder in (real, *real.parents):
            raise InputError(output, f"this would lie in the folder of the {what}, {place}", "name another place")
