"""The judgments that a command is given, each set of them under a name, and runs measured by all of them."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ltr.cli.options import add_pair_qrels_option, whole_number
from ltr.errors import InputError

if TYPE_CHECKING:  # numpy is slow to import, and --help should not wait for it
    from ltr.data.formats import Qrels, RunRow
    from ltr.evaluation.measures import Evaluation, Level

QRELS = "qrels"  # the name of what --qrels gives
MEAN = "mean"  # of the dimensions


@dataclass(frozen=True)
class Judgments:
    """Judgments of pairs or of arguments."""

    level: Level
    qrels: Qrels


def add_judgment_options(parser: ArgumentParser) -> None:
    """What runs are measured with: ``--qrels``, ``--pair-qrels`` and how to read them."""
    add = parser.add_argument
    qrels = "judgments: topic 0 id grade; repeat to merge files"
    level = "what --qrels judges (default: pair when its ids hold a comma, else argument)"
    strict = "a pair matches a judged pair only with its sentences in the same order"
    add("--qrels", type=Path, action="append", default=[], metavar="FILE", help=qrels)
    add_pair_qrels_option(parser)
    add("--level", choices=("pair", "argument"), help=level)
    add("--strict-order", action="store_true", help=strict)
    add("-k", type=whole_number(1, 100_000), default=5, metavar="N", help="depth of the measures (default: 5)")
    seed = "seed of everything random (default: 0)"
    add("--seed", type=whole_number(0), default=0, metavar="N", help=seed)


def read_judgments(options: Namespace) -> dict[str, Judgments]:
    """The sets of judgments: `QRELS`, then every dimension of ``--pair-qrels``. Raises InputError."""
    from ltr.data.formats import read_all_qrels, read_pair_qrels

    if not options.qrels and not options.pair_qrels:
        mend = "add --qrels FILE or --pair-qrels DIMENSION=FILE"
        raise InputError("usage", "no judgments are named", mend)
    if options.level == "argument" and not options.qrels:
        raise InputError("--level", "argument does not fit --pair-qrels", "add --qrels FILE or leave it out")
    found: dict[str, Judgments] = {}
    if options.qrels:
        qrels = read_all_qrels(options.qrels)
        judged = guess_level(qrels)
        if options.level not in (None, judged):
            raise InputError("--level", f"{options.level} does not fit qrels that judge {judged}s", f"try {judged}")
        found[QRELS] = Judgments(judged, qrels)
    pairs = read_pair_qrels(options.pair_qrels)
    return found | {dimension: Judgments("pair", qrels) for dimension, qrels in pairs.items()}


def guess_level(qrels: Qrels) -> Level:
    """What the qrels judge, from their ids."""
    return "pair" if any("," in id_ for grades in qrels.values() for id_ in grades) else "argument"


def check_match(path: Path, rows: Sequence[RunRow], judgments: Mapping[str, Judgments]) -> None:
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
    judgments: Mapping[str, Judgments],
    options: Namespace,
    measures: Sequence[Any] = (),
    random: bool = False,
) -> dict[str, Evaluation]:
    """A run's figures by every set of judgments, and their `MEAN` over the dimensions where there are several.

    With ``random`` the figures are those of random orders of the run's candidates, see `random_orders`.
    """
    from ltr.evaluation.measures import evaluate_orders, mean_evaluation, random_orders, rankings

    orders = [rankings(rows)]
    if random:
        orders = random_orders(orders[0], options.seed)
    how: dict[str, Any] = {"strict_order": options.strict_order, "k": options.k, "measures": measures}
    found = {name: evaluate_orders(orders, one.qrels, level=one.level, **how) for name, one in judgments.items()}
    dimensions = [one for name, one in found.items() if name != QRELS]
    if len(dimensions) > 1:
        found[MEAN] = mean_evaluation(dimensions)
    return found


def path_text(path: Path) -> str:
    """A path as text: a file name may hold bytes that are none."""
    return os.fsencode(path).decode("utf-8", "replace")
