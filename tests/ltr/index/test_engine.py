"""Errors of the system keep their numbers, though the engine has one exception for all."""

from __future__ import annotations

import errno
import subprocess
import sys
from pathlib import Path

import pytest
from support.corpora import SMALL, build, write_corpus

from ltr.index.engine import ENGINES, system_errors

FULL = 'Os { code: 28, kind: StorageFull, message: "No space left on device" }'


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ("An error occurred: 'No space left on device (os error 28)'", errno.ENOSPC),
        (f"Failed to open file for write: 'IoError {{ io_error: {FULL}, filepath: \"38746e.pos\" }}'", errno.ENOSPC),
        (f'Failed to acquire Lockfile: IoError({FULL}). Some("Failed to acquire index lock.")', errno.ENOSPC),
        ("An error occurred in a thread: 'An index writer was killed.. A worker thread met an error'", errno.EIO),
        ("System error.'Failed to spawn segment merging thread'", errno.ENOMEM),
        ("Failed to open file for read: 'FileDoesNotExist(\"meta.json\")'", errno.ENOENT),
    ],
)
def test_an_error_of_the_system_has_its_number(said: str, number: int) -> None:
    with pytest.raises(OSError, match=r"space|Input|memory|No such file") as caught, system_errors(Path("index")):
        raise ValueError(said)
    assert (caught.value.errno, caught.value.filename) == (number, "index")


def test_other_errors_are_left_alone() -> None:
    with pytest.raises(ValueError, match="schema"), system_errors(Path("index")):
        raise ValueError("the schema does not fit")


ENDLESS = """
import resource, sys, time
from pathlib import Path
from ltr.index.reader import Index

def pages(which):
    return int(open("/proc/self/statm").read().split()[which]) * resource.getpagesize()

index = Index(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_AS, (pages(0) + 300_000_000,) * 2)
for engine in sys.argv[2:]:
    meta = index.folder / engine / "meta.json"
    meta.unlink()
    meta.symlink_to("/dev/zero")
before = pages(1)
time.sleep(1.5)
assert index.search("sentence", index.analyzer.terms("zoos"), 9)[0].tolist() == [12, 8]
assert pages(1) - before < 100_000_000
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/zero and /proc")
def test_an_open_index_is_not_watched(tmp_path: Path) -> None:
    """Tantivy reads the `meta.json` of an open engine every half second, by lines, in a thread of its own."""
    index = build(write_corpus(tmp_path / "corpus", SMALL), tmp_path / "index")
    command = [sys.executable, "-c", ENDLESS, str(index.folder), *ENGINES]
    subprocess.run(command, check=True, timeout=60, env={"TMPDIR": str(tmp_path)})
    assert sorted(path.name for path in tmp_path.iterdir()) == [".index.lock", "corpus", "index"]
