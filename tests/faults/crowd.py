"""``python -m faults.crowd``: several processes at once on one index, one cache, one study, one output.

With ``PYTHONPATH=.:tests``. Each ends with the right bytes, or in one line; together they leave what one would.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from faults import runs
from faults.commands import restore
from faults.sweep import Sweep, try_all

SHARED = ["index", "reindex", "predict", "train", "ablation", "collect", "svm"]


def main(argv: list[str] | None = None) -> int:
    p = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    p.add_argument("commands", nargs="*", default=SHARED)
    p.add_argument("--times", type=int, default=5)
    p.add_argument("--most", type=int, default=8, help="processes at once, from 2 on")
    p.add_argument("--folder", type=Path, help="where it works (default: a temporary one)")
    options = p.parse_args(argv)
    draw = random.Random(0)

    def trial(one: Sweep) -> None:
        for number in range(options.times):
            at_once(one, number, draw.randint(2, options.most), draw.random)

    return try_all(options, trial)


def at_once(one: Sweep, number: int, processes: int, draw: Callable[[], float]) -> None:
    """Start so many, each a moment after the one before it."""
    restore(one.kept, one.work)
    started = []
    for place in range(processes):
        streams = one.streams / str(place)
        streams.mkdir(exist_ok=True)
        started.append((runs.start(one.command.module, one.command.argv, streams), streams))
        time.sleep(draw() * one.seconds / processes)
    ended = [runs.wait(process, streams) for process, streams in started]
    for done in ended:
        lines = [line for line in done.err.splitlines() if not line.startswith("warning: ")]
        if done.code and not (done.code == 2 and len(lines) == 1):
            one.found(f"one of {processes}", number, "not one line", done)
    if not any(done.code == 0 for done in ended):
        one.found(f"each of {processes}", number, "none ended well", ended[0])
    elif wrong := one.wrong():
        one.found(f"all of {processes}", number, f"others than one makes: {wrong}", ended[0])
    told = ", ".join(f"{count} x {code}" for code, count in sorted(Counter(done.code for done in ended).items()))
    one.say(f"{one.name}: {processes} at once, {told}")


if __name__ == "__main__":
    sys.exit(main())
