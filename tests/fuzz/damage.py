"""Accidents in every file of indexes and models, and what comes of them.

A bit is flipped, a file is cut or lengthened, a page is zeroed or a file is gone, in a file drawn at random. The
command then gives the same run, perhaps after it made the index anew, or ends in one line; then the next one gives the
same run, unless it is the model that is damaged. Never another run, another exception, or more than `SECONDS`.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import FrameType

from support.corpora import SMALL, write_corpus

from fuzz.readers.models import saved
from ltr.commands import predict
from ltr.data.topics import Topic, write_topics
from ltr.errors import InputError
from ltr.model_folder.store import PRETRAINED
from ltr.sample import SAMPLE

SECONDS = 10
"""Of the processor's time, for a command."""
PAGE = 4096
TASKS = ("pairs", "comparative", "arguments")
COLUMNS = ["convincing_min", "n_words_min", "coherence", "latent_topic_argument_min", "feedback_nearness_20_min"]
"""Of the model for pairs, which is small: what is looked up in each file of an index."""


@dataclass(frozen=True)
class World:
    """A task with its corpus, index, values and model, before the accident; and its run."""

    task: str
    folder: Path
    run: str

    def files(self) -> list[Path]:
        """Paths of the files to damage, relative to the folder: all that programs read."""
        paths = [path for name in ("index", "model") for path in sorted((self.folder / name).rglob("*"))]
        files = [path for path in paths if path.is_file() and path.suffix not in (".md", ".lock")]
        return [path.relative_to(self.folder) for path in files]


def make_world(task: str, folder: Path) -> World:
    """The files of a task."""
    folder.mkdir()
    if task == "comparative":
        shutil.copytree(SAMPLE / "comparative", folder / "corpus")
    else:
        write_corpus(folder / "corpus", SMALL)
    title = "Which keeps bread fresh, a box or a bag?" if task == "comparative" else "Should cities ban cars and zoos?"
    write_topics(folder / "corpus" / "topics.xml", [Topic("1", title)])
    if task == "pairs":
        saved(folder / "model", COLUMNS)
    else:
        shutil.copytree(PRETRAINED / task, folder / "model")
    answer(task, folder)  # makes the index and keeps values
    return World(task, folder, answer(task, folder))


def answer(task: str, folder: Path) -> str:
    """The run of the command. Raises what the command raises."""
    paths = {"-i": "corpus", "-o": "out", "--index": "index", "-m": "model"}
    options = [word for name, value in paths.items() for word in (name, str(folder / value))]
    with silence():
        predict.main([*options, "--task", task, "--jobs", "1", "--quiet"])
    return (folder / "out" / "run.txt").read_text("utf-8")


@contextmanager
def silence() -> Iterator[None]:
    """No output, in the places where it would go."""
    kept = [os.dup(1), os.dup(2)]
    sink = os.open(os.devnull, os.O_WRONLY)
    try:
        sys.stdout.flush()
        os.dup2(sink, 1), os.dup2(sink, 2)
        yield
    finally:
        sys.stdout.flush()
        for descriptor, number in zip(kept, (1, 2), strict=True):
            os.dup2(descriptor, number)
            os.close(descriptor)
        os.close(sink)


def damage(path: Path, rng: Random) -> str:
    """An accident; returns which."""
    raw = bytearray(path.read_bytes())
    kind = rng.choice(("flip", "flip", "flip", "cut", "lengthen", "zero", "gone"))
    place = rng.randrange(len(raw)) if raw else 0
    if kind == "flip" and raw:
        raw[place] ^= 1 << rng.randrange(8)
    elif kind == "cut":
        del raw[place:]
    elif kind == "lengthen":
        raw += rng.randbytes(rng.choice((1, 7, PAGE)))
    elif kind == "zero":
        start = place // PAGE * PAGE
        raw[start : start + PAGE] = bytes(len(raw[start : start + PAGE]))
    path.unlink()
    if kind != "gone":
        path.write_bytes(raw)
    return f"{kind} at {place}"


def try_one(world: World, number: int, seed: int, folder: Path) -> str:
    """The outcome of a case. Raises AssertionError, with the case."""
    rng = Random(seed << 32 | number)
    name = rng.choice(world.files())
    place = Path(shutil.copytree(world.folder, folder / str(number), symlinks=True))
    what = f"seed {seed}, case {number}, {world.task}: {name}, {damage(place / name, rng)}"
    try:
        for outcome in ("the same run", "refused, then the same run"):
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            try:
                assert answer(world.task, place) == world.run, f"{what}: another run"
                return outcome
            except InputError as error:
                if not str(error).isprintable():
                    raise AssertionError(what) from error
                if name.parts[0] == "model":
                    return "refused"
            except BaseException as error:
                raise AssertionError(f"{what}: {type(error).__name__}: {error}") from error
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
        raise AssertionError(f"{what}: refused twice")
    finally:
        shutil.rmtree(place)


def try_many(cases: int, seed: int, folder: Path) -> Counter[tuple[str, str]]:
    """How often each kind of file had each outcome; an outcome that may not be begins with "WRONG"."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGPROF, stop)
    try:
        worlds = [make_world(task, folder / task) for task in TASKS]
        found: Counter[tuple[str, str]] = Counter()
        for number in range(cases):
            world = worlds[2 if number % 8 == 7 else number % 2]  # the model for arguments is large
            try:
                found[world.task, try_one(world, number, seed, folder)] += 1
            except AssertionError as error:
                found[world.task, f"WRONG: {error}"] += 1
        return found
    finally:
        signal.signal(signal.SIGPROF, before)
