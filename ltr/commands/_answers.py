"""``riposte collect answers``: a language model answers the topics."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from ltr.cli.endpoint import add_endpoint_options, endpoint_options
from ltr.cli.options import Parser, add_file, add_number, add_options
from ltr.data.files import atomic_text, refuse_to_overwrite, writable_place
from ltr.data.topics import LONGEST_ANSWER, Topic, read_topics
from ltr.errors import InputError
from ltr.escapes import clean, say
from ltr.progress import Progress
from ltr.remote.answers import AnswerError
from ltr.remote.chat import Chat, ChatOptions, Failure, Prompt, Reply, open_chat

INCOMPLETE = 1
"""Exit code where topics have no answer."""
PROMPT_VERSION = 1
"""Raise it when the wording changes."""
_PROMPT = """Answer the question in about {words} words, in whole sentences and without a list. Say what speaks for \
your answer.

Question: {title}"""


def parser() -> Parser:
    """The command's options."""
    description = (
        "Let a language model answer every topic: JSON lines for --answers of riposte predict and riposte train."
    )
    p = Parser(prog="riposte collect answers", description=description)
    add_file(p, "--topics", "topics XML", required=True)
    p.add_argument("-o", "--output", required=True, type=Path, metavar="FILE", help="output file, JSON lines")
    add_number(p, "--words", "length of an answer that is asked for", 150, 1, 2000)
    add_options(p, "--seed", "--quiet")
    add_endpoint_options(p, 600)
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the command; `INCOMPLETE` where a topic has no answer. Raises InputError."""
    options = parser().parse_args(argv)
    if not (options.endpoint and options.model):
        raise InputError("usage", "answers need --endpoint and --model", "see --help")

    progress, topics = Progress(quiet=options.quiet), read_topics(options.topics)
    refuse_to_overwrite(options.output, [options.topics, options.key_file])
    writable_place(options.output, "answers")
    with open_chat(ChatOptions(**endpoint_options(options, options.seed)), progress) as chat:
        lines = answer_lines(chat, options.model, topics, options.words, progress)
    with atomic_text(options.output) as out:
        out.writelines(lines)
    say(f"{options.output}: answers to {len(lines)} of {len(topics)} topics by {options.model}")
    return 0 if len(lines) == len(topics) else INCOMPLETE


def make_prompt(title: str, words: int) -> Prompt:
    """The prompt of a question."""
    return Prompt(_PROMPT.format(words=words, title=json.dumps(title, ensure_ascii=False)))


def read_answer(text: str) -> str:
    """An answer in one line. Raises AnswerError where it is too long."""
    if len(text) > LONGEST_ANSWER:
        raise AnswerError(f"the answer has {len(text):,} characters")
    return clean(text)


def answer_lines(chat: Chat, model: str, topics: Sequence[Topic], words: int, progress: Progress) -> list[str]:
    """A JSON line per topic; warns of a topic without an answer. Raises InputError where no topic has one."""
    prompt = f"{PROMPT_VERSION}:{hashlib.sha256(make_prompt('', words).text.encode()).hexdigest()[:12]}"
    with progress.stage("answering", unit="questions", total=len(topics)) as tick:
        found = chat.ask_all([make_prompt(topic.title, words) for topic in topics], read_answer, tick)
    lines = []
    for topic, answer in zip(topics, found, strict=True):
        if isinstance(answer, Reply):
            line = {"topic": topic.number, "query": topic.title, "answer": answer.value, "by": model}
            lines.append(json.dumps(line | {"prompt": prompt, "date": answer.date}, ensure_ascii=False) + "\n")
        else:
            progress.warn(f"topic {topic.number} ({topic.title}): no answer: {answer.reason}")
    if not lines and (failed := [answer for answer in found if isinstance(answer, Failure)]):
        raise InputError("endpoint", f"no question has an answer: {failed[-1].reason}", "try another model")
    return lines
