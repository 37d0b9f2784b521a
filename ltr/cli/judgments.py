"""The options for judgments, which commands that measure runs share."""

from __future__ import annotations

from argparse import ArgumentParser

from ltr.cli.options import add_dimension_files, add_file, add_number, add_pair_qrels_option, add_seed_option


def add_judgment_options(parser: ArgumentParser) -> None:
    """What runs are measured with: the files of judgments and how to read them."""
    arguments = "judgments of arguments in one dimension, in place of --pair-qrels; may repeat in the same way"
    level = "what is judged (default: pairs where the ids of the qrels hold a comma, else arguments)"
    strict = "a pair matches a judged pair only with its sentences in the same order"
    add_file(parser, "--qrels", "judgments: topic 0 id grade; files merge", several=True)
    dimensions = parser.add_mutually_exclusive_group()
    add_pair_qrels_option(dimensions)
    add_dimension_files(dimensions, "--argument-qrels", arguments)
    parser.add_argument("--level", choices=("pair", "argument"), help=level)
    parser.add_argument("--strict-order", action="store_true", help=strict)
    add_number(parser, "-k", "depth of the measures", 5, 1, 100_000)
    add_seed_option(parser)
