"""``riposte agreement A B...``: measure how far graders agree.

Each grader is a file of qrels or votes on pairs, arguments or documents.
"""

from __future__ import annotations

from argparse import ArgumentTypeError, Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import shorten
from typing import Any

from ltr.cli.options import Parser, add_file, add_number, add_options
from ltr.errors import InputError
from ltr.escapes import clean, say

Row = dict[str, Any]


def grader(text: str) -> tuple[str, Path]:
    """An argparse ``type``: FILE or NAME=FILE, as name and file."""
    name, equals, file = text.partition("=")
    if not equals or "/" in name:
        return clean(Path(text).stem), Path(text)
    if not name.isprintable() or not name.strip() or not file:
        raise ArgumentTypeError(f"{text[:80]!r} is neither FILE nor NAME=FILE")
    return name, Path(file)


def parser() -> Parser:
    """The command's options."""
    p = Parser(prog="riposte agreement", description="How far graders of the same items agree.", file=__file__)
    add = p.add_argument
    add("graders", type=grader, nargs="+", metavar="[NAME=]FILE", help="grades of two or more graders")
    add_number(p, "--worst", "items to print whose grades are furthest apart", 0)
    add("-i", "--input", metavar="DIR", help="corpus with the texts of these items")
    add_file(p, "--topics", "topics XML whose titles are printed with these items")
    add_options(p, "--task", "--plugin", "--index")
    add_number(p, "--draws", "bootstrap samples of topics", 1000, 0, 100_000)
    add_options(p, "--seed")
    add_file(p, "--json", "write all figures there, too")
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the command. Raises InputError for what the user can correct, before anything is printed or written."""
    options = parser().parse_args(argv)
    files = dict(options.graders)
    if len(files) < len(options.graders):
        raise InputError("usage", "two graders have the same name", "name them: NAME=FILE")
    if len(files) < 2:
        raise InputError("usage", "agreement needs at least two graders", "name the grades of another one")
    if options.input and not options.worst:
        raise InputError("usage", "-i has the texts of --worst alone", "name --worst N")

    from experiments.agreement.study import agreement, notes, read_table, worst
    from experiments.output import json_text, write_all
    from ltr.data.files import refuse_to_overwrite

    if options.json:
        refuse_to_overwrite(options.json, list(files.values()))
    table = read_table(files)
    found, apart = agreement(table, options.draws, options.seed), worst(table, options.worst)
    add_texts(apart, options)
    if options.json:
        tables = {table.key: table.rows for table in found}
        head = {"draws": options.draws, "seed": options.seed}
        write_all({options.json: json_text({**head, **tables, "worst": apart})})
    say(*(line for table in found for line in table.text().split("\n")))
    if apart:
        say("furthest apart", *(line for row in apart for line in item_lines(row)), "")
    say(*notes(table))
    return 0


def add_texts(rows: Sequence[Row], options: Namespace) -> None:
    """Add ``title`` and ``text`` to rows of `worst`, as far as topics and a corpus are named. Raises InputError."""
    import ltr
    from ltr.data.topics import read_topics

    titles = {topic.number: topic.title for topic in read_topics(options.topics)} if options.topics else {}
    for row in rows:
        row["title"] = titles.get(row["topic"])
    if not options.input:
        return
    with ltr.Searcher(options.input, task=options.task, index=options.index) as searcher:
        for row in rows:
            try:
                row["text"] = searcher.text(row["id"])
            except InputError:
                row["text"] = "(not in this corpus)"


def item_lines(row: Row) -> Iterator[str]:
    """A row of `worst` as lines to print: the id and the grades, then title and texts, shortened."""
    shown = (f"{name} {grade:g}" for name, grade in row["grades"].items())
    yield clean(f"topic {row['topic']}, {row['id']}: {', '.join(shown)}")
    for text in (row.get("title"), row.get("text")):
        yield from (f"    {shorten(clean(line), 400, placeholder=' ...')}" for line in (text or "").splitlines())
