"""``python -m ltr.search QUESTION``: the best pairs of sentences for a question, pro and con side by side."""

from __future__ import annotations

import json
import shutil
import sys
import time
from argparse import RawDescriptionHelpFormatter
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ltr.cli.options import Parser, add_blend_options, add_index_options, add_run_options, chosen_weights, whole_number
from ltr.cli.process import run_command
from ltr.errors import InputError

if TYPE_CHECKING:
    from argparse import Namespace

    from ltr.corpora.base import Corpus
    from ltr.data.runs import RunRow
    from ltr.index.reader import Index
    from ltr.pipeline.matrix import Matrix
    from ltr.progress import Progress
    from ltr.retrieval.base import CandidateConfig
    from models.base import Ranker

EPILOG = """\
The pairs and their ranks are those of ltr.predict for the same title. Every
argument is shown once, in its best pair, so that n pairs are n different
points; --all shows every pair, and arguments come again. Pairs with an argument
that shares no word with the question stay out. PRO and CON are the sides that
arguments take of their own conclusions, which stand in the source lines. Pairs
without a stance are shown below where they are among the best 2n.

JSON, ranks ascending:
  question, corpus, model   what was asked, and of whom
  expected_relevance        of the five best pairs, 0 to 2; null when the model
                            cannot tell: it learned from no graded pairs
  results                   a list, an entry a pair:
    rank                    place in the whole list, from 1
    stance                  PRO, CON, or Q0 where the two are mixed or unknown
    score                   orders the pairs of one question and no others
    sentences               the two of the pair:
      id, text              as in the corpus
      role                  premise or conclusion
      place, of             2, 7: the second of the argument's seven premises
      argument              id of the argument that it is from
      conclusion            of that argument; empty when it has none
      stance                PRO, CON, or null when unknown

examples:
  python -m ltr.search "Should cities ban cars from their centres?"
  python -m ltr.search "Should teachers get tenure?" -i path/to/touche22 -n 3
  python -m ltr.search "Should zoos be closed?" --json - | jq .results[0].sentences[].text
"""

NUMBER = "1"
"""A question is the only topic of its matrix."""


@dataclass(frozen=True)
class Sentence:
    """A sentence and where it comes from."""

    id: str
    text: str
    role: str
    """premise or conclusion"""
    place: int
    """From 1, among the argument's sentences of that role."""
    of: int
    argument: str
    conclusion: str
    stance: str | None


@dataclass(frozen=True)
class Result:
    """A pair, with its rank and score in the whole list."""

    rank: int
    stance: str
    score: float
    sentences: tuple[Sentence, Sentence]


@dataclass(frozen=True)
class Answer:
    """What a search found."""

    results: list[Result]
    """Ranks ascending."""
    expected: float | None
    """Mean expected relevance of the five best pairs, in [0, 2]; None where the model cannot tell."""


def parser() -> Parser:
    """The command's options."""
    p = Parser(
        prog="python -m ltr.search",
        description="Answer a question with the best pairs of sentences for and against.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    p.add_argument("question", metavar="QUESTION", help="free text, in quotes")
    p.add_argument("-i", "--input", metavar="DIR", help="corpus, as for ltr.predict (default: the sample)")
    p.add_argument("-m", "--model", metavar="MODEL", help="as for ltr.predict (default: the model that ships)")
    p.add_argument(
        "-n",
        dest="count",
        type=whole_number(1, 1000),
        default=5,
        metavar="N",
        help="pairs a side, at most (default: %(default)s)",
    )
    p.add_argument("--all", action="store_true", help="show every pair, not one an argument")
    p.add_argument("--json", metavar="FILE", help="write the results as JSON too; - prints it in place of the text")
    add_blend_options(p)
    add_index_options(p)
    add_run_options(p)
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the command. Raises InputError for anything that the user can mend."""
    start = time.perf_counter()
    options = parser().parse_args(argv)
    file = Path(options.json) if options.json not in (None, "-") else None
    if file and (file.is_dir() or not file.parent.is_dir()):
        raise InputError("--json", f"no file can be written as {str(file)!r}", "name a file in a directory that exists")

    from features.core.text import Analyzer
    from ltr.cli.terminal import show, wants_colour
    from ltr.corpora.base import open_corpus
    from ltr.data.files import atomic_text, refuse_to_overwrite
    from ltr.index.reader import index_place, open_index
    from ltr.pipeline.confidence import note_of_question
    from ltr.predict import find_ranker
    from ltr.progress import Progress
    from ltr.tasks import find_task
    from ltr.train import SAMPLE
    from ltr.training.bundle import PRETRAINED

    progress = Progress(quiet=options.quiet)
    progress.seconds["start"] = time.perf_counter() - start
    # The shell hands bytes that are no text on as halves of surrogates, which can be neither searched nor printed.
    question = " ".join(options.question.encode("utf-8", "replace").decode("utf-8").split())
    weights = chosen_weights(options.dimension, options.blend)
    corpus = open_corpus(options.input or str(SAMPLE))
    if file:
        refuse_to_overwrite(file, files_read(corpus, options.model))
    with progress.stage("model"):
        ranker, config, analysis = find_ranker(find_task("pairs"), options.model, options.jobs, progress, weights)
    if not Analyzer(stem=analysis["stem"], stop=analysis["stop"]).distinct(question):
        raise InputError("question", "there is no word to search for in it", "say what it is about")
    place = index_place(corpus, options.index, progress, [file])
    index = open_index(corpus, place, progress, **analysis)
    found = search(index, ranker, config, question, options.count, every=options.all, progress=progress)
    if not found.results:
        raise InputError(
            corpus.name, "no pair of sentences shares a word with the question", "ask in other words, or another corpus"
        )
    document = {
        "question": question,
        "corpus": corpus.name,
        "model": options.model or str(PRETRAINED),
        "expected_relevance": found.expected,
        "results": [asdict(result) for result in found.results],
    }
    text = json.dumps(document, indent=2, allow_nan=False) + "\n"
    if file:
        with atomic_text(file) as out:
            out.write(text)
    if options.json != "-":
        width = shutil.get_terminal_size().columns
        note = None if found.expected is None else note_of_question(found.expected)
        text = show(question, searched(options, index), found.results, width, colour=wants_colour(), note=note)
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "replace").decode(encoding))
    if options.timings:
        progress.print_report()
    return 0


def files_read(corpus: Corpus, model: str | None) -> list[Path]:
    """The files of a corpus with its topics, and of a model: what no output may replace."""
    from ltr.corpora.base import FileCorpus
    from ltr.training.bundle import PRETRAINED

    files = [corpus.path, corpus.path.parent / "topics.xml"] if isinstance(corpus, FileCorpus) else []
    return [*files, *(PRETRAINED if model is None else Path(model)).glob("*")]


def searched(options: Namespace, index: Index) -> str:
    """Which corpus answers, and which model."""
    size = f"{index.arguments:,} arguments"
    corpus = f"{options.input} ({size})" if options.input else f"the sample ({size}; -i names another corpus)"
    model = options.model or "the model that ships"
    if options.dimension not in (None, "all"):
        model += f", by {options.dimension} alone"
    elif options.blend:
        model += ", blended " + ", ".join(f"{weight:g} {name}" for name, weight in options.blend.items())
    return f"Searched: {corpus}. Ranked by: {model}."


def search(
    index: Index,
    ranker: Ranker,
    config: CandidateConfig,
    question: str,
    count: int,
    *,
    every: bool = False,
    progress: Progress,
) -> Answer:
    """The best ``count`` pairs of each stance by rank, none when nothing matches; see `best` for ``every``."""
    from ltr.data.topics import Topic
    from ltr.pipeline.confidence import expected_relevance, score_with_relevance
    from ltr.pipeline.extract import describe_topic
    from ltr.pipeline.matrix import Matrix
    from ltr.pipeline.rerank import final_list
    from ltr.retrieval.base import PAIR_LIMIT
    from ltr.tasks import find_task

    with progress.stage("candidates and features"):
        task = find_task("pairs")
        matrix = Matrix([describe_topic(task, index, Topic(NUMBER, question), config, ranker.columns)])
    if not len(matrix):
        return Answer([], None)
    with progress.stage("rank"):
        scores, relevance = score_with_relevance(ranker, matrix)
        rows = final_list(matrix, NUMBER, scores, depth=PAIR_LIMIT, tag="search", min_units=task.min_units)
        expected = expected_relevance(matrix, rows, relevance).get(NUMBER)
    with progress.stage("choose"):
        arguments = index.argument_rows([argument for row in rows for argument in arguments_of(row)])
        terms = set(index.analyzer.distinct(question))

        @cache
        def matches(argument: str) -> bool:
            sentences = map(index.text, index.sentence_rows(arguments[argument]))
            return any(not terms.isdisjoint(index.analyzer.terms(text)) for text in sentences)

        chosen = best(without_copies(matrix, rows), count, matches, every=every)
        return Answer([result_of(index, row, arguments) for row in chosen], expected)


def without_copies(matrix: Matrix, rows: Sequence[RunRow]) -> list[RunRow]:
    """``rows`` up to where `final_list` fills up a short run with near-duplicates, which no reader wants."""
    clusters = dict(zip(matrix.ids, map(frozenset, matrix.keys.tolist()), strict=True))
    seen: set[frozenset[int]] = set()
    for place, row in enumerate(rows):
        pair = clusters[row.pair]
        if len(pair) == 1 or pair in seen:
            return list(rows[:place])
        seen.add(pair)
    return list(rows)


def best(rows: Sequence[RunRow], count: int, matches: Callable[[str], bool], *, every: bool = False) -> list[RunRow]:
    """The first ``count`` rows of each stance whose arguments match; of each argument one row, unless ``every``.

    A row of stance Q0 stays only when it is among the first ``2 * count``, as many as PRO and CON have room for.
    """
    chosen: list[RunRow] = []
    shown: set[str] = set()
    room = Counter({"PRO": count, "CON": count, "Q0": count})
    place = 0
    for row in rows:
        arguments = arguments_of(row)
        if (not every and not shown.isdisjoint(arguments)) or not all(map(matches, arguments)):
            continue
        place += 1
        shown |= arguments
        if room[row.stance] and (row.stance != "Q0" or place <= 2 * count):
            room[row.stance] -= 1
            chosen.append(row)
    return chosen


def arguments_of(row: RunRow) -> set[str]:
    """Ids of the one or two arguments of a pair."""
    from ltr.data.ids import argument_of

    return set(map(argument_of, row.pair.split(",")))


def result_of(index: Index, row: RunRow, arguments: dict[str, int]) -> Result:
    """A row of the run with its texts. ``arguments`` gives the index rows of argument ids."""
    first, second = (sentence_of(index, id_, arguments) for id_ in row.pair.split(","))
    return Result(row.rank, row.stance, row.score, (first, second))


def sentence_of(index: Index, id_: str, arguments: dict[str, int]) -> Sentence:
    """The sentence of that id, from the index."""
    from ltr.data.ids import argument_of, is_conclusion

    argument = argument_of(id_)
    number = arguments[argument]
    ids = {index.sentence_id(row): row for row in index.sentence_rows(number)}
    same = [other for other in ids if is_conclusion(other) == is_conclusion(id_)]
    conclusion = int(index.column("conclusion_row")[number])
    return Sentence(
        id=id_,
        text=index.text(ids[id_]),
        role="conclusion" if is_conclusion(id_) else "premise",
        place=same.index(id_) + 1,
        of=len(same),
        argument=argument,
        conclusion=index.text(conclusion) if conclusion >= 0 else "",
        stance=index.stance(number) or None,
    )


if __name__ == "__main__":
    run_command(main)
