"""``riposte search QUESTION``: find the best pairs of sentences for a question, for and against."""

from __future__ import annotations

import json
import shutil
import sys
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ltr.cli.parser import Command, finish, open_progress
from ltr.errors import InputError
from ltr.escapes import clean
from ltr.settings import setting, shared
from ltr.settings.kinds import CLAIM, COUNT, File, Switch, Text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ltr.answers.answer import Answer
    from ltr.searcher import Searcher

OF_CONCLUSION = (
    "PRO and CON: an argument's side of its own conclusion, which the source line names, not of the question."
)
"""Meaning of the sides toward a conclusion."""


@dataclass(frozen=True, kw_only=True)
class SearchSettings(shared.Ranking, shared.Reranking, shared.Work, shared.Timed):
    """Answer a question with the best pairs of sentences, or arguments, for and against."""

    question: str | None = setting(Text(), "free text, in quotes (default: ask for questions)", positional=True)
    input: str | None = shared.SAMPLE
    model: str | None = shared.MODEL
    reader: str | None = shared.READER
    count: int = setting(COUNT, "pairs a side, at most", "-n", default=5)
    all: bool = setting(Switch(), "show every pair, not one an argument", default=False)
    weak: bool = setting(Switch(), "show results of little expected relevance too", default=False)
    agree: tuple[str, ...] = setting(CLAIM, "a conclusion that answers yes", several=True)
    oppose: tuple[str, ...] = setting(CLAIM, "a conclusion that answers no", several=True)
    sides: Path | None = setting(
        File(),
        "sides that you gave texts (topic 0 id side), as the page saves them: for the question in other words, too",
    )
    as_typed: bool = setting(Switch(), "correct no misspelt words", default=False)
    details: bool = setting(Switch(), "show ids of sentences, ranks in a run and expected grades", default=False)
    json: str | None = replace(shared.JSON, help="write the results as JSON; - prints it in place of the text")
    stance: str = replace(shared.STANCE, default="question")


def search(options: SearchSettings) -> int:
    """Answer the question, or those on standard input. Raises InputError for anything that the user can correct."""
    file = Path(options.json) if options.json not in (None, "-") else None
    if file and options.question is None:
        raise InputError("--json", "one question is written to it", "name the question, or --json - for a line each")
    if file and (file.is_dir() or not file.parent.is_dir()):
        raise InputError("--json", f"no file can be written as {str(file)!r}", "name a file in a directory that exists")

    from ltr.answers.select import Selection
    from ltr.commands._searcher import open_searcher

    progress = open_progress(options)
    searcher = open_searcher(options, progress)
    if file:
        searcher.refuse_output(file)
    moved = given_sides(options.sides, searcher) if options.sides else []
    selection = Selection(options.count, options.all, options.stance == "question", moved=moved)
    head = [searched(options, searcher)]

    said: dict[str, dict[str, int]] = {}

    def reply(question: str) -> None:
        known = said.setdefault(question, dict.fromkeys(options.agree, 1) | dict.fromkeys(options.oppose, -1))
        this = replace(selection, known=known)
        answer = searcher.search(question, selection=this, spelling=not options.as_typed)
        if not answer.results:
            what = f"no {searcher.task.kind} shares a word with the question"
            hint = answer.note or "ask in other words, or another corpus"
            raise InputError(searcher.corpus.name, what, hint)
        write(answer, searcher, options, head)
        head.clear()  # once a session
        if answer.ask and options.question is None and sys.stdin.isatty() and (sign := ask(answer.ask)):
            known[answer.ask] = sign
            reply(question)

    if options.question is not None:
        reply(options.question)
    else:
        reply_to_all(reply, as_json=options.json == "-")
    return finish(options, progress)


def given_sides(path: Path, searcher: Searcher) -> list[tuple[str, str, str]]:
    """The sides of arguments in a file, as in `Selection`, each with the question of its topic. Raises InputError.

    A topic that the corpus does not have is named by the words of its question, as the page names it.
    """
    from ltr.data.ids import argument_of, parts_of
    from ltr.data.qrels import read_stances

    titles, index = dict[str, str](), searcher.index
    with suppress(InputError):
        titles = {topic.number: topic.title for topic in searcher.topics()}
    rows = [(id_, side, topic) for topic, of in read_stances(path).items() for id_, side in of.items()]
    parts = [(argument_of(part), side, topic) for id_, side, topic in rows for part in parts_of(id_)]
    if unknown := sorted({id_ for id_, *_ in parts if id_ not in index.row_of}):
        what = f"{len(unknown)} of its ids are not in the corpus, the first of them {unknown[0][:80]!r}"
        raise InputError(path, what, "name the corpus that was searched, or leave these lines out")
    return [(id_, side, titles.get(topic, topic.replace("-", " "))) for id_, side, topic in parts]


def write(answer: Answer, searcher: Searcher, options: SearchSettings, head: Sequence[str]) -> None:
    """Print an answer for people, or as JSON where that is asked for; ``head`` has what was searched."""
    from features.core.sides import FOR_AND_AGAINST
    from ltr.answers.understand import NUMBER
    from ltr.cli.terminal import Look, show, wants_colour
    from ltr.data.topics import Topic
    from ltr.files import write_all

    document = answer.document(searcher.corpus.name, searcher.description)
    text = json.dumps(document, indent=2 if options.question else None, allow_nan=False) + "\n"
    if options.json not in (None, "-"):
        write_all({Path(options.json): text})
    if options.json != "-":
        notes = [f"{note[0].upper()}{note[1:]}." for note in searcher.task.notes([Topic(NUMBER, answer.question)])]
        named = answer.toward == "conclusion" and any(result.stance in FOR_AND_AGAINST for result in answer.results)
        meaning = OF_CONCLUSION if named else ""
        look = Look(shutil.get_terminal_size().columns, wants_colour(), options.weak, options.details)
        text = show(document, [*head, meaning, *notes], look)
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "replace").decode(encoding))


def ask(conclusion: str) -> int:
    """1 where a person says that the conclusion answers yes, -1 for the opposite, 0 for neither."""
    asked = f'Is saying "{clean(conclusion)}" the same as answering yes? y: yes, o: no, the opposite, Enter: neither '
    return {"y": 1, "o": -1}.get(input(asked).strip().lower()[:1], 0)


def reply_to_all(reply: Callable[[str], None], *, as_json: bool) -> None:
    """Reply to questions from standard input, a line each, until it ends; a person is asked for them.

    With ``as_json`` an error is an object on a line in its place.
    """
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
            reply(question)
        except InputError as error:  # of this question; the next may be better
            if as_json:
                print(json.dumps({"question": question, "error": error.what, "remedy": error.hint}))
            else:
                print(f"error: {error}", file=sys.stderr)
        sys.stdout.flush()


def searched(options: SearchSettings, searcher: Searcher) -> str:
    """Which corpus was searched, and by which model."""
    items = searcher.task.reads
    size = f"{searcher.index.arguments:,} {items}"
    corpus = f"{options.input} ({size})" if options.input else f"the sample ({size}; -i names another corpus)"
    ranker, training = searcher.description, f" ({searcher.model.training})"
    return f"Searched: {corpus}. Ranked by: {ranker if options.details else ranker.replace(training, '', 1)}."


main = Command("search", SearchSettings, search, __file__)
