"""``python -m experiments.lab.paraphrases -i DIR``: do the sides of results survive other words?

Each group of questions (``paraphrases.tsv``: group, sign, question) asks one thing (1) or its opposite (-1) in other
words. A result that several of them show should have the same side, turned by the sign. Exits with 1 below the bar.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from experiments.lab.program import add_path, parser_of
from experiments.lab.read_sides import SIGNS
from experiments.published import read_table
from ltr.answers.answer import Answer
from ltr.cli.process import run_command
from ltr.escapes import say
from ltr.searcher import Searcher

GROUPS = Path(__file__).with_name("paraphrases.tsv")
AGREE, NAMED = 0.98, 0.85
"""Least share of sides that are those of most wordings, and of results that have a side, which may be likely."""


class Agreement(NamedTuple):
    """Counts over the answers to the wordings of one question."""

    sides: int
    """Sides of arguments that at least two wordings show with a side."""
    same: int
    """Sides that most of an argument's wordings have; of two that differ, one."""
    results: int
    named: int
    """Results that have a side, a likely one included."""
    silent: list[str]
    """Wordings whose results have no side at all."""


def main(argv: list[str] | None = None) -> int:
    """Ask all questions and print what agrees. Raises InputError for bad input."""
    parser = parser_of(__file__, "Do the sides of results survive other words?")
    add_path(parser, "-i", "--input", help="corpus", required=True)
    add_path(parser, "--index", help="folder of the index")
    parser.add_argument("--first", type=int, metavar="N", help="number of groups to ask (default: all)")
    options = parser.parse_args(argv)
    groups: dict[str, list[tuple[str, int]]] = {}
    for group, sign, question in read_table(GROUPS, "group sign question"):
        groups.setdefault(group, []).append((question, int(sign)))
    found = []
    with Searcher(options.input, index=options.index) as searcher:
        for name, wordings in [*groups.items()][: options.first]:
            found.append(one := agreement((sign, searcher.search(question)) for question, sign in wordings))
            if one.same < one.sides:
                say(f"{name}: {one.same} of {one.sides} sides agree")
            for question in one.silent:
                say(f"without a side: {question}")
    sides, same, results, named = (sum(column) for column in zip(*(one[:4] for one in found), strict=True))
    silent, whole = sum(len(one.silent) for one in found), sum(one.same == one.sides for one in found) / len(found)
    agree, share = same / max(sides, 1), named / max(results, 1)
    say(f"{len(found)} groups; all sides agree in {whole:.3f} of them, and {agree:.3f} of all sides (bar: {AGREE})")
    say(f"results with a side, or a likely one: {share:.3f} (bar: {NAMED}); questions without any: {silent} (bar: 0)")
    return int(agree < AGREE or share < NAMED or silent > 0)


def agreement(answers: Iterable[tuple[int, Answer]]) -> Agreement:
    """Compare the answers to wordings of one question, each with its sign; weak results count if nothing else is shown.

    A question without results is silent, too.
    """
    sides: dict[str, list[int]] = defaultdict(list)
    silent, results, named = [], 0, 0
    for sign, answer in answers:
        shown = [result for result in answer.results if not result.weak] or answer.results
        found = [(one.sentences[0].argument, sign * SIGNS[one.stance]) for one in shown if one.stance in SIGNS]
        for argument, side in dict(found).items():
            sides[argument].append(side)
        results, named = results + len(shown), named + len(found)
        silent += [] if found else [answer.question]
    several = [signs for signs in sides.values() if len(signs) > 1]
    same = sum(max(signs.count(1), signs.count(-1)) for signs in several)
    return Agreement(sum(map(len, several)), same, results, named, silent)


if __name__ == "__main__":
    run_command(main)
