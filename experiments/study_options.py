"""Options that the studies share, and their values. Imports nothing heavy, so that ``--help`` is instant."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from ltr.cli.options import (
    RUN_OPTIONS,
    add_file,
    add_number,
    add_options,
    add_ranker_options,
    add_training_data_options,
)
from models.defaults import NO_ENCODER, SHIPPED_ENCODER


@dataclass(frozen=True, kw_only=True)
class StudySettings:
    """Files that a study reads, how topics are held out, and how large rankers are."""

    task: str
    input: str
    """The corpus."""
    index: Path | None
    topics: Sequence[Path]
    qrels: Sequence[Path]
    quality_qrels: Sequence[Path]
    pair_qrels: Sequence[tuple[str, Path]]
    """Dimensions with their files."""
    jobs: int
    votes: Sequence[tuple[str, str, Path]] = ()
    """Names and dimensions with their files."""
    folds: int = 5
    seeds: int = 1
    """Draws of the folds."""
    trees: int = 200
    columns: int = 33
    averaged: int = 2
    encoder: str = NO_ENCODER
    """The encoder of a second step, or none."""

    def size(self) -> dict[str, int | str]:
        """Task and size of a study, for its JSON."""
        names = ("task", "folds", "trees", "columns", "averaged")
        return {name: getattr(self, name) for name in names} | {"draws": self.seeds}


def study_settings(options: Mapping[str, Any]) -> StudySettings:
    """The settings among parsed options."""
    names = {field.name for field in fields(StudySettings)} & options.keys()
    return StudySettings(**{name: options[name] for name in names})


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
    add_number(parser, "--averaged", "models of each objective that a ranker averages", averaged, 1, 100)


def add_report_options(parser: ArgumentParser) -> None:
    """``--json`` and ``--html``: the files of a study's report."""
    add_file(parser, "--json", "write the figures there too")
    add_file(parser, "--html", "write charts and tables there, as a page of its own")


def report_files(options: Mapping[str, Any]) -> dict[str, Path | None]:
    """Rendering -> the file for it, of these options."""
    return {name: options[name] for name in ("json", "html")}
