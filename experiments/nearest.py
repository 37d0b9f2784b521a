"""``python -m experiments.nearest TOPICS OTHER ...``: show how near topics are to other topics.

A question that tests a model should not be near to one that trained it, nor the reverse.
"""

from __future__ import annotations

from pathlib import Path

from features.core.text import Analyzer
from ltr.cli.options import Parser, add_number
from ltr.cli.process import run_command
from ltr.data.topics import read_topics
from ltr.encoders.base import open_encoder
from ltr.escapes import say
from ltr.training.data import merge_topics, shared_part


def main(argv: list[str] | None = None) -> int:
    """Print the nearest topics. Raises InputError for anything that the user can correct."""
    text = "Show each topic's nearest other topic by the shipped encoder's cosine of their titles, nearest first, and "
    p = Parser("python -m experiments.nearest", text + "the part of the stems of the two titles that both have.")
    p.add_argument("topics", type=Path, metavar="TOPICS", help="topics XML")
    p.add_argument("others", type=Path, nargs="+", metavar="OTHER", help="topics XML to look for near topics in")
    add_number(p, "--first", "topics to show", 10, 1)
    options = p.parse_args(argv)
    topics, others = read_topics(options.topics), merge_topics(options.others)
    encode, terms = open_encoder().encode, Analyzer().terms
    cosines = encode([topic.title for topic in topics]) @ encode([other.title for other in others]).T
    lines = ["cosine  stems  topic, and the nearest other topic"]
    for row in (-cosines.max(axis=1)).argsort(kind="stable")[: options.first]:
        topic, other = topics[row], others[cosines[row].argmax()]
        stems = shared_part(set(terms(topic.title)), set(terms(other.title)))
        lines.append(f"{cosines[row].max():6.3f}  {stems:5.2f}  {topic.number} {topic.title}")
        lines.append(" " * 15 + f"{other.number} {other.title}")
    say(*lines)
    return 0


if __name__ == "__main__":
    run_command(main)
