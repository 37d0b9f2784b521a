"""Settings that several commands and functions share. Imports nothing heavy, so that ``--help`` is instant."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

from ltr.errors import SettingError
from ltr.parallel import Workers, usable_cores
from ltr.plugins import task_rooms
from ltr.settings.base import Settings, refuse_both, setting
from ltr.settings.kinds import (
    COUNT,
    FOLDER,
    SHARE,
    Choice,
    CorpusName,
    Entry,
    File,
    Model,
    Number,
    Switch,
    Text,
    Weights,
)
from models.defaults import BLENDS, DIMENSIONS, DIVERSIFY, NO_ENCODER, SHIPPED_ENCODER

CORPUS = setting(CorpusName(), "corpus, as for riposte predict", "-i", "--input", default=...)
SAMPLE = replace(CORPUS, help="corpus, as for riposte predict (default: the sample)", default=None)
MODEL = setting(Model(), "as for riposte predict (default: the model that ships)", "-m", "--model")
TASK = setting(Choice("ltr.ranking.task:task_names"), f"what is ranked: {', '.join(task_rooms())}", default="pairs")
TOPICS = setting(File(), "topics XML (default: topics.xml beside the corpus)", once=True)
OUTPUT = setting(FOLDER, "output folder", "-o", "--output", default=...)
INDEX = setting(FOLDER, "folder of the index (default: in the user's cache, or in RIPOSTE_CACHE)")
PLUGIN = setting(File(), "run a Python file that adds features, rankers, tasks, ...", several=True)
JOBS = setting(Number(1, 1024), "processes and threads, by default one a core", default=usable_cores)
SEED = setting(Number(), "seed of everything random", default=0)
QUIET = setting(Switch(), "no progress, only results and errors", default=False)
DRY_RUN = setting(
    Switch(), "print what would be read, built and written, and stop; input that is read is checked", default=False
)
ENCODER = setting(
    Model(metavar="FOLDER"),
    "encoder that the model's second step reads: a folder with model.onnx and tokenizer.json; "
    f"{NO_ENCODER}: rank by the first step alone (default: {SHIPPED_ENCODER}, where the model has a second step)",
)
RERANK = setting(
    Model(metavar="NAME"),
    "order the best items of each list by a re-ranker: MODULE:FUNCTION or FILE.py:FUNCTION, of (question, "
    "texts) -> scores; a folder with an ONNX cross-encoder; chat:MODEL@URL",
)
READER = setting(Model(metavar="NAME"), "language model that reads sides, chat:MODEL@URL: texts are sent there")
JSON = setting(Text(metavar="FILE"), "write everything as JSON; - prints it in place of the text")
PAIR_QRELS = setting(
    Entry(metavar="DIMENSION=FILE", of_dimension=True, objects=True),
    "grades of pairs in relevance, quality or coherence: topic 0 idA,idB grade; files of one dimension merge",
    several=True,
)
VOTES = setting(
    Entry(metavar="NAME:DIMENSION=FILE", named=True, of_dimension=True, objects=True),
    "untrusted grades (by people, models) of items or arguments, weighted by estimated reliability: qrels, or JSON "
    "lines with topic, id and grade",
    several=True,
)
DEPTH = setting(COUNT, "largest number of results per topic", default=1000)
DIVERSIFIED = setting(
    SHARE,
    "penalty (0 to 1) for a pair whose arguments were already shown, relative to its score",
    default=DIVERSIFY,
)
STANCE = setting(
    Choice(("question", "conclusion")),
    "stance toward the question (predicted), or toward the argument's own conclusion (from the corpus)",
    default="conclusion",
)
SECOND_STEP_DEPTH = setting(
    Number(0, 1_000_000),
    "items of a topic that the model's second step describes by an encoder and orders; 0: all (default: the model's "
    "own; in the models that ship 100 pairs, 50 arguments, 100 documents)",
)


@dataclass(frozen=True, kw_only=True)
class Output(Settings):
    """What a command prints beside its results."""

    quiet: bool = QUIET
    started: float = field(default_factory=time.perf_counter, init=False)


@dataclass(frozen=True, kw_only=True)
class Timed(Output):
    """What a command prints that people wait for."""

    timings: bool = setting(Switch(), "print to stderr how long each stage took", default=False)


@dataclass(frozen=True, kw_only=True)
class Work(Settings):
    """The task, and where and how the work is done."""

    task: str = TASK
    plugin: tuple[Path, ...] = PLUGIN
    index: Path | None = INDEX
    jobs: int = JOBS


@dataclass(frozen=True, kw_only=True)
class Sharing(Settings):
    """Several machines, or processes, that share the work."""

    scheduler: str | None = setting(Text(metavar="ADDRESS"), "index and describe on a Dask cluster, tcp://host:port")
    workers: int | None = setting(
        Number(1, 1024), "index and describe on a Dask cluster of N processes on this machine"
    )

    def open_workers(self, jobs: int) -> AbstractContextManager[Workers]:
        """``jobs`` processes of this machine, or a Dask cluster. Raises InputError."""
        refuse_both(self, "scheduler", "workers")
        if self.scheduler is None and self.workers is None:
            return nullcontext(Workers(jobs))
        from ltr.cluster import Cluster  # noqa: PLC0415 imports Dask

        return Cluster(self.scheduler, self.workers)


@dataclass(frozen=True, kw_only=True)
class Blending(Settings):
    """Weights of the dimensions."""

    dimension: str | None = setting(
        Choice((*DIMENSIONS, "all")),
        f"rank by one dimension alone, or by the blend: {', '.join(DIMENSIONS)}, all (default: all)",
    )
    blend: str | Mapping[str, float] | None = setting(
        Weights(),
        "weights of relevance, quality and coherence in the blend, where baselines keep theirs; of arguments R,Q; or "
        + ", ".join(f"{name} ({','.join(f'{weight:g}' for weight in of.values())})" for name, of in BLENDS.items()),
    )

    def weights(self, usual: Mapping[str, float]) -> dict[str, float] | None:
        """Weights by ``dimension``, where baselines have none, or by ``blend``; None for those of the model.

        ``usual`` are the task's own. Raises SettingError when both are given, or when the weight of a dimension is
        missing.
        """
        refuse_both(self, "dimension", "blend")
        if isinstance(self.blend, str):
            return {name: weight for name, weight in BLENDS[self.blend].items() if name in usual}
        missing = [name for name in usual if name in DIMENSIONS and name not in (self.blend or DIMENSIONS)]
        if missing:
            given = ",".join(f"{weight:g}" for weight in (self.blend or {}).values())
            raise SettingError("blend", f"{given!r} has no weight of {missing[0]}", "give one of each dimension")
        if self.dimension in (None, "all"):
            return None if self.blend is None else dict(self.blend)
        return {name: float(name == self.dimension) for name in (*DIMENSIONS, *usual)}


@dataclass(frozen=True, kw_only=True)
class Ranking(Blending):
    """How a model ranks: its weights, and what its second step reads."""

    encoder: str | None = ENCODER


@dataclass(frozen=True, kw_only=True)
class Reranking(Settings):
    """A re-ranker of the best items."""

    rerank: str | None = RERANK
    rerank_depth: int | None = setting(COUNT, "items of a list that --rerank orders (default: 100)")
