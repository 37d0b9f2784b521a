"""The options of ``python -m experiments.pool``."""

from __future__ import annotations

from pathlib import Path

from ltr.cli.options import Parser, add_file, add_number, add_pair_qrels_option, add_seed_option


def parser() -> Parser:
    """The command's options."""
    p = Parser(
        prog="python -m experiments.pool",
        description="Write the pairs of runs that nobody graded as files to grade, and turn grades into qrels.",
        file=__file__,
    )
    p.add_argument("-o", "--output", required=True, type=Path, metavar="DIR", help="where the files go")
    add_pair_qrels_option(p)
    out = p.add_argument_group("out to the graders")
    out.add_argument("-i", "--input", metavar="DIR", help="corpus of the runs")
    add_file(out, "--run", "run of pairs", several=True)
    add_file(out, "--topics", "topics XML (default: topics.xml in the input directory)", several=True)
    add_number(out, "--depth", "pairs of the top of a run", 5, 1)
    add_number(out, "--deeper", "pairs a topic from anywhere below, drawn at random", 0)
    add_number(out, "--anchors", "pairs a topic that were graded before, mixed in", 2)
    add_seed_option(out)
    allow = "a topic of yours that has a number from 1 to 50; may repeat"
    out.add_argument("--allow-topics", action="append", default=[], metavar="NUMBER", help=allow)
    back = p.add_argument_group("back from the graders")
    add_file(back, "--grades", "lines `number r q c`, each 0, 1 or 2, a file a pass or a part of one", several=True)
    add_file(back, "--key", "the pool's key.tsv")
    add_file(back, "--json", "write agreement and drift there too")
    return p
