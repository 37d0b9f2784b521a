"""``riposte collect --source NAME --topics FILE -o FILE``: search an API on the web for every topic."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from ltr.cli.parser import Command
from ltr.errors import InputError, SettingError
from ltr.escapes import say
from ltr.progress import Progress
from ltr.settings import Settings, setting
from ltr.settings.kinds import FOLDER, Choice, File, Number, Switch, Text
from ltr.settings.shared import DEPTH, OUTPUT, QUIET

SOURCES = {"chatnoir": ".jsonl", "argsme": ".json"}
"""Search API -> the suffix of its output file."""

KEY_VARIABLE = "CHATNOIR_API_KEY"


@dataclass(frozen=True, kw_only=True)
class CollectSettings(Settings):
    """Search an API on the web for every topic, and write the hits as a corpus."""

    source: str = setting(Choice(tuple(SOURCES)), "search API to query: chatnoir, argsme", default=...)
    topics: Path = setting(File(), "topics XML", default=...)
    output: Path = replace(OUTPUT, help="output file: .jsonl for chatnoir, .json for argsme", kind=File())
    depth: int = replace(DEPTH, default=100)
    whole: bool = setting(Switch(), "whole documents in place of snippets, one request each (chatnoir)", default=False)
    key_file: Path | None = setting(
        File(), f"file with the API key and nothing else (chatnoir; default: the variable {KEY_VARIABLE})"
    )
    address: str | None = setting(Text(metavar="URL"), "server URL (default: the provider's public server)")
    cache: Path | None = setting(
        FOLDER, "folder for cached answers (default: in the user's cache, or in RIPOSTE_CACHE)"
    )
    budget: int = setting(Number(), "largest number of requests in this run", default=1000)
    quiet: bool = QUIET


def collect(options: CollectSettings) -> int:
    """Search, and write the hits. Raises InputError for anything that the user can correct."""
    name, suffix = options.source, SOURCES[options.source]
    if options.output.suffix != suffix:
        raise SettingError("output", f"{str(options.output)!r} is not a {suffix} file", f"{name} writes {suffix} files")
    if name != "chatnoir" and (options.whole or options.key_file):
        raise InputError("usage", "--whole and --key-file are for chatnoir", "leave them out")

    from ltr.data.topics import read_topics
    from ltr.files import atomic_text, refuse_to_overwrite, user_cache, writable_folder, writable_place
    from ltr.remote.cache import Cache
    from ltr.remote.client import Client, ClientSettings, hide_key, read_key
    from ltr.tasks.comparative.collect import servers
    from ltr.tasks.comparative.collect.collector import Hit, args_json, collect_lists, result_lines, without_copies

    progress = Progress(quiet=options.quiet)
    topics = read_topics(options.topics)
    refuse_to_overwrite(options.output, [options.topics, options.key_file])
    writable_place(options.output, "results")
    cache = Cache(writable_folder(options.cache or user_cache() / "answers", "cache"))
    settings = ClientSettings(cache, options.budget, progress)
    address, search, lines_of, key, hint = servers.ARGSME, servers.search_argsme, args_json, "", ""
    if name == "chatnoir":
        address, search, lines_of = servers.CHATNOIR, servers.search_chatnoir, result_lines
        key = read_key(options.key_file, KEY_VARIABLE)
        hint = f"put it into a file for --key-file, or into the variable {KEY_VARIABLE}"
    with Client(name, options.address or address, settings, key=key, key_hint=hint) as client:

        def hits(title: str) -> list[Hit]:
            found = without_copies(search(client, title, options.depth))
            return [servers.whole_document(client, hit) for hit in found] if options.whole else found

        lists = collect_lists(name, hits, topics, progress)
    with atomic_text(options.output) as out:
        out.writelines(hide_key(line, key) for line in lines_of(topics, lists))
    progress.say(f"{settings.sent:,} requests sent; answers are cached in {cache.folder}")
    counts = [len(hits) for hits in lists.values() if hits]
    say(f"{options.output}: {sum(counts):,} results for {len(counts)} of {len(topics)} topics")
    return 0


main = Command("collect", CollectSettings, collect, __file__)
