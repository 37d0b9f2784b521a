"""The folder of an index: a pointer to the folder with its files, which is never changed, and what builds the next.

::

    index.json               the name of the current folder, and the signature of the corpus
    riposte-index-k3x0a9qd   its files, a manifest, and check sums of all of them
    riposte-parts            the parts of an index that is being built

What else lies there is the user's, and stays.
"""

from __future__ import annotations

import json
import os
import re
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from ltr.data.files import remove, replaced_text
from ltr.data.reading import read_whole
from ltr.errors import InputError
from ltr.index.engine import ENGINES

POINTER = "index.json"
PARTS = "riposte-parts"
MANIFEST = "manifest.json"
SUMS = "sums.json"

MADE_ANEW = "run the command again, and the index is made anew"

_FILES = re.compile(r"riposte-index-[a-z0-9_]{8}")
"""Names of folders with files, as `tempfile.mkdtemp` draws them."""

_KEYS: dict[str, type] = {
    **{"format": int, "tantivy": str, "terms": str, "analysis": dict, "corpus": dict},
    **{"arguments": int, "sentences": int},
}


class Pointer(NamedTuple):
    """What `POINTER` says."""

    folder: Path
    signature: Any
    """Of the corpus, as `ltr.corpora.base.Corpus.signature` gives it: while it is the same, no bytes are compared."""


def read_pointer(place: Path) -> Pointer | None:
    """The pointer in ``place``; None where there is none that can be read."""
    found = _json(place / POINTER)
    try:
        name = found["folder"]
        return Pointer(place / name, found["signature"]) if _FILES.fullmatch(name) else None
    except (LookupError, TypeError):
        return None


def write_pointer(pointer: Pointer) -> None:
    """Make a folder the current one, in one step. Raises OSError."""
    with replaced_text(pointer.folder.parent / POINTER) as out:
        out.write(json.dumps({"folder": pointer.folder.name, "signature": pointer.signature}) + "\n")


def new_folder(place: Path) -> Path:
    """A new folder for the files of an index, which becomes the current one by `write_pointer`."""
    folder = Path(tempfile.mkdtemp(prefix="riposte-index-", dir=place))
    folder.chmod(place.stat().st_mode & 0o777)
    return folder


def leftovers(place: Path) -> list[Path]:
    """What may be removed while nobody builds an index there: folders that are not the current one, and parts."""
    pointer = read_pointer(place)
    found = [path for path in place.glob("riposte-*") if _FILES.fullmatch(path.name) or path.name == PARTS]
    return [path for path in found if pointer is None or path != pointer.folder]


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """The manifest of the index files in ``folder``; None where there is none that can be read."""
    manifest = _json(folder / MANIFEST)
    try:
        whole = all(type(manifest[name]) is kind for name, kind in _KEYS.items())
        return manifest if whole and {"name", "fingerprint"} <= manifest["corpus"].keys() else None
    except (LookupError, TypeError):
        return None


def is_index(place: Path) -> bool:
    """Whether ``place`` has an index of ours, be it damaged, or of an older version."""
    return read_pointer(place) is not None or any(leftovers(place)) or _is_old(place)


def damaged(folder: Path, where: Path, what: str) -> InputError:
    """What to raise where something in the index files ``folder`` is damaged; the next command makes the index anew.

    The files stay: a command that has them open may go on, and start processes that open them.
    """
    pointer = read_pointer(folder.parent)
    try:
        if pointer is not None and pointer.folder == folder:
            (folder.parent / POINTER).unlink()
    except OSError:
        return InputError(where, what, "remove the folder of the index, and the index is made anew")
    return InputError(where, what, MADE_ANEW)


def write_sums(folder: Path) -> None:
    """Write size and CRC-32 of every file of an index. Texts have no CRC-32 here, but one a block in a file of their
    own: they are checked as they are read (`ltr.index.strings`).
    """
    found = {name: [path.stat().st_size, _sum(folder, name)] for name, path in _files(folder)}
    (folder / SUMS).write_text(json.dumps(found) + "\n", "utf-8")


def damaged_file(folder: Path) -> str:
    """The first file of the index that is not as it was written; empty where all are. Raises OSError."""
    sums = _json(folder / SUMS)
    if not isinstance(sums, dict) or not {MANIFEST, *(f"{engine}/meta.json" for engine in ENGINES)} <= sums.keys():
        return SUMS
    for name, found in sums.items():  # first, or a pipe or a device would be read
        status = (folder / name).lstat()
        if not stat.S_ISREG(status.st_mode) or [status.st_size, *found[1:]] != found:
            return name
    return next((name for name, found in sums.items() if [found[0], _sum(folder, name)] != found), "")


def sizes_of(folder: Path) -> dict[str, int]:
    """Bytes of each file of an index, by name. Raises OSError and ValueError."""
    return {name: found[0] for name, found in json.loads((folder / SUMS).read_text("utf-8")).items()}


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    paths = [folder, *(folder / engine for engine in ENGINES)]
    files = (path for above in paths for path in sorted(above.iterdir()) if path.is_file() and path.suffix != ".lock")
    return ((path.relative_to(folder).as_posix(), path) for path in files)


def _sum(folder: Path, name: str) -> int | None:
    if name.startswith("text-"):
        return None
    found, block = 0, bytearray(1 << 20)
    with (folder / name).open("rb", buffering=0) as file:
        while size := file.readinto(block):
            found = crc32(memoryview(block)[:size], found)
    return found


def _json(path: Path) -> Any:
    try:
        plain = stat.S_ISREG(path.lstat().st_mode)  # nobody waits for a pipe here, or reads through a link
        return json.loads(read_whole(path).decode("utf-8")) if plain else None
    except (OSError, InputError, ValueError, RecursionError):
        return None


def refuse_foreign(place: Path) -> None:
    """Raise InputError when an index cannot be built in ``place``, because something else is there."""
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


# ---- up to version 0.2.0 an index lay in the folder itself ------------------------------------------


def _is_old(place: Path) -> bool:
    return all((place / name / SUMS).is_file() for name in ENGINES)


def remove_old(place: Path) -> None:
    """Remove the files of an index of version 0.2.0 or older, as its manifest lists them, and its parts."""
    if _is_old(place):
        manifest = _json(place / MANIFEST)
        listed = manifest.get("files") if isinstance(manifest, Mapping) else None
        own = listed if isinstance(listed, Mapping) else {}
        for name in (*(name for name in own if Path(name).name == name), MANIFEST, "values.sqlite", *ENGINES):
            remove(place / name)
    remove(place.parent / f".{place.name.lstrip('.')}.parts")
