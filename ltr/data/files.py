"""Files and folders that are whole or absent: written beside their place and renamed into it.

Only files are replaced. Pipes and devices are written into, and symbolic links are followed.
"""

from __future__ import annotations

import errno
import glob
import hashlib
import io
import json
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from ltr.errors import InputError

LEFT = 24 * 3600
"""Seconds after which a part is taken for one that a killed writer left: nobody writes that long without a pause."""


def atomic_text(path: Path) -> AbstractContextManager[IO[str]]:
    """Open a text file that replaces ``path`` only when the block ends without an error.

    Where ``path`` is a symbolic link, the link stays and the file that it leads to is replaced. A pipe or a character
    device is sent the whole text when the block ends. Raises IsADirectoryError, or InputError as `is_stream`.
    """
    return _sent(path) if is_stream(path) else replaced_text(Path(os.path.realpath(path)), path)


def is_stream(path: Path) -> bool:
    """Whether ``path`` is written into and not replaced: a pipe, a character device, this process's output.

    Raises IsADirectoryError, and InputError for a socket or a disk, which cannot take text.
    """
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if _own_output(status) is not None:
        return True
    if stat.S_ISSOCK(status.st_mode) or stat.S_ISBLK(status.st_mode):
        raise InputError(path, "no text can be written into a socket or a disk", "name a file or a pipe")
    return stat.S_ISFIFO(status.st_mode) or stat.S_ISCHR(status.st_mode)


def _own_output(status: os.stat_result) -> int | None:
    """The descriptor of standard output or standard error where ``status`` is theirs: ``/dev/stdout`` may be a file."""
    for descriptor in (1, 2):
        with suppress(OSError):  # closed
            if os.path.samestat(os.fstat(descriptor), status):
                return descriptor
    return None


@contextmanager
def _sent(path: Path) -> Iterator[IO[str]]:
    """Gather the text first, so that an error in the block sends nothing."""
    with tempfile.TemporaryFile() as gathered, io.TextIOWrapper(gathered, "utf-8", newline="\n") as text:
        yield text
        text.flush()
        gathered.seek(0)
        try:
            descriptor = _own_output(path.stat())
            if descriptor is not None:  # opened anew, a file would be written from its beginning
                sys.stdout.flush()
            with open(path if descriptor is None else os.dup(descriptor), "wb") as out:
                shutil.copyfileobj(gathered, out)
        except OSError as error:
            error.filename = str(path)
            raise


@contextmanager
def replaced_text(target: Path, name: Path | None = None) -> Iterator[IO[str]]:
    """Open a text file that replaces ``target`` when the block ends without an error: a link or a pipe too.

    For files of ours, where a link may have been planted. Errors say ``name``, by default the target.
    """
    known = str(name or target)
    _remove_left(target)
    try:
        handle, part = tempfile.mkstemp(**_beside(target))
    except OSError as error:
        error.filename = known  # not the name of the part
        raise
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as out:
            os.chmod(part, 0o666 & ~_umask())
            yield out
            out.flush()
            os.fsync(out.fileno())
        os.replace(part, target)
    except BaseException as error:
        Path(part).unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename in (None, part):
            error.filename = known
        raise


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Yield an empty folder beside ``path`` that takes its place when the block ends well.

    Two processes may do this at once: each puts a whole folder there, the last one stays. Where ``path`` is a symbolic
    link, the link stays and the folder that it leads to is replaced.
    """
    target = Path(os.path.realpath(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    _remove_left(target)
    part = Path(tempfile.mkdtemp(**_beside(target)))
    try:
        part.chmod(0o777 & ~_umask())
        yield part
        while not _swapped(part, target):
            pass
    except OSError as error:
        if str(error.filename or part).startswith(str(part)):
            error.filename = str(path)
        raise
    finally:
        remove(part)


def _swapped(part: Path, target: Path) -> bool:
    """Put a folder in the place of another; False when another process was faster.

    There is a moment without either: only Linux could exchange the two, through a call that Python does not have.
    """
    old = Path(tempfile.mkdtemp(**_beside(target)))
    try:
        with suppress(FileNotFoundError):
            os.replace(target, old)
        try:
            os.replace(part, target)  # succeeds when the target is absent or an empty folder
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
                return False
            with suppress(OSError):
                os.rename(old, target)
            raise
        return True
    finally:
        remove(old)


def _beside(target: Path) -> dict[str, Any]:
    return {"prefix": f".{target.name}.", "suffix": ".part", "dir": target.parent}


def _remove_left(target: Path) -> None:
    """Remove the parts of ``target`` that killed writers left a day ago."""
    for left in target.parent.glob(f".{glob.escape(target.name)}.????????.part"):  # as many as tempfile draws
        with suppress(OSError):
            if time.time() - left.lstat().st_mtime > LEFT:
                remove(left)


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

    ``RIPOSTE_CACHE`` names it; else it is ``riposte`` in ``XDG_CACHE_HOME``, or in ``.cache`` of the user's home. The
    XDG Base Directory Specification wants its path absolute, and one that is not unread.
    Raises InputError where there is none of the three.
    """
    try:
        if named := os.environ.get("RIPOSTE_CACHE"):  # a container's settings may have a ~ that no shell has read
            return _home() / named[2:] if named.startswith("~/") else Path(named).expanduser()
        named = os.environ.get("XDG_CACHE_HOME", "")
        return Path(named if os.path.isabs(named) else _home() / ".cache") / "riposte"
    except RuntimeError:
        raise InputError("the user's cache", "this user has no home directory", "set RIPOSTE_CACHE") from None


def _home() -> Path:
    """The user's home. Raises RuntimeError where there is none: an empty HOME would be the root folder."""
    if os.environ.get("HOME") == "":
        raise RuntimeError("HOME is empty")
    return Path.home()


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


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
