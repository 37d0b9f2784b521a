"""``python -m experiments.votes``: compare label models on votes whose truth is known.

With a folder of real graders (one qrels file each, and `people.qrels` with the truth) they combine those. Without one,
graders are simulated from graded pairs that ship: they err, copy, are lazy, or know a part only. Trusted grades are
drawn repeatedly; what is measured are units without a trusted grade.
"""

from __future__ import annotations

from pathlib import Path

from experiments.figures import json_text, text_table, write_all
from experiments.votes.graders import SLOW, TRUTH, read_graders, usable_models
from experiments.votes.real import real_study
from experiments.votes.simulated import simulated_study
from ltr.cli.options import Parser, add_file, add_number, add_options
from ltr.data.files import writable_place
from ltr.escapes import say
from ltr.progress import Progress


def parser() -> Parser:
    """The command's options."""
    p = Parser(
        prog="python -m experiments.votes",
        description="Compare label models on votes whose truth is known: of real graders, or simulated ones.",
    )
    folder = f"folder with a qrels file for each grader, and {TRUTH}.qrels (default: simulated graders)"
    p.add_argument("folder", nargs="?", type=Path, metavar="DIR", help=folder)
    add_number(p, "--trusted", "trusted grades in a draw", 200, 20, 100_000)
    add_number(p, "--draws", "draws of trusted grades, or of simulated graders", 100, 2, 10_000)
    add_file(p, "--json", "write the figures there too")
    add_options(p, "--quiet")
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the study. Raises InputError for anything that the user can correct."""
    options = parser().parse_args(argv)
    if options.json:
        writable_place(options.json, "figures")
    progress = Progress(quiet=options.quiet)
    if not set(SLOW) & set(usable_models()):
        progress.warn(f"without {' and '.join(SLOW)}: they need crowd-kit (pip install 'riposte-ltr[crowd]')")
    if options.folder:
        results = real_study(read_graders(options.folder), options.trusted, options.draws, progress)
    else:
        results = simulated_study(options.trusted, options.draws, progress)
    if options.json:
        write_all({options.json: json_text(results)})
    say(*"\n\n".join(f"{board['what']}\n{text_table(board['rows'])}" for board in results).split("\n"))
    return 0
