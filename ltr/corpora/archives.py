"""Tar archives from strangers: what stands in them is read as a stream, and in little memory."""

from __future__ import annotations

import tarfile
from typing import Self

LONGEST_HEADER = 1 << 15
"""Bytes of what describes a member: a long name, or its attributes."""

MOST_HEADERS = 10_000
"""Of an archive: each member has one, and perhaps one for its name and one for its attributes."""

_DESCRIPTIONS = (
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
)


class Archive(tarfile.TarFile):
    """An archive that is refused, with tarfile's own errors, where tarfile would hold as much as a file claims."""

    headers = 0

    def next(self) -> tarfile.TarInfo | None:
        """The next member. Raises tarfile.TarError, whatever is wrong."""
        try:
            return super().next()
        except RecursionError:
            raise tarfile.ReadError("names of names of names") from None
        except ValueError:  # as Python 3.13 says of itself
            raise tarfile.ReadError("invalid header") from None


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

    def _proc_gnusparse_10(self, *_: object) -> None:  # tarfile would read its list of holes, however long it is
        raise tarfile.ReadError(_SPARSE)


_SPARSE = "a file with holes"
Archive.tarinfo = _Member
