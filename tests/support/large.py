"""``PYTHONPATH=tests python -m support.large [CASE ...]``: what commands need for input that is far too large.

Each case is a file that grows with a number, and the command that reads it. Prints, a line a size, the number, the
file's MB, seconds of a processor, the most MB that a process held, the exit code and the last line that was said.
Without a case all are measured, which takes hours; ``--times 0.01`` makes all of them smaller.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from support import large_files, large_packed, large_tables
from support.large_inputs import CASES, Make

__all__ = ["CASES", "large_files", "large_packed", "large_tables"]
"""The modules register their cases."""

MINUTES, MEMORY = 20, 16 << 30


class Measured(NamedTuple):
    """Of one command."""

    megabytes: float
    seconds: float
    most: float
    """MB that a process of it held."""
    code: int
    said: str


def measured(make: Make, number: int) -> Measured:
    """Make the input in a folder that goes afterwards, and run the command."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        arguments = make(folder, number)
        size = sum(path.stat().st_size for path in folder.iterdir())
        with (folder / "said").open("w+b") as said:
            process = subprocess.Popen(
                ["timeout", str(60 * MINUTES), sys.executable, *arguments],
                stdout=said,
                stderr=said,
            )
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            text = said.read().decode("utf-8", "replace")
    print(text, file=sys.stderr)
    last = text.strip().splitlines()[-1:] or [""]
    return Measured(
        size / 1e6, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, process.returncode, last[0].replace(place, "")
    )


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("cases", nargs="*", metavar="CASE")
    p.add_argument("--times", type=float, default=1.0)
    p.add_argument("--sizes", type=int, default=3)
    options = p.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))  # what is measured inherits it
    for name in options.cases or CASES:
        for number in CASES[name].sizes[: options.sizes]:
            asked = max(int(number * options.times), 1)
            megabytes, seconds, most, code, said = measured(CASES[name].make, asked)
            print(
                f"{name:<36}{asked:>14,}{megabytes:>9.1f} MB {seconds:>7.1f} s {most:>7.0f} MB  {code} {said[:150]}",
                flush=True,
            )


if __name__ == "__main__":
    main()
