"""Files and folders that are whole or absent: written beside their place and renamed into it.

Only files are replaced. Pipes and devices are written into, and symbolic links are followed.
"""

from __future__ import annotations

import errno
import gzip
import hashlib
import io
import json
import os
import secrets
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from ltr.errors import InputError

LARGEST = 128 << 20
"""Bytes of a file of judgments, a run or a model: a run of a million lines has less."""


_unfinished: set[Path] = set()
"""Files and folders that have not taken their places yet."""


def is_stream(path: Path) -> bool:
    """Whether ``path`` is written into and not replaced: a pipe or a device, ``/dev/stdout`` among them."""
    return path.parent == Path("/dev") or (path.exists() and not path.is_file() and not path.is_dir())


@contextmanager
def atomic_text(path: Path) -> Iterator[IO[str]]:
    """Open a text file that replaces ``path`` only when the block ends without an error.

    Where ``path`` is a symbolic link, the link stays and the file that it leads to is replaced. A pipe or a device
    receives the whole text when the block ends. Raises IsADirectoryError.
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if is_stream(path):
        text = io.StringIO()
        yield text
        sys.stdout.flush()
        with _named(path, path), path.open("a", encoding="utf-8", newline="\n") as out:  # standard output may be a file
            out.write(text.getvalue())
        return
    target = Path(os.path.realpath(path))
    part = _beside(target)
    _unfinished.add(part)
    try:
        with _named(path, part):
            with part.open("x", encoding="utf-8", newline="\n") as out:
                yield out
                out.flush()
                os.fsync(out.fileno())
            os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)
        _unfinished.discard(part)


def json_text(content: Any) -> str:
    """Content as JSON. Raises ValueError for numbers that JSON lacks."""
    return json.dumps(content, indent=1, allow_nan=False) + "\n"


def write_all(texts: Mapping[Path, str]) -> None:
    """Write every text or, where one of the files cannot be written, none."""
    with ExitStack() as stack:
        for out, text in [(stack.enter_context(atomic_text(path)), text) for path, text in texts.items()]:
            out.write(text)
            out.flush()


@contextmanager
def _named(path: Path, part: Path) -> Iterator[None]:
    """Let an OSError about ``part``, or about a file without a name, name ``path``, which the user knows."""
    try:
        yield
    except OSError as error:
        if str(error.filename or part).startswith(str(part)):
            error.filename = str(path)
        raise


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Yield an empty folder beside ``path`` that takes its place when the block ends without an error.

    Where ``path`` is a symbolic link, the link stays and the folder that it leads to is replaced. There is a moment
    without either folder.
    """
    target = Path(os.path.realpath(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    part, old = _beside(target), _beside(target)
    _unfinished.add(part)
    try:
        with _named(path, part):
            part.mkdir()
            yield part
            old.mkdir()
            with suppress(FileNotFoundError):
                os.replace(target, old)
            try:
                os.replace(part, target)
            except OSError:
                with suppress(OSError):
                    os.rename(old, target)
                raise
    finally:
        remove(part)
        remove(old)
        _unfinished.discard(part)


def _beside(target: Path) -> Path:
    """A new name in the folder of ``target``."""
    return target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")


def remove_unfinished() -> None:
    """Remove what is being written, in a process that ends at once."""
    for path in [*_unfinished]:
        remove(path)


def remove(path: Path) -> None:
    """Remove a file, a link, or a folder with its content, as far as permitted; a thread may still write into it."""
    for _ in range(100):
        if path.is_symlink() or not path.is_dir():
            with suppress(OSError):
                path.unlink()
            return
        shutil.rmtree(path, ignore_errors=True)
        if not path.exists():
            return
        time.sleep(0.01)


def link(source: str | Path, target: str | Path) -> None:
    """Make a hard link, or a copy where the file system has no hard links."""
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target, follow_symlinks=False)


def read_whole(path: Path, largest: int | None = None) -> bytes:
    """The bytes of a file, a pipe or a device: at most ``largest``, or `LARGEST`.

    Raises OSError, and InputError where there are more.
    """
    with path.open("rb") as file:
        return read_bounded(path, file, largest)


def read_bounded(path: Path, file: IO[bytes] | gzip.GzipFile, largest: int | None = None) -> bytes:
    """The bytes of ``path`` as ``file`` gives them. Raises InputError where there are more than `read_whole` reads."""
    largest = largest or LARGEST
    raw = file.read(largest + 1)
    if len(raw) > largest:
        raise InputError(path, f"holds more than {largest >> 20} MB", "name the right file, or a part of it")
    return raw


def open_own(path: Path, flags: int) -> IO[bytes]:
    """Open a file that only we write, without a buffer. Raises OSError, also for a link, a pipe and a device."""
    handle = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.ELOOP, "this is not a plain file", str(path))
    return os.fdopen(handle, "rb" if flags & os.O_ACCMODE == os.O_RDONLY else "r+b", buffering=0)


def clear_place(path: Path) -> None:
    """Remove a link, a pipe or a device in the place of a file that only we write: it would be written through."""
    if path.is_symlink() or is_stream(path):
        path.unlink()


def manifest_digest(manifest: Mapping[str, Any]) -> str:
    """Hex SHA-256 of a manifest without its ``digest``."""
    content = {key: value for key, value in manifest.items() if key != "digest"}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode("utf-8")).hexdigest()


def sha256(path: Path) -> str:
    """Hex SHA-256 of a file's bytes."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def writable_folder(path: Path, what: str) -> Path:
    """Make ``path`` if needed and prove that it can be written. Raises InputError."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError(path, f"the {what} cannot be written ({reason})", "name another directory") from None
    return path


def writable_place(path: Path, what: str) -> None:
    """Make the folder of the file ``path`` if needed, and prove that it can be written. Raises InputError.

    A pipe or a device needs no folder.
    """
    if not is_stream(path):
        writable_folder(Path(os.path.realpath(path)).parent, f"place of the {what}")


def user_cache() -> Path:
    """The folder for what can be made again, such as indexes; it may not be there yet.

    ``RIPOSTE_CACHE`` names it; else it is ``riposte`` in ``XDG_CACHE_HOME``, an absolute path by the XDG Base Directory
    Specification, or in ``.cache`` of the user's home. Raises InputError where there is none of the three.
    """
    try:
        if named := os.environ.get("RIPOSTE_CACHE"):  # a container's settings may have a ~ that no shell has read
            return Path(named).expanduser()
        named = os.environ.get("XDG_CACHE_HOME", "")
        return (Path(named) if os.path.isabs(named) else Path.home() / ".cache") / "riposte"
    except RuntimeError:
        raise InputError("the user's cache", "this user has no home directory", "set RIPOSTE_CACHE") from None


def refuse_to_overwrite(output: Path, inputs: Iterable[Path | None]) -> None:
    """Raise InputError when ``output`` is, under any name, one of the files that are read."""
    for path in filter(None, inputs):
        with suppress(OSError):  # one of the two does not exist yet
            if output.samefile(path):
                what = "the output would replace one of the files it is made from"
                raise InputError(output, what, "name another file")


def refuse_twice(runs: Sequence[Path]) -> None:
    """Raise InputError when a file is named twice among the runs."""
    paths = list(map(os.path.realpath, runs))
    for run, path in zip(runs, paths, strict=True):
        if paths.count(path) > 1:
            raise InputError(run, "is named twice among the runs", "name it once")
