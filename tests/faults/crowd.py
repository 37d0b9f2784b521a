"""``python -m faults.crowd``: several processes at once on one index, one cache, one study, one output.

With ``PYTHONPATH=.:tests``. Each ends with the right bytes, or in one line; together they leave what one would.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from faults import runs
from faults.commands import contents, restore, small_world
from faults.sweep import Sweep

SHARED = ["index", "reindex", "predict", "train", "ablation", "collect", "svm"]


def main(argv: list[str] | None = None) -> int:
    p = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    p.add_argument("commands", nargs="*", default=SHARED)
    p.add_argument("--times", type=int, default=5)
    p.add_argument("--most", type=int, default=8, help="processes at once, from 2 on")
    p.add_argument("--folder", type=Path, help="where it works (default: a temporary one)")
    options = p.parse_args(argv)
    findings, draw = 0, random.Random(0)
    with ExitStack() as stack:
        folder = options.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        every = stack.enter_context(small_world(folder.resolve()))
        for name in options.commands:
            one = Sweep(name, every[name], folder.resolve(), None, lambda line: print(line, flush=True))
            one.prepare()
            for number in range(options.times):
                at_once(one, number, draw.randint(2, options.most), draw.random)
            findings += one.findings
    print(f"{findings} findings")
    return min(findings, 1)


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
    elif contents(one.work) != one.right:
        now = contents(one.work)
        wrong = sorted(name for name in {*now, *one.right} if now.get(name) != one.right.get(name))
        one.found(f"all of {processes}", number, f"others than one makes: {', '.join(wrong[:5])}", ended[0])
    told = ", ".join(f"{count} x {code}" for code, count in sorted(Counter(done.code for done in ended).items()))
    one.say(f"{one.name}: {processes} at once, {told}")


if __name__ == "__main__":
    sys.exit(main())
