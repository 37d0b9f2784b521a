"""Options that the studies share. Imports nothing heavy, so that ``--help`` is instant."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ltr.cli.options import (
    add_index_options,
    add_ranker_options,
    add_run_options,
    add_training_data_options,
    whole_number,
)
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
    add_training_data_options(p, required=True)
    add_folds_option(p)
    draws = "draws of the folds, and seeds of the rankers, that figures average over (default: %(default)s)"
    p.add_argument("--seeds", type=whole_number(1, 50), default=seeds, metavar="N", help=draws)
    add_size_options(p, trees=trees, columns=columns, averaged=averaged)
    add_index_options(p)
    add_run_options(p)


def add_folds_option(parser: ArgumentParser) -> None:
    """``--folds``."""
    help_ = "parts of the cross-validation (default: %(default)s)"
    parser.add_argument("--folds", type=whole_number(2, 100), default=5, metavar="N", help=help_)


def add_size_options(parser: ArgumentParser, *, trees: int = 200, columns: int = 33, averaged: int = 2) -> None:
    """How large the rankers are; the defaults are those of ltr.train."""
    add_ranker_options(parser, trees=trees, columns=columns)
    help_ = "models of each objective that a ranker averages (default: %(default)s)"
    parser.add_argument("--averaged", type=whole_number(1, 100), default=averaged, metavar="N", help=help_)


def add_json_option(parser: ArgumentParser) -> None:
    """``--json``; `experiments.study.finish` writes it."""
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")


def check_options(options: Namespace) -> None:
    """Raise InputError without graded pairs: nothing else says how good a list of pairs is. Nor is a folder JSON."""
    if not options.pair_qrels:
        raise InputError("usage", "figures of pairs need graded pairs", "add --pair-qrels DIMENSION=FILE")
    if (place := getattr(options, "json", None)) and place.is_dir():
        raise InputError(place, "this is a directory", "name the file to write")


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


def sizes(options: Namespace) -> dict[str, int]:
    """How large a study is, for its JSON."""
    names = ("trees", "columns", "averaged")
    return {"folds": options.folds, "draws": options.seeds, **{name: getattr(options, name) for name in names}}
