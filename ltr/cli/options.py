"""Options that several commands share. Imports nothing heavy, so that commands start quickly."""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn

from ltr.errors import InputError
from ltr.parallel import Workers, usable_cores
from ltr.plugins import load_plugin, plugin_error
from ltr.progress import Progress
from models.defaults import (
    COLUMNS,
    DIMENSIONS,
    DIVERSIFY,
    NO_ENCODER,
    SHIPPED_ENCODER,
    TREES,
    WEIGHT_RANGE,
    parse_weights,
)

Container = argparse._ActionsContainer
"""A parser, or a group of its options."""

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
        super().__init__(prog, description=description, epilog=below, formatter_class=raw)
        self.set_defaults(started=time.perf_counter())

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse like argparse, plug-ins first wherever they are named: other options offer what they add."""
        words = sys.argv[1:] if args is None else [*args]
        if "--plugin" in self._option_string_actions:
            for word, following in pairwise([*words, ""]):
                file = following if word == "--plugin" else word.removeprefix("--plugin=")
                if word.partition("=")[0] == "--plugin" and file:
                    plugin(file)
        return super().parse_known_args(args, namespace)

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        try:
            return super()._get_value(action, arg_string)
        except argparse.ArgumentError as error:
            cause = error.__context__  # of a plug-in or ours, it says more than argparse's own words
            fault = cause if isinstance(cause, InputError) else cause and plugin_error(cause)
            raise fault or error from None

    def error(self, message: str) -> NoReturn:
        """Raise InputError with argparse's own words."""
        plugins = "; what a plug-in adds needs --plugin FILE" if "invalid choice" in message else ""
        raise InputError("usage", message, f"see --help{plugins}")


def plugin(text: str) -> Path:
    """An argparse ``type``: a file of Python, which is run. Raises InputError."""
    load_plugin(text)
    return Path(text)


def whole_number(low: int, high: int = LARGEST) -> Callable[[str], int]:
    """An argparse ``type`` for whole numbers from ``low`` to ``high``, both included."""
    return lambda text: int(_within(text, int, low, high))


def share(text: str) -> float:
    """An argparse ``type`` for a number from 0 to 1."""
    return _within(text, float, 0, 1)


def _within(text: str, kind: type[float], low: int, high: int) -> float:
    try:
        value = kind(text)
    except ValueError:
        value = low - 1
    if not low <= value <= high:
        whole = "whole " if kind is int else ""
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a {whole}number from {low} to {high}")
    return value


def tag(text: str) -> str:
    """An argparse ``type`` for one word without control characters."""
    if text.split() != [text] or not text.isprintable():
        raise argparse.ArgumentTypeError("a tag is one word without spaces or control characters")
    return text


def dimension_file(text: str) -> tuple[str, Path]:
    """An argparse ``type``: DIMENSION=FILE, judgments in one dimension."""
    dimension, _, name = text.partition("=")
    if dimension not in DIMENSIONS or not name:
        raise argparse.ArgumentTypeError(f"{text[:80]!r} is not one of {'=FILE, '.join(DIMENSIONS)}=FILE")
    return dimension, Path(name)


def named_file(text: str) -> tuple[str, Path]:
    """An argparse ``type``: NAME=FILE, or FILE, whose name is what stands before the first full stop."""
    name, equals, file = text.partition("=")
    name, file = (name, file) if equals else (Path(text).name.partition(".")[0], text)
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,40}", name) or not file:
        raise argparse.ArgumentTypeError(f"{text[:80]!r} is not NAME=FILE with a name of letters and digits")
    return name, Path(file)


def vote_file(text: str) -> tuple[str, str, Path]:
    """An argparse ``type``: NAME:DIMENSION=FILE, votes of that name in one dimension."""
    head, _, file = text.partition("=")
    name, _, dimension = head.rpartition(":")
    if dimension not in DIMENSIONS or not file or not re.fullmatch(r"[\w.+-]+", name):
        what = f"NAME:DIMENSION=FILE, with a name of letters, digits, . + - _ and one of {', '.join(DIMENSIONS)}"
        raise argparse.ArgumentTypeError(f"{text[:80]!r} is not {what}")
    return name, dimension, Path(file)


def blend(text: str) -> dict[str, float]:
    """An argparse ``type``: weights, relevance,quality,coherence, each 0 or in `WEIGHT_RANGE`, not all 0.

    Coherence may be missing; `chosen_weights` checks whether the task has it.
    """
    if (weights := parse_weights(text, (2, 3))) is None:
        low, high = WEIGHT_RANGE
        what = f"{','.join(DIMENSIONS)}, each 0 or from {low} to {high}, as in .5,.3,.2"
        raise argparse.ArgumentTypeError(f"{text[:80]!r} is not three weights {what}")
    return dict(zip(DIMENSIONS, weights, strict=False))


def registered(module: str, names_in: str) -> Callable[[str], str]:
    """An argparse ``type`` for a name that a function of a ``module`` lists, which takes half a second to import."""

    def convert(text: str) -> str:
        names = [*getattr(import_module(module), names_in)()]
        if text not in names:
            raise argparse.ArgumentTypeError(f"invalid choice: {text[:80]!r} (choose from {', '.join(names)})")
        return text

    return convert


task_name = registered("ltr.tasks.base", "task_names")
"""An argparse ``type`` for the name of a task."""


def number(text: str, default: int | None = None, low: int = 0, high: int = LARGEST) -> dict[str, Any]:
    """Arguments of an option for a whole number from ``low`` to ``high``; its help says the default."""
    text += "" if default is None or "(default" in text else " (default: %(default)s)"
    return option("N", text, type=whole_number(low, high), default=default)


def option(metavar: str, text: str, **how: Any) -> dict[str, Any]:
    """Arguments of an option with a value."""
    return {"metavar": metavar, "help": text, **how}


def repeated(kind: Callable[[str], Any], metavar: str, text: str) -> dict[str, Any]:
    """Arguments of an option that may repeat, which collects in a list."""
    return option(metavar, f"{text}; may repeat", type=kind, action="append", default=[])


def add_number(
    parser: Container, name: str, text: str, default: int | None = None, low: int = 0, high: int = LARGEST
) -> None:
    """An option for a whole number, see `number`."""
    parser.add_argument(name, **number(text, default, low, high))


class Once(argparse.Action):
    """An argparse ``action``: the value, which may not be given again."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        """Keep the value. Raises InputError for a second one."""
        if getattr(namespace, self.dest) is not None:
            raise InputError("usage", f"{option_string} is named twice", "this command takes one file")
        setattr(namespace, self.dest, values)


def add_file(parser: Container, name: str, text: str, *, several: bool = False, required: bool = False) -> None:
    """An option for a file, or for ``several`` that collect in a list."""
    how = repeated(Path, "FILE", text) if several else option("FILE", text, type=Path)
    parser.add_argument(name, required=required, **how)


OPTIONS: dict[str, dict[str, Any]] = {
    "--task": option(
        "NAME", "what is ranked: pairs, comparative, arguments (default: %(default)s)", type=task_name, default="pairs"
    ),
    "--topics": option("FILE", "topics XML (default: topics.xml beside the corpus)", type=Path, action=Once),
    "--index": option("DIR", "folder of the index (default: in the user's cache, or in RIPOSTE_CACHE)", type=Path),
    "--jobs": number("processes and threads (default: the available cores, %(default)s)", usable_cores(), 1, 1024),
    "--quiet": {"action": "store_true", "help": "no progress, only results and errors"},
    "--timings": {"action": "store_true", "help": "print to stderr how long each stage took"},
    "--dry-run": {
        "action": "store_true",
        "help": "print what would be read, built and written, and stop; input that is read is checked",
    },
    "--seed": number("seed of everything random", 0),
    "--qrels": repeated(Path, "FILE", "judgments of arguments or documents (qid 0 id grade)"),
    "--quality-qrels": repeated(Path, "FILE", "judgments of their quality"),
    "--pair-qrels": repeated(
        dimension_file,
        "DIMENSION=FILE",
        "grades of pairs in relevance, quality or coherence: topic 0 idA,idB grade; files of one dimension merge",
    ),
    "--votes": repeated(
        vote_file,
        "NAME:DIMENSION=FILE",
        "untrusted grades (by people, models) of items or arguments, weighted by estimated reliability: qrels, or JSON "
        "lines with topic, id and grade",
    ),
    "--objective": option(
        "NAME",
        "what a ranker minimises, one of both, lambdarank, regression, linear. Trees: LambdaMART's loss, "
        "the squared error of grades, or both, averaged; linear: ridge regression (default: regression for pairs, both "
        "for other tasks)",
        type=registered("models.base", "objectives"),
    ),
    "--alpha": number("a loss against the baseline counts 1 + N times in measures of risk", 1, 0, 100),
    "--depth": number("largest number of results per topic", 1000, 1, 1000),
    "--diversify": option(
        "X",
        "penalty (0 to 1) for a pair whose arguments were already shown, relative to its score (default: %(default)s)",
        type=share,
        default=DIVERSIFY,
    ),
    "--stance": {
        "choices": ("question", "conclusion"),
        "default": "conclusion",
        "help": "stance toward the question (predicted), or toward the argument's own conclusion (from the corpus) "
        "(default: %(default)s)",
    },
    "--dimension": option(
        "NAME",
        "rank by one dimension alone, or by the blend: %(choices)s (default: all)",
        choices=(*DIMENSIONS, "all"),
    ),
    "--blend": option(
        "R,Q,C",
        "weights of relevance, quality and coherence in the blend, where baselines keep theirs; of arguments R,Q",
        type=blend,
    ),
    "--encoder": option(
        "FOLDER",
        "encoder that the model's second step reads: a folder with model.onnx and tokenizer.json; "
        f"{NO_ENCODER}: rank by the first step alone (default: {SHIPPED_ENCODER}, where the model has a second step)",
    ),
    "--plugin": repeated(plugin, "FILE", "run a Python file that adds features, rankers, tasks, ..."),
    "--rerank": option(
        "NAME",
        "order the best items of each list by a re-ranker: MODULE:FUNCTION or FILE.py:FUNCTION, of (question, "
        "texts) -> scores; a folder with an ONNX cross-encoder; chat:MODEL@URL",
    ),
    "--rerank-depth": number("items of a list that --rerank orders (default: 100)", low=1, high=1000),
    "--rerank-weight": option(
        "W", "share of the re-ranker's scores in the order, the rest is the model's (default: 1)", type=share
    ),
    "--second-step-depth": number(
        "items of a topic that the model's second step describes by an encoder and orders; 0: all (default: the "
        "model's own; in the models that ship 100 pairs, 50 arguments, 100 documents)",
        high=1_000_000,
    ),
}
"""Options that several commands share."""

RERANK_OPTIONS = ("--rerank", "--rerank-depth", "--rerank-weight")

RUN_OPTIONS = ("--task", "--plugin", "--index", "--jobs", "--quiet", "--timings")


def add_options(parser: Container, *names: str) -> None:
    """Add some of `OPTIONS`."""
    for name in names:
        parser.add_argument(name, **OPTIONS[name])


def add_training_data_options(parser: Container, *, required: bool = False) -> None:
    """``--topics``, ``--qrels``, ``--quality-qrels`` and ``--pair-qrels``: what is learned from."""
    add_file(parser, "--topics", "training topics XML", several=True, required=required)
    add_options(parser, "--qrels", "--quality-qrels", "--pair-qrels")


def add_ranker_options(parser: Container, *, trees: int | None = None, columns: int | None = COLUMNS) -> None:
    """``--trees`` and ``--columns``: the size of the rankers."""
    size = "trees of a ranker" + ("" if trees else f" (default: {TREES})")
    add_number(parser, "--trees", size, trees, 1, 5000)
    add_number(parser, "--columns", "feature columns that each ranker keeps; 0 keeps all", columns)


def add_judgment_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of judgments: the files and how to read them."""
    add_file(parser, "--qrels", "judgments: topic 0 id grade; files merge", several=True)
    dimensions = parser.add_mutually_exclusive_group()
    add_options(dimensions, "--pair-qrels")
    arguments = "judgments of arguments in one dimension, in place of --pair-qrels"
    dimensions.add_argument("--argument-qrels", **repeated(dimension_file, "DIMENSION=FILE", arguments))
    level = "what is judged (default: pairs where the ids of the qrels hold a comma, else arguments)"
    parser.add_argument("--level", choices=("pair", "argument"), help=level)
    strict = "a pair matches a judged pair only with its sentences in the same order"
    parser.add_argument("--strict-order", action="store_true", help=strict)
    add_number(parser, "-k", "depth of the measures", 5, 1, 100_000)
    add_options(parser, "--seed")


def add_cluster_options(parser: argparse.ArgumentParser) -> None:
    """``--scheduler`` and ``--workers``."""
    where = parser.add_mutually_exclusive_group()
    text = "index and describe on the Dask cluster of this scheduler, tcp://host:port"
    where.add_argument("--scheduler", metavar="ADDRESS", help=text)
    text = "index and describe on a Dask cluster of N processes on this machine"
    add_number(where, "--workers", text, low=1, high=1024)


def chosen_workers(options: argparse.Namespace) -> AbstractContextManager[Workers]:
    """Processes of this machine, or a Dask cluster. Raises InputError."""
    if options.scheduler is None and options.workers is None:
        return nullcontext(Workers(options.jobs))
    from ltr.cluster import Cluster

    return Cluster(options.scheduler, options.workers)


def open_progress(options: argparse.Namespace) -> Progress:
    """The progress of a command: by ``--quiet``, with the seconds since its parser was made."""
    return Progress(quiet=options.quiet, since=options.started)


def finish(options: argparse.Namespace, progress: Progress) -> int:
    """The exit code of a command that has done its work; ``--timings`` prints the seconds."""
    if options.timings:
        progress.print_report()
    return 0


def chosen_weights(
    dimension: str | None, weights: dict[str, float] | None, usual: Mapping[str, float]
) -> dict[str, float] | None:
    """Weights by ``--dimension``, where baselines have none, or by ``--blend``; None for those of the model.

    ``usual`` are the task's own. Raises InputError when both are given, or when the weight of a dimension is missing.
    """
    dimensions = [name for name in usual if name in DIMENSIONS]
    if weights and len(weights) < len(dimensions):
        given = ",".join(f"{weight:g}" for weight in weights.values())
        what = f"argument --blend: {given!r} is not three weights {','.join(dimensions)}"
        raise InputError("usage", what, "see --help")
    if dimension in (None, "all"):
        return weights
    if weights:
        raise InputError("usage", f"--dimension {dimension} is one, --blend is of three", "leave one of them out")
    return {name: float(name == dimension) for name in (*DIMENSIONS, *usual)}
