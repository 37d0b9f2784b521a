"""``riposte grade -i POOL --endpoint URL --model NAME -o DIR``: let a language model grade a pool."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ltr.cli.parser import Command
from ltr.errors import InputError
from ltr.escapes import say
from ltr.remote import KEY_VARIABLE
from ltr.settings import Settings, setting
from ltr.settings.kinds import FOLDER, File, Kind, Number, Switch, Text
from ltr.settings.shared import QUIET, SEED

if TYPE_CHECKING:
    from experiments.pool.files import Item
    from features.core.feature import ItemKind
    from ltr.progress import Progress
    from ltr.remote.chat import ChatOptions

FIXED = {"model", "messages", "response_format", "stream", "n"}
"""Fields of a request that no setting replaces."""
INCOMPLETE = 1
"""Exit code where items have no grade."""


@dataclass(frozen=True)
class RequestField(Kind):
    """NAME=JSON, a field of every request; null leaves it out."""

    metavar: str = field(default="NAME=JSON", kw_only=True)

    _what = 'NAME=JSON, as in temperature=0.7 or reasoning_effort="low"'

    def _read(self, text: str) -> tuple[str, Any] | None:
        name, _, value = text.partition("=")
        try:
            return self._kept((name, json.loads(value, parse_constant=int)))  # NaN is not JSON, nor a whole number
        except (ValueError, RecursionError):
            return None

    def _kept(self, value: Any) -> tuple[str, Any] | None:
        named = isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str) and value[0]
        return value if named and value[0] not in FIXED else None


@dataclass(frozen=True, kw_only=True)
class GradeSettings(Settings):
    """Let a language model grade a pool by the criteria that people get, and write its votes."""

    input: Path = setting(FOLDER, "folder that riposte pool wrote", "-i", "--input", default=...)
    output: Path | None = setting(FOLDER, "folder for votes-<dimension>.jsonl and provenance.json", "-o", "--output")
    dimension: tuple[str, ...] = setting(Text(), "dimension to grade (default: all that such items have)", several=True)
    seed: int = SEED
    show_prompt: bool = setting(Switch(), "print the prompt of the first item, and stop", default=False)
    dry_run: bool = setting(Switch(), "print the number of requests and an estimate of tokens, and stop", default=False)
    quiet: bool = QUIET
    endpoint: str | None = setting(
        Text(metavar="URL"), "base address of an OpenAI-compatible endpoint, as in http://localhost:8080/v1"
    )
    model: str | None = setting(Text(), "model, as the endpoint calls it")
    served_as: str = setting(Text(), "name of the model in answers, where the server uses another one", default="")
    key_file: Path | None = setting(
        File(), f"file with the API key and nothing else (default: the variable {KEY_VARIABLE})"
    )
    max_tokens: int = setting(Number(1), "tokens of an answer", default=400)
    set: tuple[tuple[str, Any], ...] = setting(
        RequestField(),
        "another field of every request, such as temperature (default: 0); null leaves it out",
        several=True,
    )
    parallel: int = setting(Number(1, 256), "requests at a time", default=1)
    budget_requests: int = setting(Number(), "largest number of requests in this run", default=100_000)
    budget_tokens: int | None = setting(Number(), "largest number of tokens in this run (default: no limit)")
    cache: Path | None = setting(
        FOLDER, "folder for cached answers (default: in the user's cache, or in RIPOSTE_CACHE)"
    )


def grade_pool(options: GradeSettings) -> int:
    """Run the command; `INCOMPLETE` where an item has no grade. Raises InputError."""
    asks = not (options.show_prompt or options.dry_run)
    if asks and not (options.endpoint and options.model and options.output):
        raise InputError("usage", "a grader needs --endpoint, --model and -o", "see --help")
    from experiments.grade.prompt import make_prompt, prompt_name
    from experiments.pool.files import read_items
    from experiments.pool.grades import dimensions_to_grade
    from ltr.progress import Progress

    kind, items = read_items(options.input)
    dimensions = dimensions_to_grade(kind, options.dimension)
    if options.show_prompt:
        prompt = make_prompt(kind, dimensions, items[0]).text
        say(f"# prompt {prompt_name(kind, dimensions)}", *prompt.split("\n"), "")
        return 0
    progress = Progress(quiet=options.quiet)
    if options.dry_run:
        plan(options, kind, items, dimensions, progress)
        return 0
    return grade(options, kind, items, dimensions, progress)


def request_settings(options: GradeSettings) -> dict[str, Any]:
    """Fields of every request."""
    fields = {"temperature": 0, "max_tokens": options.max_tokens, "seed": options.seed} | dict(options.set)
    return {name: value for name, value in fields.items() if value is not None}


def chat_options(options: GradeSettings) -> ChatOptions:
    """The endpoint, its model, and how both are asked."""
    from ltr.remote.chat import ChatOptions

    names = "endpoint model served_as key_file parallel budget_requests budget_tokens cache"
    return ChatOptions(**{name: getattr(options, name) for name in names.split()}, settings=request_settings(options))


def plan(
    options: GradeSettings, kind: ItemKind, items: Sequence[Item], dimensions: Sequence[str], progress: Progress
) -> None:
    """Print requests and tokens to expect; answers are looked up in the cache where endpoint and model are named."""
    from experiments.grade.prompt import make_prompt, read_grades
    from ltr.remote.chat import estimate_tokens, open_chat

    left = prompts = [make_prompt(kind, dimensions, item) for item in items]
    if options.endpoint and options.model:
        read = partial(read_grades, dimensions=dimensions)
        with open_chat(chat_options(options), progress) as chat:
            left = [prompt for prompt in prompts if not chat.is_cached(prompt, read)]
    tokens = sum(estimate_tokens(prompt, request_settings(options)) for prompt in left)
    say(f"{len(items):,} {kind}s in {', '.join(dimensions)}")
    say(f"{len(left):,} requests, {len(prompts) - len(left):,} answers in the cache")
    say(f"about {tokens:,} tokens at most, {len(left) * options.max_tokens:,} of them in answers")


def grade(
    options: GradeSettings, kind: ItemKind, items: Sequence[Item], dimensions: Sequence[str], progress: Progress
) -> int:
    """Ask in an order drawn by the seed, and write votes and provenance.

    Returns `INCOMPLETE` where an item has no grade. Raises InputError.
    """
    from experiments.grade.prompt import make_prompt, prompt_name, read_grades
    from experiments.pool.grades import vote_line
    from experiments.pool.selection import in_drawn_order
    from ltr.files import json_text, refuse_to_overwrite, writable_folder, write_all
    from ltr.remote.chat import Failure, Reply, open_chat
    from ltr.remote.client import hide_key, read_key

    folder = writable_folder(options.output or Path(), "output directory")
    files = {name: folder / f"votes-{name}.jsonl" for name in dimensions}
    provenance = folder / "provenance.json"
    for file in [*files.values(), provenance]:
        refuse_to_overwrite(file, [options.key_file])
    order = [*map(int, in_drawn_order(map(str, range(len(items))), options.seed, "grade"))]
    prompts = [make_prompt(kind, dimensions, items[place]) for place in order]
    with (
        open_chat(chat_options(options), progress) as chat,
        progress.stage("grading", unit="answers", total=len(prompts)) as tick,
    ):
        found = chat.ask_all(prompts, partial(read_grades, dimensions=dimensions), tick)
    answer_to = dict(zip(order, found, strict=True))
    answers = [(item, answer_to[place]) for place, item in enumerate(items)]
    usable = [(item, answer) for item, answer in answers if isinstance(answer, Reply)]
    missing = [(item, answer.reason) for item, answer in answers if isinstance(answer, Failure)]
    for item, reason in missing:
        progress.warn(f"topic {item.topic}, {item.id}: {reason}")
    prompt = prompt_name(kind, dimensions)
    facts = {
        "model": options.model,
        "endpoint": options.endpoint,
        "prompt": prompt,
        "settings": request_settings(options),
        "seed": options.seed,
        "dates": sorted({reply.date for _, reply in usable if reply.date}),
        "unit": kind,
        "items": len(items),
        "missing": [{"topic": item.topic, "id": item.id, "reason": reason} for item, reason in missing],
    }
    texts = {provenance: json_text(facts)}
    key = read_key(options.key_file, KEY_VARIABLE)  # which an answer may have spelled with escapes
    for name, file in files.items():
        lines = []
        for item, reply in usable:
            more = {"by": options.model, "why": reply.value.why, "prompt": prompt, "date": reply.date}
            lines.append(vote_line(item.topic, item.id, reply.value.grades[name], more))
        texts[file] = hide_key("".join(lines), key)
    write_all(texts)
    done = f"{len(usable):,} of {len(answers):,} {kind}s have grades by {options.model}; {len(missing):,} are missing"
    say(*files.values(), provenance, done)
    return INCOMPLETE if missing else 0


main = Command("grade", GradeSettings, grade_pool, __file__)
