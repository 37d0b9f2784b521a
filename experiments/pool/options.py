"""The options of ``python -m experiments.pool``."""

from __future__ import annotations

import argparse
from pathlib import Path

from ltr.cli.options import Parser, add_pair_qrels_option, add_seed_option, whole_number

EPILOG = """\
Out: -i and --run write pairs.tsv (what a grader reads: number, topic, first and second sentence), pairs.html (the
same as a page to grade in, by keyboard) and key.tsv (number, topic, pair, anchor: not for the grader). A pair with a
grade in every dimension of --pair-qrels counts as graded.
Back: --grades and --key write pairs-<dimension>.qrels, the mean of the passes; where --pair-qrels are named, also
merged-<dimension>.qrels with the earlier grades. An anchor keeps its earlier grade; the new one only measures drift.

Topics with the numbers 1 to 50 are those of the official test topics, which must stay ungraded, and are refused. The
shipped sample has small numbers of its own, which are known by their titles; for other topics of yours with such
numbers name them with --allow-topics.

examples:
  python -m experiments.pool -i corpus --run bm25/run.txt --run mine/run.txt --pair-qrels relevance=r.qrels -o pool
  python -m experiments.pool --grades first.txt --grades second.txt --key pool/key.tsv -o new
"""


def parser() -> Parser:
    """The command's options."""
    p = Parser(
        prog="python -m experiments.pool",
        description="Write the pairs of runs that nobody graded as files to grade, and turn grades into qrels.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.add_argument("-o", "--output", required=True, type=Path, metavar="DIR", help="where the files go")
    add_pair_qrels_option(p)
    out = p.add_argument_group("out to the graders")
    out.add_argument("-i", "--input", metavar="DIR", help="corpus of the runs")
    out.add_argument("--run", action="append", default=[], type=Path, metavar="FILE", help="run of pairs; may repeat")
    out.add_argument(
        "--topics",
        action="append",
        default=[],
        type=Path,
        metavar="FILE",
        help="topics XML; may repeat (default: topics.xml in the input directory)",
    )
    out.add_argument(
        "--depth", type=whole_number(1), default=5, metavar="N", help="pairs of the top of a run (default: %(default)s)"
    )
    out.add_argument(
        "--deeper",
        type=whole_number(0),
        default=0,
        metavar="N",
        help="pairs a topic from anywhere below, drawn at random (default: %(default)s)",
    )
    out.add_argument(
        "--anchors",
        type=whole_number(0),
        default=2,
        metavar="N",
        help="pairs a topic that were graded before, mixed in (default: %(default)s)",
    )
    out.add_argument(
        "--again",
        type=whole_number(0),
        default=0,
        metavar="N",
        help="pairs a topic for a second reading, in another order: again.tsv and again.html (default: %(default)s)",
    )
    add_seed_option(out)
    out.add_argument(
        "--allow-topics",
        action="append",
        default=[],
        metavar="NUMBER",
        help="a topic of yours that has a number from 1 to 50; may repeat",
    )
    back = p.add_argument_group("back from the graders")
    back.add_argument(
        "--grades",
        action="append",
        default=[],
        type=Path,
        metavar="FILE",
        help="lines `number r q c`, each 0, 1 or 2; may repeat, a file a pass or a part of one",
    )
    back.add_argument("--key", type=Path, metavar="FILE", help="the pool's key.tsv")
    back.add_argument("--json", type=Path, metavar="FILE", help="write agreement and drift there too")
    return p
