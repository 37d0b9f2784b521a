"""The folder of an index: a pointer to the folder with its files, which is never changed, and what builds the next.

::

    index.json               the name of the current folder, and the signature of the corpus
    riposte-index-k3x0a9qd   its files, and a manifest with the sizes of all of them

Other files there are the user's, and stay.
"""

from __future__ import annotations

import json
import os
import re
import stat
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ltr.errors import InputError
from ltr.files import atomic_text, clear_place, open_own, read_bounded

POINTER = "index.json"
MANIFEST = "manifest.json"
LOCK = ".lock"

KEPT = ("vectors-", "titles-", "reranked-")
"""Beginnings of the names of kept rows that stay useful when an index of the same corpus is built again."""

_FILES = re.compile(r"riposte-index-[a-z0-9_]{8}")
"""Names of folders with files, as `tempfile.mkdtemp` draws them."""


class Pointer(NamedTuple):
    """The content of `POINTER`."""

    folder: Path
    signature: Any
    """The corpus's `ltr.corpora.base.Corpus.signature`: while it is the same, no bytes are compared."""


def read_pointer(path: Path) -> Pointer | None:
    """The pointer in ``path``; None where there is none that can be read."""
    content = _json(path / POINTER)
    try:
        name = content["folder"]
        folder = path / name
        return Pointer(folder, content["signature"]) if _FILES.fullmatch(name) and not folder.is_symlink() else None
    except (LookupError, TypeError):
        return None


def write_pointer(pointer: Pointer) -> None:
    """Make a folder the current one, in one step. Raises OSError."""
    file = pointer.folder.parent / POINTER
    clear_place(file)
    with atomic_text(file) as out:
        out.write(json.dumps({"folder": pointer.folder.name, "signature": pointer.signature}) + "\n")


def new_folder(path: Path) -> Path:
    """A new folder for the files of an index, which becomes the current one by `write_pointer`."""
    folder = Path(tempfile.mkdtemp(prefix="riposte-index-", dir=path))
    folder.chmod(path.stat().st_mode & 0o777)
    return folder


def leftovers(path: Path) -> list[Path]:
    """Folders to remove while no process builds an index there: all but the current one."""
    pointer = read_pointer(path)
    return [folder for folder in _folders(path) if pointer is None or folder != pointer.folder]


def _folders(path: Path) -> list[Path]:
    return [folder for folder in path.glob("riposte-*") if _FILES.fullmatch(folder.name)]


def move_kept_rows(old: Path, new: Path) -> None:
    """Move kept vectors and scores from an index to a later one of the same corpus: they took long to compute."""
    before, after = read_manifest(old), read_manifest(new)
    if before and after and before["corpus"]["fingerprint"] == after["corpus"]["fingerprint"]:
        for file in (path for prefix in KEPT for path in old.glob(f"{prefix}*.bin")):
            with suppress(OSError):
                if not (new / file.name).exists():
                    os.replace(file, new / file.name)


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """The manifest of the index files in ``folder``; None where there is none that can be read."""
    manifest = _json(folder / MANIFEST)
    return manifest if isinstance(manifest, dict) else None


def is_index(path: Path) -> bool:
    """Whether ``path`` has an index of ours, be it damaged."""
    return read_pointer(path) is not None or any(_folders(path))


def file_sizes(folder: Path) -> dict[str, int]:
    """File of an index -> its size in bytes."""
    files = sorted(path for path in folder.rglob("*") if stat.S_ISREG(path.lstat().st_mode) and path.suffix != ".lock")
    return {path.relative_to(folder).as_posix(): path.stat().st_size for path in files}


def incomplete_file(folder: Path, manifest: Mapping[str, Any]) -> str:
    """The first file of the index that is absent or has another size than was written; empty where none has."""
    there = file_sizes(folder)
    sizes = manifest.get("files") or {MANIFEST: -1}  # an unfinished index has none
    return next((name for name, size in sizes.items() if there.get(name) != size), "")


def _json(path: Path) -> Any:
    """The content of a JSON file; None where it cannot be read or parsed."""
    try:
        with open_own(path, os.O_RDONLY) as file:
            return json.loads(read_bounded(path, file))
    except (OSError, ValueError, RecursionError):  # an InputError is a ValueError
        return None


def refuse_foreign(path: Path) -> None:
    """Raise InputError when an index cannot be built in ``path``, because something else is there."""
    if path.exists() and not is_index(path) and (not path.is_dir() or any(one.name != LOCK for one in path.iterdir())):
        raise InputError(
            path, "this is neither empty nor a Riposte index of this version", "remove it, or name a new directory"
        )


def refuse_outputs(path: Path, outputs: Iterable[Path | None], what: str = "index") -> None:
    """Raise InputError when one of ``outputs`` would lie in ``path``, the folder of ``what``."""
    folder = Path(os.path.realpath(path))
    for output in filter(None, outputs):
        real = Path(os.path.realpath(output))
        if folder in (real, *real.parents):
            raise InputError(output, f"this would lie in the folder of the {what}, {path}", "name another path")


def save_array(path: Path, values: np.ndarray[Any, Any]) -> None:
    """Write an ``.npy`` file. ``np.save`` does too, but its error does not say that the disk is full."""
    save_pieces(path, [values], values.dtype, values.shape)


def save_pieces(path: Path, pieces: Iterable[np.ndarray[Any, Any]], dtype: Any, shape: tuple[int, ...]) -> None:
    """Write the ``.npy`` file of an array that is larger than memory, given as pieces of its rows."""
    with path.open("wb") as out:
        np.lib.format.write_array_header_1_0(
            out, {"descr": np.lib.format.dtype_to_descr(np.dtype(dtype)), "fortran_order": False, "shape": shape}
        )
        for piece in pieces:
            out.write(np.ascontiguousarray(piece, dtype).data)
