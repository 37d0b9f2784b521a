"""``python -m experiments.scale.synthetic --arguments N -o DIR``: a corpus of any size in the task's exact format.

For measuring: lengths, vocabulary, duplicates and page texts have the statistics of the real corpus, words have no
meaning. Streams: nothing but a window of earlier arguments (for copies) and the pool of judged ones is held. The
same seed gives the same bytes.
"""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ltr.cli.options import Parser, whole_number
from ltr.cli.process import run_command
from ltr.data.ids import sentence_id
from ltr.errors import InputError

if TYPE_CHECKING:
    import numpy as np

    from experiments.scale.synthetic_text import Theme
    from ltr.data.qrels import Qrels
    from ltr.progress import Progress

TABLE = "args_processed_synthetic.csv"
COLUMNS = ("id", "conclusion", "premises", "context", "sentences")
WHOLE = 365_408
BLOCK = 500
"""Arguments that share a random stream: a corpus of another size begins alike."""
COPIES, NEAR = 0.10, 0.05
WINDOW = 2_000
"""Copies are of one of the latest so many arguments."""
JUDGED = 60
"""Judged arguments a topic."""
PORTALS = ("debate.org", "debatewise.org", "idebate.org", "debatepedia.org")


@dataclass(frozen=True)
class SyntheticArgument:
    """An argument before it is written."""

    theme: int
    url: str
    title: str
    conclusion: str
    stance: str
    premises: list[str]
    focus: float
    """How much of it is about its theme; judgments follow it."""


@dataclass
class JudgedPool:
    """Judged arguments: for each training topic those on it, and as many that are not."""

    topics: dict[int, str]
    """Theme -> topic."""
    grades: Qrels = field(default_factory=dict)

    def judge(self, argument: SyntheticArgument, identifier: str, draw: float) -> None:
        """Judge it, if its theme or chance wants so."""
        topic = self.topics.get(argument.theme)
        if topic is None and draw < 0.01:
            topic, grade = list(self.topics.values())[int(draw * 1e6) % len(self.topics)], int(draw * 1e8) % 3 - 2
            grade = min(grade, 0)
        else:
            grade = 1 + (argument.focus > 0.45) + (argument.focus > 0.75)
        if topic is not None and len(self.grades.setdefault(topic, {})) < JUDGED:
            self.grades[topic][identifier] = grade


def parser() -> Parser:
    """The command's options."""
    p = Parser(
        prog="python -m experiments.scale.synthetic", description="Make a corpus of any size in the task's format."
    )
    add = p.add_argument
    add("--arguments", type=whole_number(1), default=WHOLE, metavar="N", help="(default: %(default)s, as args.me)")
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="a new or empty directory")
    add("--topics", type=whole_number(1, 500), default=50, metavar="N", help="topics of each of two sets")
    add("--page", type=whole_number(0, 10**6), default=6_000, metavar="N", help="mean characters of a page's text")
    add("--seed", type=whole_number(0), default=0, metavar="N", help="(default: %(default)s)")
    add("--quiet", action="store_true", help="no progress, only results and errors")
    return p


def main(argv: list[str] | None = None) -> int:
    """Make the corpus. Raises InputError for anything that the user can mend."""
    options = parser().parse_args(argv)

    from ltr.data.files import atomic_folder, writable_folder
    from ltr.data.qrels import write_qrels
    from ltr.data.topics import Topic, write_topics
    from ltr.progress import Progress

    if options.output.exists() and (not options.output.is_dir() or any(options.output.iterdir())):
        raise InputError(options.output, "this is not empty", "name a new or empty directory")
    writable_folder(options.output.absolute().parent, "place of the corpus")
    # A theme for about 120 arguments, and one at least for each topic of the two sets.
    themes = max(options.arguments // 120, 2 * options.topics)
    # Odd themes train, even ones are answered: no topic is in both.
    answered, trained = (
        {2 * place + side: str(number) for place, number in enumerate(range(first, first + options.topics))}
        for side, first in ((0, 1), (1, options.topics + 1))
    )
    pool = JudgedPool(trained)
    progress = Progress(quiet=options.quiet)
    with atomic_folder(options.output) as part:
        size, written = write_table(part / TABLE, options.arguments, themes, options.page, options.seed, pool, progress)
        from experiments.scale.synthetic_text import theme

        for name, numbers in (("topics.xml", answered), ("topics-train.xml", trained)):
            write_topics(part / name, [Topic(n, theme(options.seed, t).title, "", "") for t, n in numbers.items()])
        write_qrels(part / "qrels-train-relevance.qrels", pool.grades)
    judged = sum(map(len, pool.grades.values()))
    parts = f"{options.arguments:,} arguments, {written:,} sentences, {size / 1e6:,.0f} MB, {judged:,} judgments"
    print(f"{options.output}: {parts}")
    return 0


def write_table(
    path: Path, arguments: int, themes: int, page: int, seed: int, pool: JudgedPool, progress: Progress
) -> tuple[int, int]:
    """Write the CSV; its bytes, and its sentences."""
    from ltr.corpora.argsme import argument_id

    seen: set[str] = set()
    sentences = 0
    with (
        path.open("w", encoding="utf-8", newline="") as out,
        progress.stage("corpus", unit="arguments", total=arguments) as tick,
    ):
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(COLUMNS)
        for argument, text, draw in draw_arguments(arguments, themes, page, seed):
            body = " ".join(argument.premises)
            identifier = argument_id(argument.url, body, argument.conclusion)
            while identifier in seen:  # a copy on the same page
                argument.premises.append("Again.")
                body = " ".join(argument.premises)
                identifier = argument_id(argument.url, body, argument.conclusion)
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


def draw_arguments(arguments: int, themes: int, page: int, seed: int) -> Iterator[tuple[SyntheticArgument, str, float]]:
    """Arguments with the text of their page and a number in [0, 1) drawn for each."""
    import numpy as np

    window: deque[SyntheticArgument] = deque(maxlen=WINDOW)
    for block in range(0, arguments, BLOCK):
        rng = np.random.default_rng([seed, 0, block])
        for _ in range(min(BLOCK, arguments - block)):
            argument = draw_argument(rng, themes, seed, window)
            text = page_text(rng, argument, page, seed)
            yield argument, text, float(rng.random())
            window.append(argument)


def draw_argument(
    rng: np.random.Generator, themes: int, seed: int, window: deque[SyntheticArgument]
) -> SyntheticArgument:
    """A new argument, or the copy of a late one on another page."""
    from experiments.scale.synthetic_text import argument_lengths, sentences, theme, word

    chance = float(rng.random())
    # Debates are of very different sizes: few themes have most of the arguments.
    number = int(themes * float(rng.random()) ** 1.6)
    about = theme(seed, number)
    page = int(12 * float(rng.random()) ** 2)
    url = f"https://www.{PORTALS[page % len(PORTALS)]}/debates/{number}/{word(about.words[page])}-{page}"
    title = f"{about.title[:-1]} ({page})" if page else about.title
    stance = "PRO" if rng.random() < 0.5 else "CON"
    if chance < COPIES + NEAR and window:
        source = window[int(rng.integers(len(window)))]
        premises = list(source.premises)
        if chance >= COPIES:
            premises = [near_copy(rng, sentence) for sentence in premises]
        return SyntheticArgument(source.theme, url, title, source.conclusion, source.stance, premises, source.focus)
    focus = float(rng.beta(1.2, 1.2))
    conclusion = conclusion_of(rng, about, page)
    count = int(argument_lengths(rng, 1)[0])
    return SyntheticArgument(number, url, title, conclusion, stance, sentences(rng, about, count, 2 * focus), focus)


def conclusion_of(rng: np.random.Generator, about: Theme, page: int) -> str:
    """Shared by most arguments of a page; now and then of one word, which the processed corpus leaves out."""
    from experiments.scale.synthetic_text import sentences, word

    chance = float(rng.random())
    if chance < 0.04:
        return word(about.words[0]).capitalize()
    if chance < 0.75:
        return f"{about.title[7:-1].capitalize()} in {word(about.words[3 + page])}"
    return sentences(rng, about, 1, 2.0)[0].rstrip(".?!")


def near_copy(rng: np.random.Generator, sentence: str) -> str:
    """The sentence with a word dropped, in other letters, or as it is."""
    words = sentence.split(" ")
    chance = rng.random()
    if chance < 0.3 and len(words) > 4:
        del words[int(rng.integers(len(words)))]
    elif chance < 0.4:
        words = [word.upper() for word in words]
    return " ".join(words) or sentence


def page_text(rng: np.random.Generator, argument: SyntheticArgument, mean: int, seed: int) -> str:
    """The page around the argument: its own text, and others' arguments until the page is full."""
    from experiments.scale.synthetic_text import sentences, theme

    body = "\n".join(argument.premises)
    wanted = int(rng.lognormal(0, 0.8) * mean / 1.38) - len(body)  # 1.38 is the mean of that distribution
    if wanted <= 0:
        return body
    filler = " ".join(sentences(rng, theme(seed, argument.theme), 12, 1.0))
    return body + "\n\n" + (filler + " ") * (wanted // len(filler)) + filler[: wanted % len(filler)]


if __name__ == "__main__":
    run_command(main)
