"""What is fuzzed: functions of bytes that read them, or refuse them in one clear line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from random import Random

from ltr.errors import InputError

Read = Callable[[bytes], object]


@dataclass(frozen=True)
class Reader:
    """A reader, and what its inputs are made of."""

    name: str
    start: Callable[[Path], Read]
    """Gets an empty folder in memory, prepares what all cases share, and returns the function that takes a case."""
    seeds: Callable[[], Sequence[bytes]]
    """Valid inputs, small ones: what is changed in them should be seen by the reader."""
    tokens: Sequence[bytes] = ()
    """What means something in the format."""
    write: Callable[[Random], bytes] | None = None
    """An input by the grammar of the format, more or less."""
    pack: Callable[[bytes], bytes] | None = None
    """Compresses an input. Then cases are changed before they are packed, or after."""
    refusals: tuple[type[BaseException], ...] = (InputError,)
    """What may be raised; anything else is a finding."""
    largest: int = 1 << 16
    """Bytes that a long case may have."""


READERS: dict[str, Reader] = {}


def reader(
    name: str, seeds: Callable[[], Sequence[bytes]], **more: object
) -> Callable[[Callable[[Path], Read]], Callable[[Path], Read]]:
    """Register the decorated function as a reader's `Reader.start`."""

    def register(start: Callable[[Path], Read]) -> Callable[[Path], Read]:
        if name in READERS:
            raise ValueError(f"there are two readers {name}")
        READERS[name] = Reader(name, start, seeds, **more)  # type: ignore[arg-type]
        return start

    return register


def all_readers() -> dict[str, Reader]:
    """Every reader by its name, from all modules of `fuzz.readers`."""
    package = import_module("fuzz.readers")
    for module in iter_modules(package.__path__, "fuzz.readers."):
        import_module(module.name)
    return READERS


def find(name: str) -> Reader:
    """The reader of this name; ``MODULE:NAME`` is one that is not registered."""
    module, _, own = name.rpartition(":")
    if module:
        found: Reader = getattr(import_module(module), own)
        return found
    known = all_readers()
    if name not in known:
        raise SystemExit(f"there is no reader {name!r}; there are {', '.join(sorted(known))}")
    return known[name]


def of_file(path: Path, read: Callable[[Path], object]) -> Read:
    """A reader of files as one of bytes."""

    def take(content: bytes) -> object:
        path.write_bytes(content)
        return read(path)

    return take
