"""Tar archives from strangers: what stands in them is read as a stream, and in little memory."""

from __future__ import annotations

import math
import tarfile
from gzip import GzipFile
from typing import IO, Self

LONGEST_HEADER = 1 << 15
"""Bytes of what describes a member: a long name, or its attributes."""

MOST_HEADERS = 10_000
"""Of an archive: each member has one, and perhaps one for its name and one for its attributes."""

LONGEST_HEADERS = 1 << 17
"""Bytes that are read of one member before its content."""

_DESCRIPTIONS = (
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
)


class _Limited:
    """A file of which at most ``left`` bytes may be read; what is skipped does not count."""

    def __init__(self, file: IO[bytes] | GzipFile) -> None:
        self._file = file
        self.left: float = math.inf
        self.seek, self.tell, self.close = file.seek, file.tell, file.close

    def read(self, size: int) -> bytes:
        self.left -= size
        if self.left < 0:
            raise tarfile.ReadError(f"a member with headers of more than {LONGEST_HEADERS:,} bytes")
        return self._file.read(size)


class Archive(tarfile.TarFile):
    """An archive that is refused, with tarfile's own errors, where tarfile would hold as much as a file claims."""

    headers = 0

    @classmethod
    def of(cls, file: IO[bytes] | GzipFile) -> Archive:
        """The archive in ``file``, which is read from its beginning to its end. Raises tarfile.TarError."""
        return cls(fileobj=_Limited(file))  # type: ignore[arg-type]

    def next(self) -> tarfile.TarInfo | None:
        """The next member. Raises tarfile.TarError, whatever is wrong."""
        file = self.fileobj
        assert isinstance(file, _Limited)
        file.left = LONGEST_HEADERS  # tarfile would read a list of holes, however long it is
        try:
            found = super().next()
        except RecursionError:
            raise tarfile.ReadError("names of names of names") from None
        except ValueError:  # as Python 3.13 says of itself
            raise tarfile.ReadError("invalid header") from None
        file.left = math.inf
        if found is not None and found.issparse():
            raise tarfile.ReadError(_SPARSE)
        return found


class _Member(tarfile.TarInfo):
    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> Self:
        assert isinstance(archive, Archive)
        archive.headers += 1
        if archive.headers > MOST_HEADERS:
            raise tarfile.ReadError(f"more than {MOST_HEADERS:,} members")
        return super().fromtarfile(archive)

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        member = super().frombuf(buf, encoding, errors)
        if member.type in _DESCRIPTIONS and member.size > LONGEST_HEADER:
            raise tarfile.ReadError(f"a name or attributes of more than {LONGEST_HEADER:,} bytes")
        if member.type == tarfile.GNUTYPE_SPARSE:
            raise tarfile.ReadError(_SPARSE)
        return member


_SPARSE = "a file with holes"
Archive.tarinfo = _Member
