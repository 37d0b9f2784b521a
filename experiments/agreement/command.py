"""``riposte agreement A B...``: measure how far graders agree.

Each grader is a file of qrels of pairs, arguments or documents.
"""

from __future__ import annotations

import argparse
from argparse import Namespace
from collections.abc import Iterator, Sequence
from os.path import realpath
from pathlib import Path
from textwrap import shorten
from typing import Any

from ltr.cli.options import Parser, add_file, add_number, add_options
from ltr.errors import InputError
from ltr.escapes import clean, say

Entry = tuple[str, Path]
"""Name of a grader, empty where its file names it, and a file of its grades."""
Row = dict[str, Any]
LONGEST = 400
"""Characters of a text that are printed; --json has all of it."""


def grader(text: str) -> Entry:
    """An argparse ``type``: FILE or NAME=FILE."""
    name, equals, file = text.partition("=")
    if not equals or "/" in name:
        return "", Path(text)
    if not name.isprintable() or not name.strip() or not file:
        raise argparse.ArgumentTypeError(f"{text[:80]!r} is neither FILE nor NAME=FILE")
    return name, Path(file)


def grader_set(text: str) -> tuple[str, list[Entry]]:
    """An argparse ``type``: SET=GRADER,GRADER,..., each of them FILE or NAME=FILE."""
    name, _, files = text.partition("=")
    if not name.strip() or not name.isprintable() or not files:
        raise argparse.ArgumentTypeError(f"{text[:80]!r} is not SET=FILE,FILE")
    return name, list(map(grader, files.split(",")))


def thresholds(text: str) -> tuple[float, ...]:
    """An argparse ``type``: different finite numbers, joined by commas."""
    from ltr.data.columns import parse_number

    try:
        found = tuple(parse_number("", "", part.strip()) for part in text.split(","))
    except InputError:
        raise argparse.ArgumentTypeError(f"{text[:80]!r} is not a list of numbers, such as 1,2") from None
    if len(set(found)) < len(found):
        raise argparse.ArgumentTypeError(f"{text[:80]!r} names a threshold twice")
    return found


def parser() -> Parser:
    """The command's options."""
    p = Parser(prog="riposte agreement", description="How far graders of the same units agree.", file=__file__)
    add = p.add_argument
    add("graders", type=grader, nargs="*", metavar="[NAME=]FILE", help="grades of two or more graders")
    text = "graders of one dimension, in place of those above; may repeat: SET=[NAME=]FILE,[NAME=]FILE,..."
    add("--set", type=grader_set, action="append", default=[], metavar="SET=FILES", help=text)
    add("--negative", choices=("zero", "keep", "drop"), default="zero", help="grades below 0 (default: %(default)s)")
    text = "thresholds of levels 0, 1, ... in place of the grades: with 1,2 a grade below 1 is 0, below 2 is 1, else 2"
    add("--cuts", type=thresholds, default=(), metavar="X,X", help=text)
    add("--all-pairs", action="store_true", help="compare every grader with every other")
    add_file(p, "--run", "run to measure by each grader's grades, two or more", several=True)
    add_number(p, "--worst", "units to print whose grades are furthest apart", 0)
    add("-i", "--input", metavar="DIR", help="corpus with the texts of these units")
    add_file(p, "--topics", "topics XML whose titles are printed with these units")
    add_options(p, "--task", "--plugin", "--index")
    add_number(p, "--draws", "bootstrap samples of topics", 1000, 0, 100_000)
    add_options(p, "--seed")
    add_file(p, "--json", "write all figures there, too")
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the command. Raises InputError for what the user can correct, before anything is printed or written."""
    options = parser().parse_args(argv)
    sets = check_usage(options)

    from experiments.agreement.grades import Scale, read_table
    from experiments.agreement.study import Settings, agreement, notes, worst
    from experiments.figures import json_text, write_all
    from ltr.data.runs import read_run
    from ltr.evaluation.comparison_report import run_names

    scale = Scale(options.negative, options.cuts)
    runs = dict(zip(run_names(options.run), map(read_run, options.run), strict=True))
    settings = Settings(options.draws, options.seed, options.all_pairs)
    graded = {name: read_table(grader_files(entries), scale) for name, entries in sets.items()}
    found = {name: agreement(table, settings, runs) for name, table in graded.items()}
    apart = {name: worst(table, options.worst) for name, table in graded.items()}
    add_texts([row for rows in apart.values() for row in rows], options)
    if options.json:
        figures = {name: {table.key: table.rows for table in found[name]} | {"worst": apart[name]} for name in graded}
        head = {"draws": options.draws, "seed": options.seed, "negative": options.negative, "cuts": options.cuts}
        write_all({options.json: json_text({**head, "sets": figures})})
    for name, table in graded.items():
        say(*([f"== {name}", ""] if name else []), *(line for one in found[name] for line in one.text().split("\n")))
        if apart[name]:
            say("furthest apart", *(line for row in apart[name] for line in unit_lines(row)), "")
        alpha = any(one.key == "alpha" for one in found[name])
        say(*notes(table, scale, alpha=alpha))
    return 0


def check_usage(options: Namespace) -> dict[str, list[Entry]]:
    """The graders by set. Raises InputError for options that do not go together."""
    sets = dict(options.set)
    for wrong, what, hint in (
        (bool(options.graders) == bool(sets), "name graders, or sets of graders", "see --help"),
        (len(sets) < len(options.set), "--set names a set twice", "name each once"),
        (len(options.run) == 1, "one --run has no order", "name another run"),
        (options.input and not options.worst, "-i has the texts of --worst alone", "name --worst N"),
    ):
        if wrong:
            raise InputError("usage", what, hint)
    inputs = [path for entries in [options.graders, *sets.values()] for _, path in entries]
    if options.json and realpath(options.json) in map(realpath, [*inputs, *options.run]):
        raise InputError("--json", f"{options.json} is an input, too", "name another file")
    return sets or {"": options.graders}


def grader_files(entries: Sequence[Entry]) -> dict[str, list[Path]]:
    """Files by grader. Raises InputError where two files would name two graders alike."""
    files: dict[str, list[Path]] = {}
    named = {name for name, _ in entries}
    for name, path in entries:
        stem = "".join(c if c.isprintable() else "\ufffd" for c in path.stem)
        if not name and (stem in files or stem in named):
            raise InputError(path, f"another grader is called {stem}, too", "name it: NAME=FILE")
        files.setdefault(name or stem, []).append(path)
    return files


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


def unit_lines(row: Row) -> Iterator[str]:
    """A row of `worst` as lines to print: the id and the grades, then title and texts."""
    shown = (f"{name} {'-' if grade is None else f'{grade:g}'}" for name, grade in row["grades"].items())
    yield clean(f"topic {row['topic']}, {row['id']}: {', '.join(shown)}")
    for text in (row.get("title"), row.get("text")):
        yield from (f"    {shorten(clean(line), LONGEST, placeholder=' ...')}" for line in (text or "").splitlines())
