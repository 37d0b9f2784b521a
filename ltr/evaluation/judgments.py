"""The judgments that a command is given, each set of them under a name, and runs measured by all of them."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ltr.cli.options import add_dimension_files, add_file, add_number, add_pair_qrels_option, add_seed_option
from ltr.errors import InputError

if TYPE_CHECKING:  # numpy is slow to import, and --help should not wait for it
    from ltr.data.qrels import Qrels
    from ltr.data.runs import RunRow
    from ltr.evaluation.evaluator import Evaluation, Level

QRELS = "qrels"  # the name of what --qrels gives
MEAN = "mean"  # of the dimensions


@dataclass(frozen=True)
class JudgmentSet:
    """Judgments of pairs or of arguments."""

    level: Level
    qrels: Qrels


def add_judgment_options(parser: ArgumentParser) -> None:
    """What runs are measured with: the files of judgments and how to read them."""
    arguments = "judgments of arguments in one dimension, in place of --pair-qrels; may repeat in the same way"
    level = "what is judged (default: pairs where the ids of the qrels hold a comma, else arguments)"
    strict = "a pair matches a judged pair only with its sentences in the same order"
    qrels: dict[str, Any] = {"action": "append", "default": []}
    add_file(parser, "--qrels", "judgments: topic 0 id grade; repeat to merge files", **qrels)
    dimensions = parser.add_mutually_exclusive_group()
    add_pair_qrels_option(dimensions)
    add_dimension_files(dimensions, "--argument-qrels", arguments)
    parser.add_argument("--level", choices=("pair", "argument"), help=level)
    parser.add_argument("--strict-order", action="store_true", help=strict)
    add_number(parser, "-k", "depth of the measures", 5, 1, 100_000)
    add_seed_option(parser)


def read_judgments(options: Namespace) -> dict[str, JudgmentSet]:
    """The sets of judgments: `QRELS`, then every dimension that has a file of its own. Raises InputError."""
    from ltr.data.qrels import read_pair_qrels, read_qrels

    found: dict[str, JudgmentSet] = {}
    if options.qrels:
        qrels = read_qrels(*options.qrels)
        found[QRELS] = JudgmentSet(qrels.level, qrels)
    pairs, arguments = read_pair_qrels(options.pair_qrels), _read_argument_qrels(options.argument_qrels)
    found |= {dimension: JudgmentSet("pair", qrels) for dimension, qrels in pairs.items()}
    found |= {dimension: JudgmentSet("argument", qrels) for dimension, qrels in arguments.items()}
    if not found:
        hint = "add --qrels FILE, --pair-qrels DIMENSION=FILE or --argument-qrels DIMENSION=FILE"
        raise InputError("usage", "no judgments are named", hint)
    judged = next(iter(found.values())).level
    if options.level not in (None, judged):
        raise InputError("--level", f"{options.level} does not fit qrels that judge {judged}s", f"try {judged}")
    return found


def _read_argument_qrels(entries: Iterable[tuple[str, Path]]) -> dict[str, Qrels]:
    from ltr.data.qrels import read_qrels

    files: dict[str, list[Path]] = {}
    for dimension, path in entries:
        if read_qrels(path).level == "pair":
            raise InputError(path, "judges pairs, not arguments", f"name it by --pair-qrels {dimension}=FILE")
        files.setdefault(dimension, []).append(path)
    return {dimension: read_qrels(*paths) for dimension, paths in files.items()}


def check_match(path: Path, rows: Sequence[RunRow], judgments: Mapping[str, JudgmentSet]) -> None:
    """Refuse comparisons that could only come out as zeros."""
    ranks_pairs = any("," in row.pair for row in rows)
    topics = {row.topic for row in rows}
    for name, one in judgments.items():
        if one.level == "pair" and not ranks_pairs:
            raise InputError(path, "ranks no pairs, and the qrels judge pairs", "name qrels of arguments")
        if topics.isdisjoint(one.qrels):
            what = "the qrels" if name == QRELS else f"the qrels of {name}"
            raise InputError(path, f"has no topic in common with {what}", "name the qrels of its topics")


def evaluate_all(
    rows: Sequence[RunRow],
    judgments: Mapping[str, JudgmentSet],
    options: Namespace,
    measures: Sequence[Any] = (),
    random: bool = False,
) -> dict[str, Evaluation]:
    """A run's figures by every set of judgments, and their `MEAN` over the dimensions where there are several.

    With ``random`` the figures are those of random orders of the run's candidates, see `random_orders`.
    """
    from ltr.evaluation.evaluator import evaluate_orders, mean_evaluation
    from ltr.evaluation.rankings import random_orders, rankings, run_order

    orders = random_orders(rankings(rows), options.seed) if random else [run_order(rows)]
    how: dict[str, Any] = {"strict_order": options.strict_order, "k": options.k, "measures": measures}
    found = {name: evaluate_orders(orders, one.qrels, level=one.level, **how) for name, one in judgments.items()}
    dimensions = [one for name, one in found.items() if name != QRELS]
    if len(dimensions) > 1:
        found[MEAN] = mean_evaluation(dimensions)
    return found


def path_text(path: str | Path) -> str:
    """A path as text: a file name may hold bytes that are none."""
    return os.fsencode(path).decode("utf-8", "replace")
