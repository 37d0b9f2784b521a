"""Options that the studies share. Imports nothing heavy, so that ``--help`` is instant."""

from __future__ import annotations

from argparse import ArgumentParser

from ltr.cli.options import RUN_OPTIONS, add_number, add_options, add_ranker_options, add_training_data_options
from models.defaults import NO_ENCODER, SHIPPED_ENCODER


def add_study_options(
    parser: ArgumentParser, *, seeds: int = 1, trees: int = 200, columns: int = 33, averaged: int = 2
) -> None:
    """The data, how the work is done, how topics are held out, and how large rankers are: as in riposte train."""
    parser.add_argument("-i", "--input", required=True, metavar="DIR", help="corpus, as for riposte predict")
    add_training_data_options(parser, required=True)
    add_options(parser, *RUN_OPTIONS)
    add_number(parser, "--folds", "parts of the cross-validation", 5, 2, 100)
    draws = "draws of the folds, and seeds of the rankers, that figures average over"
    add_number(parser, "--seeds", draws, seeds, 1, 50)
    encoder = "add a second step with this encoder; an ablation studies the best candidates alone: a folder with "
    encoder += f"model.onnx and tokenizer.json, or {SHIPPED_ENCODER!r} (default: one step)"
    parser.add_argument("--encoder", metavar="FOLDER", default=NO_ENCODER, help=encoder)
    add_ranker_options(parser, trees=trees, columns=columns)
    parser.set_defaults(votes=(), json=None)  # of studies without these options
    add_number(parser, "--averaged", "models of each objective that a ranker averages", averaged, 1, 100)
