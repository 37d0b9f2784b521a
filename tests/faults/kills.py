"""``python -m faults.kills``: kill commands at moments drawn at random; the same command then makes the same bytes.

With ``PYTHONPATH=.:tests``.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from faults.commands import contents, restore
from faults.sweep import Sweep, try_all


def main(argv: list[str] | None = None) -> int:
    p = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    p.add_argument("commands", nargs="*", default=["index", "reindex", "train", "predict", "ablation", "serve"])
    p.add_argument("--times", type=int, default=40, help="kills of each")
    p.add_argument("--jobs", type=int, default=1)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--folder", type=Path, help="where it works (default: a temporary one)")
    options = p.parse_args(argv)
    draw = random.Random(options.seed)
    return try_all(options, lambda one: kill_often(one, options.times, draw), options.jobs)


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
        one.heal("kill", number)
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
