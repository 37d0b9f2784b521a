"""Options that several commands share. Imports nothing heavy, so that commands start quickly."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn, Protocol

from ltr.errors import InputError
from ltr.parallel import Workers, usable_cores
from models.defaults import CASCADE, COLUMNS, DIMENSIONS, DIVERSIFY, TREES
from models.weights import WEIGHT_RANGE, parse_weights


class Container(Protocol):
    """A parser, or a group of its options."""

    @property
    def add_argument(self) -> Callable[..., argparse.Action]:
        """As of `argparse.ArgumentParser`."""


LARGEST = 2**31 - 1


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line, like every other error.

    Raises InputError where argparse would print the usage and exit, so that ``main(argv)`` can be called from Python:
    only :func:`ltr.cli.process.run_command` ends a process. The text below the options is in a .txt file beside
    ``file``, the command's module.
    """

    def __init__(self, prog: str | None = None, description: str = "", file: str | None = None) -> None:
        below = Path(file).with_suffix(".txt").read_text("utf-8") if file else None
        raw = argparse.RawDescriptionHelpFormatter
        prog = sys.argv[0] if sys.argv[0].startswith("riposte ") else prog  # as `ltr.cli.main` was called
        super().__init__(prog, description=description, epilog=below, formatter_class=raw)

    def error(self, message: str) -> NoReturn:
        """Raise InputError with argparse's own words."""
        raise InputError("usage", message, "see --help")


def whole_number(low: int, high: int = LARGEST) -> Callable[[str], int]:
    """An argparse ``type`` for whole numbers from ``low`` to ``high``, both included."""

    def convert(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = low - 1
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a whole number from {low} to {high}")
        return value

    return convert


def share(text: str) -> float:
    """An argparse ``type`` for a number from 0 to 1."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a number from 0 to 1")
    return value


def dimension_file(text: str) -> tuple[str, Path]:
    """An argparse ``type``: DIMENSION=FILE, judgments in one dimension."""
    dimension, _, name = text.partition("=")
    if dimension not in DIMENSIONS or not name:
        raise argparse.ArgumentTypeError(f"{text[:80]!r} is not one of {'=FILE, '.join(DIMENSIONS)}=FILE")
    return dimension, Path(name)


def add_number(
    parser: Container, name: str, text: str, default: int | None = None, low: int = 0, high: int = LARGEST
) -> None:
    """An option for a whole number from ``low`` to ``high``; its help says the default."""
    text += "" if default is None else " (default: %(default)s)"
    parser.add_argument(name, type=whole_number(low, high), default=default, metavar="N", help=text)


def add_file(parser: Container, name: str, text: str, *, several: bool = False, required: bool = False) -> None:
    """An option for a file, or for ``several`` that collect in a list."""
    default: list[Path] | None = [] if several else None
    action, text = ("append", f"{text}; may repeat") if several else ("store", text)
    parser.add_argument(name, type=Path, metavar="FILE", action=action, default=default, required=required, help=text)


def add_seed_option(parser: Container) -> None:
    """``--seed``."""
    add_number(parser, "--seed", "seed of everything random", 0)


def add_pair_qrels_option(parser: Container) -> None:
    """``--pair-qrels``; :func:`ltr.data.qrels.read_pair_qrels` reads what it collects."""
    text = "grades of pairs in relevance, quality or coherence: topic 0 idA,idB grade; may repeat, "
    text += "files of one dimension merge"
    add_dimension_files(parser, "--pair-qrels", text)


def add_dimension_files(parser: Container, name: str, text: str) -> None:
    """An option for DIMENSION=FILE, which collects in a list."""
    how: dict[str, Any] = {"action": "append", "default": [], "metavar": "DIMENSION=FILE"}
    parser.add_argument(name, type=dimension_file, help=text, **how)


def add_training_data_options(parser: Container, *, required: bool = False) -> None:
    """``--topics``, ``--qrels``, ``--quality-qrels`` and ``--pair-qrels``: what is learned from."""
    add_file(parser, "--topics", "training topics XML", several=True, required=required)
    add_file(parser, "--qrels", "judgments of arguments or documents (qid 0 id grade)", several=True)
    add_file(parser, "--quality-qrels", "judgments of their quality", several=True)
    add_pair_qrels_option(parser)


class Names(Collection[str]):
    """Choices of an option from the registry in ``module``, which takes half a second to import.

    It is imported when the option is given. ``--help`` alone shows the ``shipped`` names in its place.
    """

    def __init__(self, find: Callable[[], Iterable[str]], module: str, shipped: Sequence[str]) -> None:
        self._find, self._module, self._shipped = find, module, shipped

    def __contains__(self, name: object) -> bool:
        return name in [*self._find()]

    def __iter__(self) -> Iterator[str]:
        return iter(self._find() if self._module in sys.modules else self._shipped)

    def __len__(self) -> int:
        return len([*iter(self)])


SHIPPED_TASKS = ("pairs", "comparative", "arguments")
SHIPPED_OBJECTIVES = ("both", "lambdarank", "regression", "linear")
SHIPPED_BASELINES = {
    "pairs": "bm25, bm25-tuned, dirichlet, length, random",
    "arguments": "dph, elrond, heimdall",
    "comparative": "bilbo, cues, inigo, katana-2020, mercutio, source, zorro",
}
"""Baselines of pairs, which rank items of every task, and those of the other tasks alone."""


def task_choices() -> Iterable[str]:
    """The registered tasks."""
    from ltr.tasks import task_names

    return task_names()


def objective_choices() -> Iterable[str]:
    """The objectives of the registered rankers."""
    from models.base import objectives

    return objectives()


def add_objective_option(parser: Container) -> None:
    """``--objective``."""
    text = "what a ranker minimises, one of %(choices)s. Trees: LambdaMART's loss, the squared error of grades, or "
    text += "both, averaged; linear: ridge regression (default: %(default)s)"
    choices = Names(objective_choices, "models.base", SHIPPED_OBJECTIVES)
    parser.add_argument("--objective", choices=choices, default="both", metavar="NAME", help=text)


def add_ranker_options(parser: Container, *, trees: int | None = None, columns: int | None = COLUMNS) -> None:
    """``--trees`` and ``--columns``: the size of the rankers."""
    size = "trees of a ranker" + ("" if trees else f" (default: {TREES})")
    add_number(parser, "--trees", size, trees, 1, 5000)
    add_number(parser, "--columns", "feature columns that each ranker keeps; 0 keeps all", columns)


def add_task_option(parser: Container) -> None:
    """``--task``."""
    text = "what is ranked: %(choices)s (default: %(default)s)"
    choices = Names(task_choices, "ltr.tasks.base", SHIPPED_TASKS)
    parser.add_argument("--task", choices=choices, default="pairs", metavar="NAME", help=text)


def add_index_options(parser: Container) -> None:
    """``--index``."""
    text = "folder of the index (default: in the user's cache, or in RIPOSTE_CACHE)"
    parser.add_argument("--index", type=Path, metavar="DIR", help=text)


def add_run_options(parser: Container) -> None:
    """``--task``, ``--index``, ``--jobs``, ``--quiet`` and ``--timings``."""
    add_task_option(parser)
    add_index_options(parser)
    jobs = "processes and threads (default: the cores at hand, %(default)s)"
    parser.add_argument("--jobs", type=whole_number(1, 1024), default=usable_cores(), metavar="N", help=jobs)
    parser.add_argument("--quiet", action="store_true", help="no progress, only results and errors")
    parser.add_argument("--timings", action="store_true", help="print to stderr how long each stage took")


def add_dry_run_option(parser: Container) -> None:
    """``--dry-run``."""
    text = "print what would be read, built and written, and stop; input that is read is checked"
    parser.add_argument("--dry-run", action="store_true", help=text)


def add_cluster_options(parser: argparse.ArgumentParser) -> None:
    """``--scheduler`` and ``--workers``."""
    where = parser.add_mutually_exclusive_group()
    text = "index and describe on the Dask cluster of this scheduler, tcp://host:port"
    where.add_argument("--scheduler", metavar="ADDRESS", help=text)
    text = "index and describe on a Dask cluster of N processes on this machine"
    add_number(where, "--workers", text, low=1, high=1024)


@contextmanager
def chosen_workers(options: argparse.Namespace) -> Iterator[Workers]:
    """Processes of this machine, or a Dask cluster. Raises InputError."""
    if options.scheduler is None and options.workers is None:
        yield Workers(options.jobs)
        return
    from ltr.cluster import Cluster

    with Cluster(options.scheduler, options.workers) as cluster:
        yield cluster


def blend(text: str) -> dict[str, float]:
    """An argparse ``type``: weights, relevance,quality,coherence, each 0 or in `WEIGHT_RANGE`, not all 0.

    Coherence may be missing; `chosen_weights` checks whether the task has it.
    """
    if (weights := parse_weights(text, (2, 3))) is None:
        low, high = WEIGHT_RANGE
        what = f"{','.join(DIMENSIONS)}, each 0 or from {low} to {high}, as in .5,.3,.2"
        raise argparse.ArgumentTypeError(f"{text[:80]!r} is not three weights {what}")
    return dict(zip(DIMENSIONS, weights, strict=False))


def add_list_options(parser: Container, tag: str) -> None:
    """``--tag`` (see `check_tag`), ``--depth`` and ``--diversify``: from scores to lists."""
    parser.add_argument("--tag", metavar="TAG", help=tag)
    add_number(parser, "--depth", "largest number of results per topic", 1000, 1, 1000)
    text = (
        "penalty (0 to 1) for a pair whose arguments were already shown, relative to its score (default: %(default)s)"
    )
    parser.add_argument("--diversify", type=share, default=DIVERSIFY, metavar="X", help=text)


def add_stance_option(parser: Container, default: str) -> None:
    """``--stance``."""
    text = "stance toward the question (predicted), or toward the argument's own conclusion (from the corpus) "
    text += "(default: %(default)s)"
    parser.add_argument("--stance", choices=("question", "conclusion"), default=default, help=text)


def check_tag(tag: str | None) -> None:
    """Raise InputError when ``--tag`` is not one word without control characters."""
    if tag is not None and (tag.split() != [tag] or not tag.isprintable()):
        raise InputError("--tag", "a tag is one word without spaces or control characters", "leave them out")


def add_blend_options(parser: Container) -> None:
    """``--dimension`` and ``--blend``."""
    text = "rank by one dimension, or by the blend: %(choices)s (default: all)"
    parser.add_argument("--dimension", choices=(*DIMENSIONS, "all"), metavar="NAME", help=text)
    text = "weights of relevance, quality and coherence in the blend; of arguments R,Q"
    parser.add_argument("--blend", type=blend, metavar="R,Q,C", help=text)


def add_cascade_option(parser: Container) -> None:
    """``--cascade``."""
    text = f"rescore only the top N of each topic with all trees; 0: rescore all (default: {CASCADE})"
    add_number(parser, "--cascade", text, high=1_000_000)


def chosen_weights(
    dimension: str | None, weights: dict[str, float] | None, dimensions: Sequence[str]
) -> dict[str, float] | None:
    """Weights by ``--dimension`` and ``--blend``; None for those of the model.

    Raises InputError when both are given, or when a weight is missing for one of the task's ``dimensions``.
    """
    if weights and len(weights) < len(dimensions):
        given = ",".join(f"{weight:g}" for weight in weights.values())
        what = f"argument --blend: {given!r} is not three weights {','.join(dimensions)}"
        raise InputError("usage", what, "see --help")
    if dimension in (None, "all"):
        return weights
    if weights:
        raise InputError("usage", f"--dimension {dimension} is one, --blend is of three", "leave one of them out")
    return {name: float(name == dimension) for name in DIMENSIONS}
