"""``python -m faults.kills``: kill commands at moments drawn at random; the same command then makes the same bytes.

With ``PYTHONPATH=.:tests``.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

from faults.commands import contents, restore, small_world
from faults.sweep import Sweep


def main(argv: list[str] | None = None) -> int:
    p = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    p.add_argument("commands", nargs="*", default=["index", "reindex", "train", "predict", "ablation", "serve"])
    p.add_argument("--times", type=int, default=40, help="kills of each")
    p.add_argument("--jobs", type=int, default=1)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--folder", type=Path, help="where it works (default: a temporary one)")
    options = p.parse_args(argv)
    findings, draw = 0, random.Random(options.seed)
    with ExitStack() as stack:
        folder = options.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        every = stack.enter_context(small_world(folder.resolve(), options.jobs))
        for name in options.commands:
            one = Sweep(name, every[name], folder.resolve(), None, lambda line: print(line, flush=True))
            one.prepare()
            print(f"{name}: {one.seconds:.2f} s undisturbed", flush=True)
            kill_often(one, options.times, draw)
            findings += one.findings
    print(f"{findings} findings")
    return min(findings, 1)


def kill_often(one: Sweep, times: int, draw: random.Random) -> None:
    """Kill it, run it to its end, begin anew."""
    ended: Counter[str] = Counter()
    for number in range(times):
        restore(one.kept, one.work)
        killed = one.run(watch=killer(draw.uniform(0, 1.1 * one.seconds)))
        ended["killed" if killed.code == -signal.SIGKILL else f"exit {killed.code}"] += 1
        one.look("kill", number, killed, "a moment drawn at random")
        if contents(one.work) == one.right:
            ended["all was there"] += 1
        again = one.run()
        healed = contents(one.work)
        if again.code:
            one.found("kill", number, "the next run fails", again)
        elif healed != one.right:
            wrong = sorted(name for name in {*healed, *one.right} if healed.get(name) != one.right.get(name))
            one.found("kill", number, f"the next run makes others: {', '.join(wrong[:5])}", again)
    told = ", ".join(f"{count} x {what}" for what, count in sorted(ended.items()))
    one.say(f"{one.name}: {told}")


def killer(seconds: float) -> Callable[[int], None]:
    """Kills a process group when so many seconds have passed."""
    end = time.monotonic() + seconds

    def kill(process: int) -> None:
        if time.monotonic() > end:
            with suppress(ProcessLookupError):  # it does not lead its group yet
                os.killpg(process, signal.SIGKILL)

    return kill


if __name__ == "__main__":
    sys.exit(main())
