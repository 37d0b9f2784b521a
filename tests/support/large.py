"""``PYTHONPATH=tests python -m support.large [CASE ...]``: what commands need for input that is far too large.

Each case is a file that grows with a number, and the command that reads it. Prints, a line a size, the number, the
file's MB, seconds of a processor, the most MB that a process held, the exit code and the last line of its output.
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

from support.large_inputs import CASES

MINUTES, MEMORY = 20, 16 << 30


def measured(name: str, number: int) -> str:
    """Make the input in a temporary folder, run the command, and describe what it took."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        arguments = CASES[name].make(folder, number)
        megabytes = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
        with (folder / "said").open("w+b") as said:
            process = subprocess.Popen(
                ["timeout", str(60 * MINUTES), sys.executable, *arguments], stdout=said, stderr=said
            )
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            text = said.read().decode("utf-8", "replace")
    print(text, file=sys.stderr)
    last = (text.strip().splitlines() or [""])[-1].replace(place, "")[:150]
    took = f"{used.ru_utime + used.ru_stime:>7.1f} s {used.ru_maxrss / 1024:>7.0f} MB"
    return f"{name:<36}{number:>14,}{megabytes:>9.1f} MB {took}  {process.returncode} {last}"


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("cases", nargs="*", metavar="CASE")
    p.add_argument("--times", type=float, default=1.0)
    p.add_argument("--sizes", type=int, default=3)
    options = p.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))  # what is measured inherits it
    for name in options.cases or CASES:
        for number in CASES[name].sizes[: options.sizes]:
            print(measured(name, max(int(number * options.times), 1)), flush=True)


if __name__ == "__main__":
    main()
