"""``riposte check DIR``: say what a corpus holds, what commands would do with it, and its first problem."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ltr.cli.parser import Command, open_progress
from ltr.data.ids import LISTED, page_of, parts_of
from ltr.errors import InputError
from ltr.escapes import say
from ltr.settings import setting, shared
from ltr.settings.kinds import CorpusName

if TYPE_CHECKING:
    from ltr.corpora.argument import Argument
    from ltr.corpora.base import Corpus
    from ltr.data.qrels import Qrels
    from ltr.data.topics import Topic


@dataclass(frozen=True, kw_only=True)
class CheckSettings(shared.Output):
    """Say what a corpus holds, with its topics and judgments, what each command would do with it, and its first
    problem. Nothing is built or written."""

    input: str = setting(CorpusName(), "corpus, as for riposte predict", positional=True, default=...)
    topics: Path | None = shared.TOPICS
    plugin: tuple[Path, ...] = shared.PLUGIN


def check(options: CheckSettings) -> int:
    """Print what is known. Raises InputError for the first problem, after that."""
    from ltr.corpora.source import find_topics, open_corpus, topics_beside
    from ltr.data.editions import edition_notes
    from ltr.data.qrels import read_qrels

    refuse_model(Path(options.input))
    corpus = open_corpus(options.input)
    say(f"corpus: {corpus.name}: {corpus.format}")
    problems: list[InputError] = []
    judgments: dict[Path, Qrels] = {}
    topics: list[Topic] = []
    for path in judgment_files(corpus):
        try:
            judgments[path] = read_qrels(path)
        except InputError as error:
            problems.append(error)
    ids = {
        part
        for qrels in judgments.values()
        for topic, judged in qrels.items()
        for id_ in judged
        for part in (*parts_of(id_), f"{topic}{LISTED}{id_}")
    }
    counts, pages, found, first = Counter[str](), set[str](), set[str](), ""
    with open_progress(options).stage("read", unit=corpus.holds) as tick:
        try:
            for argument in corpus:
                counts.update({"items": 1, **{name: fact(argument) for name, fact in FACTS.items()}})
                pages |= {page_of(argument.id)} - {argument.id}
                first = first or argument.id
                found |= ids.intersection((argument.id, *(one.id for one in argument.sentences)))
                tick()
        except InputError as error:  # the counts are of what comes before
            problems.insert(0, error)
    say(*count_lines(corpus, counts, len(pages)))
    try:
        topics = find_topics(corpus, options.topics)
    except InputError as error:
        if options.topics or "there are no topics" not in str(error):
            problems.append(error)
    say(f"topics: {len(topics)}" if topics else "topics: none")
    for path, qrels in judgments.items():
        say(judged_line(path, qrels, found, topics, corpus.holds))
    files = [*judgments, *filter(None, [options.topics or topics_beside(corpus)]), *getattr(corpus, "paths", ())]
    for note in edition_notes(files, {corpus.name: first}):
        say(f"edition: {note}")
    if not problems:
        say("commands", *commands(options.input, corpus, topics, judgments))
        return 0
    raise problems[0]


def refuse_model(path: Path) -> None:
    """Raise InputError for a folder with a model in it."""
    try:
        manifest = json.loads((path / "manifest.json").read_text("utf-8"))
        task = manifest["task"] if "rankers" in manifest else None
    except (OSError, ValueError, LookupError, TypeError):
        return
    if task:
        raise InputError(path, f"this is a model for --task {task}, not a corpus", "name it with -m")


def judgment_files(corpus: Corpus) -> list[Path]:
    """The files beside a corpus that are called like judgments."""
    from ltr.corpora.base import FileCorpus

    if not isinstance(corpus, FileCorpus):
        return []
    folder = corpus.path.parent
    files = sorted(path for path in folder.iterdir() if path.is_file() and path not in corpus.paths)
    named = [path for path in files if path.suffix == ".qrels" or (path.suffix == ".txt" and "qrels" in path.stem)]
    tables = sorted((folder / "qrels").glob("*.tsv"))  # as BEIR has them
    return [*(path for path in named if "stance" not in path.stem), *tables]  # stances are words, not grades


FACTS: Mapping[str, Callable[[Argument], int]] = {
    "sentences": lambda one: len(one.sentences),
    "with a conclusion": lambda one: bool(one.conclusion.strip()),
    "with a title": lambda one: bool(one.title),
    "for their conclusion (PRO)": lambda one: one.stance == "PRO",
    "against (CON)": lambda one: one.stance == "CON",
    "without a sentence": lambda one: not one.sentences,
}
"""What is counted of an argument, or a document."""


def count_lines(corpus: Corpus, counts: Counter[str], pages: int) -> list[str]:
    """The counts of the corpus, a line each; documents are not for or against, nor of a page."""
    rows = {corpus.holds: counts["items"], "sentences": counts["sentences"]}
    if corpus.holds == "arguments":
        named = f"debates ({'ids up to their' if pages else 'ids have no'} -A)"
        rows |= {name: counts[name] for name in [*FACTS][1:-1]} | {named: pages}
    rows |= {name: counts[name] for name in [*FACTS][-1:] if counts[name]}
    return [*(f"  {name:<36}{count:>12,}" for name, count in rows.items()), *(f"  {note}" for note in corpus.notes())]


def judged_line(path: Path, qrels: Qrels, found: Container[str], topics: list[Topic], holds: str) -> str:
    """How much a file of judgments judges, and how much of that is there."""
    judged = [(parts_of(id_), f"{topic}{LISTED}{id_}") for topic, grades in qrels.items() for id_ in grades]
    there = sum(listed in found or all(part in found for part in parts) for parts, listed in judged)
    known = len(qrels.keys() & {topic.number for topic in topics})
    what = f"{len(judged):,} {'pairs' if qrels.level == 'pair' else holds}, {there:,} of them in the corpus"
    return f"judgments: {path}: {what}; {known} of their {len(qrels)} topics are above"


def commands(name: str, corpus: Corpus, topics: list[Topic], judgments: dict[Path, Qrels]) -> list[str]:
    """The effect of each command on a sound corpus."""
    from features.core.feature import KINDS
    from ltr.ranking.task import find_task, task_names

    lines, where = [], f"-i {shlex.quote(name)}"
    for task in map(find_task, task_names()):
        option = "" if task.name == "pairs" else f" --task {task.name}"
        try:
            task.check_corpus(corpus)
        except InputError as error:
            lines.append(f"  --task {task.name}: not for this corpus: {str(error).removeprefix(f'{corpus.name}: ')}")
            continue
        lines.append(f"  riposte search{option} {where} QUESTION: finds {task.kind}s")
        need = f"ranks {task.kind}s for {len(topics)} topics" if topics else "needs --topics FILE"
        lines.append(f"  riposte predict{option} {where} -o OUT: {need}")
        known = {topic.number for topic in topics}
        files = sum(
            KINDS[task.kind].level in (qrels.level, "pair") and not known.isdisjoint(qrels)
            for qrels in judgments.values()
        )
        learn = f"could learn from {files} of the files of judgments" if files else "learns from votes alone"
        if not files and judgments:
            learn = "could learn from the judgments with a file of their topics"
        lines.append(f"  riposte train{option} {where} --topics FILE -m MODEL: {learn}")
    return lines


main = Command("check", CheckSettings, check)
