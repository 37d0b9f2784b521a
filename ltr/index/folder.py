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

from ltr.data.files import atomic_text, link, manifest_digest
from ltr.data.reading import read_whole
from ltr.errors import InputError
from ltr.index.engine import ENGINES

MANIFEST = "manifest.json"
VALUES = "values.sqlite"
"""What `ltr.index.values` keeps there; it goes with the index that it is of."""

MADE_ANEW = "run the command again, and the index is made anew"

SUMS = "sums.json"
"""Checksums of the files of an engine."""

_OF_ENGINE = re.compile(r"[0-9a-f]{32}\.[0-9a-z.]+|\.tantivy-\w+\.lock|(meta|\.managed|sums)\.json")
"""Names in the folder of an engine. They are drawn at random, so no manifest lists them: it is the same every time."""

_OF_SOME = re.compile(r"(text|blocks)-[0-9]+\.(bin|npy)|source\.npy")
"""Files that one index has and another has not."""

_KEYS: dict[str, type] = {
    **{"format": int, "tantivy": str, "analysis": dict, "corpus": dict},
    **{"arguments": int, "sentences": int, "files": dict},
}


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """The manifest of the index in ``folder``; None where there is none that can be read."""
    try:
        manifest = json.loads(read_whole(folder / MANIFEST).decode("utf-8"))
        whole = all(type(manifest[name]) is kind for name, kind in _KEYS.items())
        return manifest if whole and {"name", "signature", "fingerprint"} <= manifest["corpus"].keys() else None
    except (OSError, InputError, ValueError, RecursionError, LookupError, TypeError):
        return None


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write the manifest of an index, whole or not at all. Raises OSError."""
    with atomic_text(folder / MANIFEST) as out:
        out.write(json.dumps(manifest, indent=1, sort_keys=True) + "\n")


def is_index(folder: Path) -> bool:
    """Whether ``folder`` is an index of ours, be it damaged."""
    return read_manifest(folder) is not None or all((folder / name / SUMS).is_file() for name in ENGINES)


def damaged(folder: Path, where: Path, what: str) -> InputError:
    """What to raise where something in the index ``folder`` is damaged; the next command makes the index anew.

    The manifest stays, but for its digest: a command that has the index open may go on, and start processes that open
    it.
    """
    manifest = read_manifest(folder)
    try:
        if manifest is not None:
            write_manifest(folder, manifest | {"digest": None})
    except OSError:
        return InputError(where, what, "remove the folder of the index, and the index is made anew")
    return InputError(where, what, MADE_ANEW)


def sums_of(folder: Path) -> dict[str, int]:
    """CRC-32 of the files in a folder, but of texts, which are checked as they are read (`ltr.index.strings`)."""
    return {path.name: _sum(path) for path in sorted(folder.iterdir()) if path.is_file() and path.name[:5] != "text-"}


def damaged_file(folder: Path, manifest: Mapping[str, Any] | None) -> str:
    """The first file of the index that is not as it was written; empty where all are. Raises OSError and ValueError."""
    if manifest is None or manifest.get("digest") != manifest_digest(manifest):
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

    That is all that neither the index's manifest lists nor its engines made; where the manifest is damaged, all that
    the new index does not have. Raises InputError for a name that the new index needs.
    """
    if not is_index(place):
        return
    manifest = read_manifest(place)
    if manifest is None or manifest.get("digest") not in (None, manifest_digest(manifest)):
        names = [path.name for path in [*whole.iterdir(), *place.iterdir()]]
        listed = {name for name in names if (whole / name).is_file() or _OF_SOME.fullmatch(name)}
    else:
        listed = {*manifest["files"]}
    own = {MANIFEST, VALUES, f"{VALUES}-journal"} | listed

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
    if place.exists() and not is_index(place) and (not place.is_dir() or any(place.iterdir())):
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
