"""``python -m faults.changes``: change or remove what a command reads while it reads it, at every call in turn.

With ``PYTHONPATH=.:tests``. The command ends well or in a line, and the next one makes what it makes of what is there.
The clock of the day jumps, too.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

from faults import shim
from faults.commands import contents, restore, small_world
from faults.shim import Shim
from faults.sweep import SECONDS, Sweep, begin_again

CORPUS = "args_processed.csv"
Action = Callable[[Path, Path], object]
"""Given the folder of the corpus, and that of the work."""


def append(corpus: Path, work: Path) -> None:
    """A copy of the last argument under another id."""
    with (corpus / CORPUS).open("a", newline="") as out:
        sentences = "\"[{'sent_id': 'S9-A9__CONC__1', 'sent_text': 'Homework is good'}]\""
        out.write(f"S9-A9,Homework is good,[],{{}},{sentences}\r\n")


def replace(corpus: Path, work: Path) -> None:
    """Another file is moved over it."""
    shutil.copy(corpus.parent / "other" / CORPUS, corpus / "new")
    os.replace(corpus / "new", corpus / CORPUS)


def overwrite(corpus: Path, work: Path) -> None:
    """Another corpus is written into the same file."""
    shutil.copyfile(corpus.parent / "other" / CORPUS, corpus / CORPUS)


CHANGES: dict[str, Action] = {
    "appended": append,
    "replaced": replace,
    "overwritten": overwrite,
    "touched": lambda corpus, _: os.utime(corpus / CORPUS, (4e9, 4e9)),
    "gone": lambda corpus, _: (corpus / CORPUS).unlink(),
    "index gone": lambda _, work: shutil.rmtree(work / "index", ignore_errors=True),
    "texts gone": lambda _, work: [path.unlink() for path in work.glob("index/riposte-index-*/text-0000.bin")],
    "model gone": lambda _, work: shutil.rmtree(work / "model", ignore_errors=True),
}
FUTURE, PAST = 10 * 365 * 86400, -86400


class Changing(Sweep):
    """A command under which things change."""

    def changed(self, what: str, number: int, corpus: Path, kept: Path) -> bool:
        """Stop it at a call; False when there were fewer."""
        assert self.below is not None
        self.put_back(corpus, kept)
        on_corpus = list(CHANGES).index(what) < 5
        kinds = shim.OPEN | shim.READ | (0 if on_corpus else shim.CREATE | shim.MAP)
        self.below.arm(kinds, number, shim.STOP, str(corpus if on_corpus else self.work))
        done = self.run(stopped=lambda: CHANGES[what](corpus, self.work))
        seen = self.below.disarm()
        if not seen.fired:
            return False
        self.judge(what, number, done, seen)
        again = self.run()
        missing = what in ("gone", "model gone") or (what == "index gone" and not self.command.before)
        if again.code and not (again.code == 2 and missing):
            self.found(what, number, "the next run fails", again, seen.what)
        elif not again.code and on_corpus:
            found = contents(self.work, ["out"])
            shutil.rmtree(self.work / "index")
            self.run()  # all anew
            if contents(self.work, ["out"]) != found:
                self.found(what, number, "the next run makes another run than one without an index", again, seen.what)
        elif not again.code and contents(self.work, self.command.makes[-1:]) != self.new_output():
            self.found(what, number, "the next run makes others", again, seen.what)
        return True

    def new_output(self) -> dict[str, object]:
        """The last of what it makes: an index knows the date of its corpus, which is put back again and again."""
        name = self.command.makes[-1]
        return {key: one for key, one in self.new.items() if key == name or key.startswith(f"{name}/")}

    def put_back(self, corpus: Path, kept: Path) -> None:
        """All that is read, and all that is made."""
        restore(kept, corpus)
        restore(self.kept, self.work)

    def jump(self, seconds: int, number: int) -> bool:
        """Let the clock of the day jump at a call; False when there were fewer."""
        assert self.below is not None
        restore(self.kept, self.work)
        self.below.arm(shim.CREATE, number, shim.CLOCK, str(self.work), clock=seconds)
        done = self.run()
        seen = self.below.disarm()
        if seen.fired and (done.code or contents(self.work) != self.right):
            self.found(f"clock {seconds}", number, "others than without a jump", done, seen.what)
        return bool(seen.fired)


def main() -> int:
    p = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    p.add_argument("commands", nargs="*", default=["index", "predict"])
    p.add_argument("--change", action="append", choices=[*CHANGES, "clock"])
    p.add_argument("--every", type=int, default=1)
    p.add_argument("--seconds", type=float, default=SECONDS, metavar="S", help="as for faults.sweep")
    p.add_argument("--folder", type=Path, help="where it works (default: a temporary one)")
    return begin_again("faults.changes", p.parse_args(), change_all)


def change_all(options: argparse.Namespace, folder: Path, below: Shim) -> int:
    findings, corpus = 0, folder / "material" / "corpus"
    with small_world(folder) as every:
        shutil.copytree(corpus, folder / "corpus", dirs_exist_ok=True)
        for name in options.commands:
            one = Changing(name, every[name], folder, below, lambda line: print(line, flush=True))
            one.limit = options.seconds
            one.prepare()
            for change in options.change or [*CHANGES, "clock"]:
                number, began = 1, time.monotonic()
                while (
                    any([one.jump(FUTURE, number), one.jump(PAST, number)])
                    if change == "clock"
                    else one.changed(change, number, corpus, folder / "corpus")
                ):
                    number += options.every
                tried = (number - 1) // options.every * (2 if change == "clock" else 1)
                one.say(f"{name}, {change}: {tried} times in {time.monotonic() - began:.0f} s")
            one.put_back(corpus, folder / "corpus")
            findings += one.findings
    print(f"{findings} findings")
    return min(findings, 1)


if __name__ == "__main__":
    sys.exit(main())
