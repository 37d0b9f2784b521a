"""``python -m experiments.scale.synthetic --arguments N -o DIR``: a corpus of any size in the task's exact format.

For measuring: lengths, vocabulary, duplicates and page texts have the statistics of the real corpus, words have no
meaning. Streams: nothing but a window of earlier arguments (for copies) and the pool of judged ones is held. The
same seed gives the same bytes.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from features.core.statistics import text_hash
from ltr.cli.options import Parser, add_number, add_seed_option
from ltr.cli.process import run_command
from ltr.data.ids import sentence_id
from ltr.errors import InputError

if TYPE_CHECKING:
    from experiments.scale.synthetic_text import SyntheticArgument
    from ltr.progress import Progress

TABLE = "args_processed_synthetic.csv"
FILES = {"pairs": TABLE, "comparative": "passages.jsonl"}
"""Task -> what the corpus is called in its folder."""
COLUMNS = ("id", "conclusion", "premises", "context", "sentences")
WHOLE = 365_408
LONGEST = 250
"""Words of a passage: longer texts are cut into several, at the end of a sentence."""
JUDGED = 60
"""Judged arguments a topic."""


@dataclass
class JudgedPool:
    """Judged arguments: for each training topic those on it, and as many that are not."""

    topics: dict[int, str]
    """Theme -> topic."""
    grades: dict[str, dict[str, float]] = field(default_factory=dict)

    def judge(self, argument: SyntheticArgument, identifier: str, draw: float) -> None:
        """Judge it, if its theme or chance wants so."""
        topic, grade = self.topics.get(argument.theme), 1 + (argument.focus > 0.45) + (argument.focus > 0.75)
        if topic is None and draw < 0.01:
            topic, grade = list(self.topics.values())[int(draw * 1e6) % len(self.topics)], 0
        if topic is not None and len(self.grades.setdefault(topic, {})) < JUDGED:
            self.grades[topic][identifier] = grade


def parser() -> Parser:
    """The command's options."""
    p = Parser(
        prog="python -m experiments.scale.synthetic", description="Make a corpus of any size in the task's format."
    )
    add = p.add_argument
    add_number(p, "--arguments", "how many arguments, or passages; as many as args.me has", WHOLE, 1)
    add("--task", choices=tuple(FILES), default="pairs", help="comparative: passages as JSON lines (default: pairs)")
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="a new or empty directory")
    add_number(p, "--topics", "topics of each of two sets", 50, 1, 500)
    add_number(p, "--page", "mean characters of a page's text", 6_000, 0, 10**6)
    add_seed_option(p)
    add("--quiet", action="store_true", help="no progress, only results and errors")
    return p


def main(argv: list[str] | None = None) -> int:
    """Make the corpus. Raises InputError for anything that the user can correct."""
    options = parser().parse_args(argv)

    from experiments.scale.synthetic_text import theme
    from ltr.data.files import atomic_folder, writable_folder
    from ltr.data.qrels import write_qrels
    from ltr.data.topics import Topic, write_topics
    from ltr.progress import Progress

    if options.output.exists() and (not options.output.is_dir() or any(options.output.iterdir())):
        raise InputError(options.output, "this is not empty", "name a new or empty directory")
    writable_folder(options.output.absolute().parent, "place of the corpus")
    # A theme for about 120 arguments, and one at least for each topic of the two sets.
    themes = max(options.arguments // 120, 2 * options.topics)
    passages = options.task == "comparative"
    # Odd themes train, even ones are answered: no topic is in both.
    answered, trained = (
        {2 * place + side: str(number) for place, number in enumerate(range(first, first + options.topics))}
        for side, first in ((0, 1), (1, options.topics + 1))
    )
    pool = JudgedPool(trained)
    progress = Progress(quiet=options.quiet)
    with atomic_folder(options.output) as part:
        drawn = (options.arguments, themes, 0 if passages else options.page, options.seed, pool, progress)
        size, written = (write_passages if passages else write_table)(part / FILES[options.task], *drawn)
        for name, numbers in (("topics.xml", answered), ("topics-train.xml", trained)):
            about = [(number, theme(options.seed, place)) for place, number in numbers.items()]
            asked = [Topic(n, t.comparison, objects=t.objects) if passages else Topic(n, t.title) for n, t in about]
            write_topics(part / name, asked)
        write_qrels(part / "qrels-train-relevance.qrels", pool.grades)
    judged = sum(map(len, pool.grades.values()))
    unit = "passages" if passages else "arguments"
    parts = f"{options.arguments:,} {unit}, {written:,} sentences, {size / 1e6:,.0f} MB, {judged:,} judgments"
    print(f"{options.output}: {parts}")
    return 0


def write_table(
    path: Path, arguments: int, themes: int, page: int, seed: int, pool: JudgedPool, progress: Progress
) -> tuple[int, int]:
    """Write the CSV; its bytes, and its sentences."""
    from experiments.scale.synthetic_text import draw_arguments

    seen: set[str] = set()
    sentences = 0
    with (
        path.open("w", encoding="utf-8", newline="") as out,
        progress.stage("corpus", unit="arguments", total=arguments) as tick,
    ):
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(COLUMNS)
        for argument, text, draw in draw_arguments(arguments, themes, page, seed):
            identifier = ""
            while not identifier or identifier in seen:
                if identifier:  # a copy on the same page
                    argument.premises.append("Again.")
                body = " ".join(argument.premises)
                content = text_hash(f"{body}\n{argument.conclusion}")
                identifier = f"S{text_hash(argument.url) >> 32:x}-A{content >> 32:x}"
            seen.add(identifier)
            listed = [
                {"sent_id": sentence_id(identifier, number), "sent_text": sentence}
                for number, sentence in enumerate(argument.premises, 1)
            ]
            if len(argument.conclusion.split()) >= 2:  # as in the corpus, shorter ones are left out
                listed.append({"sent_id": sentence_id(identifier, -1), "sent_text": argument.conclusion})
            context = {
                "sourceId": identifier.split("-")[0],
                "sourceTitle": argument.title,
                "sourceUrl": argument.url,
                "sourceDomain": argument.url.split("/")[2],
                "sourceText": text,
                "topic": argument.title,
                "acquisitionTime": "2019-04-19T12:40:25Z",
                "mode": "discussion",
            }
            premises = [{"text": body, "stance": argument.stance, "annotations": []}]
            rows.writerow((identifier, argument.conclusion, repr(premises), repr(context), repr(listed)))
            pool.judge(argument, identifier, draw)
            sentences += len(listed)
            tick()
        size = out.tell()
    return size, sentences


def write_passages(
    path: Path, passages: int, themes: int, page: int, seed: int, pool: JudgedPool, progress: Progress
) -> tuple[int, int]:
    """Write arguments as passages, a JSON line each; the bytes of the file, and its sentences."""
    from experiments.scale.synthetic_text import draw_arguments

    cut = (
        (f"clueweb12-{number:07}___{place}", argument, own, draw)
        for number, (argument, _, draw) in enumerate(draw_arguments(passages, themes, page, seed))
        for place, own in enumerate(cut_passages(argument.premises), 1)
    )
    sentences = 0
    with (
        path.open("w", encoding="utf-8") as out,
        progress.stage("corpus", unit="passages", total=passages) as tick,
    ):
        for identifier, argument, own, draw in islice(cut, passages):
            out.write(json.dumps({"id": identifier, "contents": " ".join(own), "chatNoirUrl": argument.url}) + "\n")
            pool.judge(argument, identifier, draw)
            sentences += len(own)
            tick()
        size = out.tell()
    return size, sentences


def cut_passages(sentences: Sequence[str]) -> Iterator[list[str]]:
    """Runs of sentences of at most `LONGEST` words, or of one that is longer."""
    held: list[str] = []
    words = 0
    for sentence in sentences:
        size = len(sentence.split())
        if held and words + size > LONGEST:
            yield held
            held, words = [], 0
        held.append(sentence)
        words += size
    yield held


if __name__ == "__main__":
    run_command(main)
