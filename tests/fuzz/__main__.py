"""``python -m fuzz READER --seconds 60 --seed 1``: fuzz a reader, or all of them."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from fuzz.campaign import Finding, bounded, judge, run_apart
from fuzz.cases import Cases
from fuzz.reader import all_readers, find

EVER = 1 << 62


def main() -> int:
    """Fuzz, and say what was found; 1 where something was."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("readers", nargs="*", metavar="READER", help="which (default: all, one after the other)")
    parser.add_argument("--list", action="store_true", help="name the readers")
    parser.add_argument("--seconds", type=float, help="for each reader (default: 60, or none with --cases)")
    parser.add_argument("--cases", type=int, help="for each reader (default: as many as there is time for)")
    parser.add_argument("--first", type=int, default=0, help="number of the first case (default: 0)")
    parser.add_argument("--seed", type=int, default=1, help="cases are the same for the same seed (default: 1)")
    parser.add_argument("--case", type=int, help="try the case of this number alone, and show it")
    parser.add_argument("--input", type=Path, help="try this file alone, such as a finding that was saved")
    parser.add_argument("--out", type=Path, default=Path("out/fuzz"), help="folder of findings (default: %(default)s)")
    options = parser.parse_args()
    if options.list:
        print(*sorted(all_readers()), sep="\n")
        return 0
    seconds = options.seconds or (EVER if options.cases else 60)
    count = options.cases or EVER
    if options.case is not None or options.input:
        return max(_one(name, options) for name in options.readers)
    found = 0
    for name in options.readers or sorted(all_readers()):
        start = time.perf_counter()
        tally = run_apart(name, options.seed, range(options.first, options.first + count), seconds, options.out)
        took = time.perf_counter() - start
        print(
            f"{name}: {tally.read + tally.refused + tally.found:,} cases in {took:.0f} s, {tally.read:,} read, "
            f"{tally.refused:,} refused, {tally.found:,} wrong in {len(tally.findings)} kinds; "
            f"slowest {tally.slowest[0]:.2f} s (case {tally.slowest[1]})",
            flush=True,
        )
        for kind in tally.findings:
            print(f"  {kind}")
        found += len(tally.findings)
    if found:
        print(f"What was found is in {options.out}")
    return 1 if found else 0


def _one(name: str, options: argparse.Namespace) -> int:
    reader = find(name)
    content = options.input.read_bytes() if options.input else Cases(reader, options.seed)[options.case]
    with bounded() as folder:
        found = judge(reader.start(folder), content, reader.refusals)
    print(f"{name}: {content[:2000]!r}")
    if isinstance(found, Finding):
        print(found.kind, found.report, sep="\n")
        return 1
    print("read" if found else "refused")
    return 0


if __name__ == "__main__":
    sys.exit(main())
