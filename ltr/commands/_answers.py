"""``riposte collect answers``: a language model answers the topics."""

from __future__ import annotations

from pathlib import Path

from ltr.cli.endpoint import add_endpoint_options, endpoint_options
from ltr.cli.options import Parser, add_file, add_number, add_options
from ltr.errors import InputError
from ltr.escapes import say

INCOMPLETE = 1
"""Exit code where topics have no answer."""


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

    from ltr.data.files import atomic_text, refuse_to_overwrite, writable_place
    from ltr.data.topics import read_topics
    from ltr.progress import Progress
    from ltr.remote.chat import ChatOptions, open_chat
    from ltr.remote.question_answers import answer_lines

    progress, topics = Progress(quiet=options.quiet), read_topics(options.topics)
    refuse_to_overwrite(options.output, [options.topics, options.key_file])
    writable_place(options.output, "answers")
    with open_chat(ChatOptions(**endpoint_options(options, options.seed)), progress) as chat:
        lines = answer_lines(chat, options.model, topics, options.words, progress)
    with atomic_text(options.output) as out:
        out.writelines(lines)
    say(f"{options.output}: answers to {len(lines)} of {len(topics)} topics by {options.model}")
    return 0 if len(lines) == len(topics) else INCOMPLETE
