"""``python -m ltr.search QUESTION``: the best pairs of sentences for a question, pro and con side by side."""

from __future__ import annotations

import json
import shutil
import sys
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ltr.cli.options import (
    Parser,
    add_blend_options,
    add_number,
    add_run_options,
    add_stance_option,
    chosen_weights,
)
from ltr.errors import InputError

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable

    from features.core.text import Analyzer
    from ltr.index.reader import Index
    from ltr.pipeline.search import Answer
    from ltr.pipeline.task import Task


def parser() -> Parser:
    """The command's options."""
    p = Parser(
        prog="python -m ltr.search",
        description="Answer a question with the best pairs of sentences, or arguments, for and against.",
        file=__file__,
    )
    p.add_argument("question", metavar="QUESTION", nargs="?", help="free text, in quotes (default: ask for questions)")
    p.add_argument("-i", "--input", metavar="DIR", help="corpus, as for ltr.predict (default: the sample)")
    p.add_argument("-m", "--model", metavar="MODEL", help="as for ltr.predict (default: the model that ships)")
    add_number(p, "-n", "pairs a side, at most", 5, 1, 1000, dest="count")
    p.add_argument("--all", action="store_true", help="show every pair, not one an argument")
    p.add_argument("--json", metavar="FILE", help="write the results as JSON too; - prints it in place of the text")
    add_stance_option(p, "question")
    add_blend_options(p)
    add_run_options(p)
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the command. Raises InputError for anything that the user can correct."""
    start = time.perf_counter()
    options = parser().parse_args(argv)
    file = Path(options.json) if options.json not in (None, "-") else None
    if options.json and options.question is None:
        raise InputError("--json", "one question is written to it", 'name the question: python -m ltr.search "..."')
    if file and (file.is_dir() or not file.parent.is_dir()):
        raise InputError("--json", f"no file can be written as {str(file)!r}", "name a file in a directory that exists")

    from features.core.text import Analyzer
    from ltr.corpora.source import files_of, open_corpus
    from ltr.data.files import refuse_to_overwrite
    from ltr.index.cache import index_place, open_index
    from ltr.parallel import Workers
    from ltr.pipeline.search import search
    from ltr.progress import Progress
    from ltr.sample import SAMPLES
    from ltr.tasks import find_task
    from ltr.training.model_choice import files_of_model, find_ranker

    task, progress = find_task(options.task), Progress(quiet=options.quiet, since=start)
    weights = chosen_weights(options.dimension, options.blend, task.dimensions)
    corpus = open_corpus(options.input or str(SAMPLES[task.name].folder))
    if file:
        refuse_to_overwrite(file, [*files_of(corpus), *files_of_model(task, options.model)])
    with progress.stage("model"):
        ranker, config, analysis = find_ranker(task, options.model, options.jobs, progress, weights)
    analyzer = Analyzer(stem=analysis["stem"], stop=analysis["stop"])
    if options.question is not None:
        checked(options.question, analyzer)  # before an index is built
    place = index_place(corpus, options.index, [file])
    index = open_index(corpus, place, progress, Workers(options.jobs), **analysis)

    def answer(question: str) -> None:
        question = checked(question, analyzer)
        how = {"every": options.all, "toward_question": options.stance == "question"}
        found = search(task, index, ranker, config, question, options.count, **how, progress=progress)
        if not found.results:
            what = f"no {task.unit} shares a word with the question"
            raise InputError(corpus.name, what, "ask in other words, or another corpus")
        write(document_of(question, found, task, corpus.name, options), options, task, index, file)

    if options.question is not None:
        answer(options.question)
    else:
        answer_all(answer)
    if options.timings:
        progress.print_report()
    return 0


def checked(question: str, analyzer: Analyzer) -> str:
    """The question as it can be searched for and printed: the shell hands bytes that are no text on as well."""
    from ltr.data.topics import LONGEST_TITLE

    question = " ".join(question.encode("utf-8", "replace").decode("utf-8").split())
    if len(question) > LONGEST_TITLE:
        raise InputError("question", f"has {len(question):,} characters", f"ask in at most {LONGEST_TITLE:,}")
    if not analyzer.distinct(question):
        raise InputError("question", "there is no word to search for in it", "say what it is about")
    return question


def document_of(question: str, found: Answer, task: Task, corpus: str, options: Namespace) -> dict[str, Any]:
    """An answer as JSON has it."""
    from ltr.data.topics import Topic
    from ltr.pipeline.search import NUMBER
    from ltr.pipeline.sides import TOWARD_QUESTION, has_stances
    from ltr.training.model_choice import told

    headings = task.headings(Topic(NUMBER, question))
    sides = options.stance if has_stances(task) else None
    if sides == "question":
        headings = TOWARD_QUESTION
    return {
        "question": question,
        "corpus": corpus,
        "model": told(task, options.model),
        "expected_relevance": found.expected,
        **({"sides": sides} if sides else {}),
        **({"headings": headings} if headings else {}),
        "results": [asdict(result) for result in found.results],
    }


def write(document: dict[str, Any], options: Namespace, task: Task, index: Index, file: Path | None) -> None:
    """Print an answer for people, or as JSON where that is asked for."""
    from ltr.cli.terminal import show, wants_colour
    from ltr.data.files import atomic_text
    from ltr.data.topics import Topic
    from ltr.pipeline.confidence import note_of_question
    from ltr.pipeline.search import NUMBER

    text = json.dumps(document, indent=2, allow_nan=False) + "\n"
    if file:
        with atomic_text(file) as out:
            out.write(text)
    if options.json != "-":
        width, expected = shutil.get_terminal_size().columns, document["expected_relevance"]
        notes = [f"{note[0].upper()}{note[1:]}." for note in task.notes([Topic(NUMBER, document["question"])])]
        notes += filter(None, [None if expected is None else note_of_question(expected)])
        head = searched(options, index, task)
        text = show(document, head, width, colour=wants_colour(), note="\n".join(notes) or None)
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "replace").decode(encoding))


def answer_all(answer: Callable[[str], None]) -> None:
    """Answer questions from standard input, a line each, until it ends; a person is asked for them."""
    asked = sys.stdin.isatty()
    if asked:
        with suppress(ImportError):
            import readline  # noqa: F401 (arrow keys and history)
        print("A question a line; an empty line or Ctrl-D ends.", file=sys.stderr)
    while True:
        try:
            question = input("> " if asked else "")
        except EOFError:
            break
        if asked and not question.strip():
            break
        try:
            answer(question)
        except InputError as error:  # of this question; the next may be better
            print(f"error: {error}", file=sys.stderr)
        sys.stdout.flush()


def searched(options: Namespace, index: Index, task: Task) -> str:
    """Which corpus answers, and which model."""
    from ltr.training.model_choice import told

    size = f"{index.arguments:,} {'arguments' if task.unit == 'pair' else f'{task.unit}s'}"
    corpus = f"{options.input} ({size})" if options.input else f"the sample ({size}; -i names another corpus)"
    model = told(task, options.model)
    if options.dimension not in (None, "all"):
        model += f", by {options.dimension} alone"
    elif options.blend:
        model += ", blended " + ", ".join(f"{weight:g} {name}" for name, weight in options.blend.items())
    return f"Searched: {corpus}. Ranked by: {model}."
