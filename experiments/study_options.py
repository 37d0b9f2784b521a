"""Options that the studies share. Imports nothing heavy, so that ``--help`` is instant."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ltr.cli.options import add_index_options, add_pair_qrels_option, add_run_options, whole_number
from ltr.errors import InputError

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from models.lambdamart import Parameters


def add_study_options(
    parser: ArgumentParser, *, seeds: int = 1, trees: int = 200, columns: int = 33, averaged: int = 2
) -> None:
    """What is read, how topics are held out, and how large the rankers are."""
    p = parser
    p.add_argument("-i", "--input", required=True, metavar="DIR", help="corpus, as for ltr.predict")
    p.add_argument("--topics", type=Path, action="append", required=True, metavar="FILE", help="topics XML; may repeat")
    p.add_argument(
        "--qrels",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="judgments of arguments (distant supervision); may repeat",
    )
    p.add_argument(
        "--quality-qrels",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="judgments of the quality of arguments; may repeat",
    )
    add_pair_qrels_option(p)
    p.add_argument("--folds", type=whole_number(2, 100), default=5, metavar="N", help="(default: %(default)s)")
    p.add_argument(
        "--seeds",
        type=whole_number(1, 50),
        default=seeds,
        metavar="N",
        help="draws of the folds, and seeds of the rankers, that figures average over (default: %(default)s)",
    )
    add_ranker_options(p, trees=trees, columns=columns, averaged=averaged)
    add_index_options(p)
    add_run_options(p)


def add_ranker_options(parser: ArgumentParser, *, trees: int = 200, columns: int = 33, averaged: int = 2) -> None:
    """How large the rankers are; the defaults are those of ltr.train."""
    p = parser
    p.add_argument(
        "--trees", type=whole_number(1, 5000), default=trees, metavar="N", help="of a ranker (default: %(default)s)"
    )
    p.add_argument(
        "--columns",
        type=whole_number(0),
        default=columns,
        metavar="N",
        help="feature columns that a ranker keeps; 0 keeps all (default: %(default)s)",
    )
    p.add_argument(
        "--averaged",
        type=whole_number(1, 100),
        default=averaged,
        metavar="N",
        help="models of each objective that a ranker averages (default: %(default)s)",
    )


def check_graded(options: Namespace) -> None:
    """Raise InputError when no pair is graded: nothing else says how good a list of pairs is."""
    if not options.pair_qrels:
        raise InputError("usage", "figures of pairs need graded pairs", "add --pair-qrels DIMENSION=FILE")


def judged_files(options: Namespace) -> list[Path]:
    """Topics and judgments, in the order of the command line."""
    pairs = [path for _, path in options.pair_qrels]
    return [*options.topics, *options.qrels, *options.quality_qrels, *pairs]


def chosen_parameters(options: Namespace, seed: int = 0, objective: str = "both") -> Parameters:
    """The rankers' parameters under the ``seed`` of a draw."""
    from models.lambdamart import Parameters

    # Each draw has models of its own: those of another draw would be the same trees once more.
    first = seed * options.averaged
    return Parameters(
        objective=objective, trees=options.trees, columns=options.columns, seeds=options.averaged, seed=first
    )
