"""What is measured on a corpus: the steps of Riposte and of other engines, as command lines."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

JAVA = Path(__file__).with_name("LuceneIndex.java")
WARM = 3
"""Rounds of queries before the one that counts: Java compiles while it runs."""


@dataclass(frozen=True)
class Setting:
    """Options that all steps share, and the folder of what they read and write."""

    folder: Path
    task: str
    topics: Path
    training: tuple[Path, Path]
    """Topics and judgments."""
    jobs: int
    lucene: Path | None
    """A jar, or a folder of jars."""

    @property
    def unit(self) -> str:
        """What is searched, and what other engines index."""
        return "sentence" if self.task == "pairs" else "argument"


@dataclass(frozen=True)
class Step:
    """A process to measure, and the folder that it writes."""

    name: str
    command: list[str]
    written: Path | None = None
    missing: str = ""
    """Why it cannot run here."""


def own_steps(at: Setting) -> list[Step]:
    """Riposte's index alone, its first stage alone, and its commands with an index that is there."""
    corpus, index = at.folder / "corpus", at.folder / "index"
    shared = ["--task", at.task, "-i", corpus, "--index", index, "--quiet", "--jobs", at.jobs]
    topics, qrels = at.training
    train = python("ltr.train", *shared, "--topics", topics, "--qrels", qrels, "-m", at.folder / "model")
    missing = ", ".join(f"there is no {path}" for path in at.training if not path.exists())
    return [
        Step("index", step_command("index", corpus, index, at.jobs), index),
        Step("query", step_command("query", index, at.folder / "queries.txt", at.unit)),
        Step("predict", python("ltr.predict", *shared, "--topics", at.topics, "-o", at.folder / "run")),
        Step("train", train, missing=missing),
    ]


def bm25s_steps(at: Setting) -> list[Step]:
    """The package bm25s."""
    missing, place = "" if find_spec("bm25s") else "pip install 'riposte-ltr[peers]'", at.folder / "bm25s"
    return [
        Step("bm25s, index", step_command("bm25s-index", at.folder / "texts.tsv", place), place, missing),
        Step("bm25s, query", step_command("bm25s-query", place, at.folder / "queries.txt"), None, missing),
    ]


def lucene_steps(at: Setting) -> list[Step]:
    """Lucene, by the Java program beside this file."""
    place, missing = at.folder / "lucene", "" if at.lucene else "name a jar with Lucene 8 or 9 with --lucene"
    if shutil.which("java") is None:
        missing = "java is not installed: apt-get install default-jdk-headless"
    return [
        Step("Lucene, index", java(at.lucene, "index", at.folder / "texts.tsv", place, at.jobs), place, missing),
        Step("Lucene, query", java(at.lucene, "search", place, at.folder / "queries.txt", WARM), None, missing),
    ]


PEERS = {"bm25s": bm25s_steps, "lucene": lucene_steps}


def step_command(name: str, *arguments: object) -> list[str]:
    """The command line of one of `experiments.scale.steps`."""
    return python("experiments.scale.steps", name, *arguments)


def java(lucene: Path | None, *arguments: object) -> list[str]:
    """The command line of the Java program."""
    path = lucene / "*" if lucene and lucene.is_dir() else lucene
    return ["java", "-Xmx1500m", "-cp", str(path), str(JAVA), *map(str, arguments)]


def python(module: str, *arguments: object) -> list[str]:
    """The command line of a module."""
    return [sys.executable, "-m", module, *map(str, arguments)]
