"""``riposte collect --topics FILE -o FILE``: search ChatNoir for every topic."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from ltr.cli.parser import Command
from ltr.errors import SettingError
from ltr.escapes import say
from ltr.progress import Progress
from ltr.settings import Settings, setting
from ltr.settings.kinds import FOLDER, File, Number, Text
from ltr.settings.shared import DEPTH, OUTPUT, QUIET

KEY_VARIABLE = "CHATNOIR_API_KEY"


@dataclass(frozen=True, kw_only=True)
class CollectSettings(Settings):
    """Search ChatNoir for every topic, and write the hits as a corpus of documents."""

    topics: Path = setting(File(), "topics XML", default=...)
    output: Path = replace(OUTPUT, help="output file, .jsonl", kind=File())
    depth: int = replace(DEPTH, default=100)
    key_file: Path | None = setting(
        File(), f"file with the API key and nothing else (default: the variable {KEY_VARIABLE})"
    )
    address: str | None = setting(Text(metavar="URL"), "server URL (default: the provider's public server)")
    cache: Path | None = setting(
        FOLDER, "folder for cached answers (default: in the user's cache, or in RIPOSTE_CACHE)"
    )
    budget: int = setting(Number(), "largest number of requests in this run", default=1000)
    quiet: bool = QUIET


def collect(options: CollectSettings) -> int:
    """Search, and write the hits. Raises InputError for anything that the user can correct."""
    if options.output.suffix != ".jsonl":
        raise SettingError("output", f"{str(options.output)!r} is not a .jsonl file", "name one")

    from ltr.data.topics import read_topics
    from ltr.files import atomic_text, refuse_to_overwrite, user_cache, writable_folder, writable_place
    from ltr.remote.cache import Cache
    from ltr.remote.client import Client, ClientSettings, hide_key, read_key
    from ltr.tasks.comparative.collect.chatnoir import ADDRESS, NAME, collect_lists, result_lines

    progress = Progress(quiet=options.quiet)
    topics = read_topics(options.topics)
    refuse_to_overwrite(options.output, [options.topics, options.key_file])
    writable_place(options.output, "results")
    cache = Cache(writable_folder(options.cache or user_cache() / "answers", "cache"))
    settings, key = ClientSettings(cache, options.budget, progress), read_key(options.key_file, KEY_VARIABLE)
    hint = f"put it into a file for --key-file, or into the variable {KEY_VARIABLE}"
    with Client(NAME, options.address or ADDRESS, settings, key=key, key_hint=hint) as client:
        lists = collect_lists(client, topics, options.depth, progress)
    with atomic_text(options.output) as out:
        out.writelines(hide_key(line, key) for line in result_lines(topics, lists))
    progress.say(f"{settings.sent:,} requests sent; answers are cached in {cache.folder}")
    counts = [len(hits) for hits in lists.values() if hits]
    say(f"{options.output}: {sum(counts):,} results for {len(counts)} of {len(topics)} topics")
    return 0


main = Command("collect", CollectSettings, collect, __file__)
