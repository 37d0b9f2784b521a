"""Options that the studies share. Imports nothing heavy, so that ``--help`` is instant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ltr.cli.options import (
    add_file,
    add_number,
    add_ranker_options,
    add_run_options,
    add_training_data_options,
)

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from models.base import Parameters


def add_material_options(parser: ArgumentParser) -> None:
    """What `experiments.study.read_material` reads, and how the work is done."""
    parser.add_argument("-i", "--input", required=True, metavar="DIR", help="corpus, as for ltr.predict")
    add_training_data_options(parser, required=True)
    add_run_options(parser)


def add_study_options(parser: ArgumentParser, *, seeds: int = 1) -> None:
    """The material, and how topics are held out."""
    add_material_options(parser)
    add_number(parser, "--folds", "parts of the cross-validation", 5, 2, 100)
    draws = "draws of the folds, and seeds of the rankers, that figures average over"
    add_number(parser, "--seeds", draws, seeds, 1, 50)


def add_size_options(parser: ArgumentParser, *, trees: int = 200, columns: int = 33, averaged: int = 2) -> None:
    """How large the rankers are; the defaults are those of ltr.train."""
    add_ranker_options(parser, trees=trees, columns=columns)
    add_number(parser, "--averaged", "models of each objective that a ranker averages", averaged, 1, 100)


def add_json_option(parser: ArgumentParser) -> None:
    """``--json``; `experiments.study.finish` writes it."""
    add_file(parser, "--json", "write the figures there too")


def chosen_parameters(options: Namespace, seed: int = 0, objective: str = "both") -> Parameters:
    """The rankers' parameters under the ``seed`` of a draw."""
    from models.base import make_parameters

    given = {"trees": options.trees, "columns": options.columns, "seeds": options.averaged}
    # Each draw has models of its own: those of another draw would be the same trees once more.
    given["seed"] = seed * options.averaged
    known = vars(make_parameters(objective))
    return make_parameters(objective, {name: value for name, value in given.items() if name in known})


def sizes(options: Namespace) -> dict[str, int | str]:
    """What a study is of, and how large, for its JSON."""
    names = ("task", "folds", "trees", "columns", "averaged")
    return {name: getattr(options, name) for name in names} | {"draws": options.seeds}
