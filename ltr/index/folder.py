"""The folder of an index: what in it is the index's own, and what a user put there and must find again."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ltr.errors import InputError
from ltr.index.engine import ENGINES

MANIFEST = "manifest.json"

_OF_ENGINE = re.compile(r"[0-9a-f]{32}\.[0-9a-z.]+|\.tantivy-\w+\.lock|(meta|\.managed)\.json")
"""Names in the folder of an engine. They are drawn at random, so no manifest lists them: it is the same every time."""


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """The manifest of the index in ``folder``; None where there is no index."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text("utf-8"))
    except (OSError, ValueError):
        return None
    keys = {"format", "tantivy", "analysis", "corpus", "arguments", "sentences", "files"}
    return manifest if isinstance(manifest, dict) and keys <= manifest.keys() else None


def keep_foreign(place: Path, whole: Path) -> None:
    """Put what a user keeps in the index ``place`` into the folder ``whole``, which is to take its place.

    That is all that neither the index's manifest lists nor its engines made. Raises InputError for a name that the new
    index needs.
    """
    manifest = read_manifest(place)
    if manifest is None:
        return
    for name in _foreign(place, manifest):
        source, target = place / name, whole / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir() and not source.is_symlink():
            target.mkdir(exist_ok=True)
            continue
        if os.path.lexists(target):
            raise InputError(source, "the index needs a file of this name", "move this one elsewhere")
        # A link, so that there is no moment at which the file lies in neither folder.
        try:
            os.link(source, target, follow_symlinks=False)
        except OSError:  # not every file system has them
            shutil.copy2(source, target, follow_symlinks=False)


def refuse_foreign(place: Path) -> None:
    """Raise InputError when an index cannot be built in ``place``, because something else is there."""
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


def _foreign(place: Path, manifest: dict[str, Any]) -> Iterator[Path]:
    """Paths from ``place`` on, those of folders too, of what is not the index's own."""
    own = {MANIFEST, *manifest["files"]}
    for found, folders, files in os.walk(place):
        here = Path(found).relative_to(place)
        engine = here.as_posix() in ENGINES
        for name in sorted(folders):
            if (here / name).as_posix() not in ENGINES:
                yield here / name
        for name in sorted(files):
            if not (_OF_ENGINE.fullmatch(name) if engine else (here / name).as_posix() in own):
                yield here / name
