"""``python -m ltr.collect --source NAME --topics FILE -o FILE``: what a source on the web finds for every topic."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from ltr.cli.options import Parser, add_file, add_number
from ltr.errors import InputError
from ltr.escapes import say

if TYPE_CHECKING:
    from argparse import Namespace

    from ltr.remote.client import Manners
    from ltr.remote.lists import Collector

SOURCES = {"chatnoir": ".jsonl", "argsme": ".json"}
"""Name -> the suffix of what is written."""


def parser() -> Parser:
    """The command's options."""
    p = Parser(
        prog="python -m ltr.collect",
        description="Ask a source on the web for every topic, and write what it finds as a corpus.",
        file=__file__,
    )
    p.add_argument("--source", required=True, choices=SOURCES, help="who is asked")
    add_file(p, "--topics", "topics XML", required=True)
    output = "where the results go: a .jsonl file for chatnoir, .json for argsme"
    p.add_argument("-o", "--output", required=True, type=Path, metavar="FILE", help=output)
    add_number(p, "--depth", "results a topic, at most", 100, 1, 1000)
    text = "ask in up to four ways: the title, its content words, the objects and aspects, and these with other words"
    p.add_argument("--expand", action="store_true", help=text)
    text = "whole documents in place of snippets, a request each (chatnoir)"
    p.add_argument("--whole", action="store_true", help=text)
    p.add_argument("--indices", metavar="NAMES", help="those to search in, with commas (chatnoir; default: cw12)")
    add_file(p, "--key-file", "the key and nothing else (default: CHATNOIR_API_KEY of the environment)")
    p.add_argument("--address", metavar="URL", help="of the server (default: that of those who made it)")
    text = "share of claims and premises in every text, by a TARGER model, .../targer-api/tag-ibm-fasttext (chatnoir)"
    p.add_argument("--targer", metavar="URL", help=text)
    text = "share of the first object in what speaks for the two of a question, by a CAM server, .../cam (chatnoir)"
    p.add_argument("--cam", metavar="URL", help=text)
    text = "where answers are kept (default: in the user's cache, or in RIPOSTE_CACHE)"
    p.add_argument("--cache", type=Path, metavar="DIR", help=text)
    add_number(p, "--budget", "requests that this run may send", 1000, 0)
    p.add_argument("--quiet", action="store_true", help="no progress, only results and errors")
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the command. Raises InputError for anything that the user can correct."""
    options = parser().parse_args(argv)
    name, suffix = options.source, SOURCES[options.source]
    if options.output.suffix != suffix:
        raise InputError("--output", f"{name} writes no {str(options.output)!r}", f"name a {suffix} file")
    if name != "chatnoir" and any((options.whole, options.indices, options.key_file, options.targer, options.cam)):
        what = "--whole, --indices, --key-file, --targer and --cam are for chatnoir"
        raise InputError("usage", what, "leave them out")

    from ltr.data.files import atomic_text, refuse_to_overwrite, user_cache, writable_folder, writable_place
    from ltr.data.topics import read_topics
    from ltr.progress import Progress

    try:
        from ltr.remote.cache import Cache
        from ltr.remote.client import Manners
        from ltr.remote.lists import args_json, result_lines
    except ModuleNotFoundError as error:
        raise InputError(
            error.name, "this Python package is not installed", "pip install 'riposte-ltr[remote]'"
        ) from None

    progress = Progress(quiet=options.quiet)
    topics = read_topics(options.topics)
    refuse_to_overwrite(options.output, [options.topics, options.key_file])
    writable_place(options.output, "results")
    manners = Manners(
        Cache(writable_folder(options.cache or user_cache() / "answers", "cache")), options.budget, progress
    )
    with ExitStack() as stack:
        lists = open_source(options, manners, stack).collect(topics, progress)
    with atomic_text(options.output) as out:
        out.writelines((result_lines if name == "chatnoir" else args_json)(topics, lists))
    progress.say(f"{manners.sent:,} requests sent; answers are kept in {manners.cache.folder}")
    counts = [len(hits) for hits in lists.values() if hits]
    say(f"{options.output}: {sum(counts):,} results for {len(counts)} of {len(topics)} topics")
    return 0


def open_source(options: Namespace, manners: Manners, stack: ExitStack) -> Collector:
    """The source and its companions; ``stack`` closes their connections. Raises InputError."""
    from ltr.remote import argsme, cam, chatnoir, targer
    from ltr.remote.client import Client
    from ltr.remote.keys import read_key
    from ltr.remote.lists import Collector

    def opened(name: str, address: str, **key: str) -> Client:
        return stack.enter_context(Client(name, address, manners, **key))

    if options.source == "argsme":
        engine = argsme.ArgsMe(opened("argsme", options.address or argsme.ADDRESS))
        return Collector("argsme", engine, options.depth, options.expand)
    key = read_key(options.key_file, chatnoir.KEY_VARIABLE)
    hint = f"put it into a file for --key-file, or into the variable {chatnoir.KEY_VARIABLE}"
    client = opened("chatnoir", options.address or chatnoir.ADDRESS, key=key, key_hint=hint)
    indices = (options.indices or "").replace(",", " ").split() or chatnoir.INDICES
    source = chatnoir.ChatNoir(client, indices)
    return Collector(
        "chatnoir",
        source,
        options.depth,
        options.expand,
        whole=source.whole if options.whole else None,
        targer=targer.Targer(opened("targer", options.targer)) if options.targer else None,
        cam=cam.Cam(opened("cam", options.cam)) if options.cam else None,
    )
