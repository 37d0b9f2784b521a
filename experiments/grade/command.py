"""``riposte grade -i POOL --endpoint URL --model NAME -o DIR``: let a language model grade a pool."""

from __future__ import annotations

import json
from argparse import ArgumentTypeError, Namespace
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ltr.cli.options import Parser, add_file, add_number, add_options
from ltr.errors import InputError
from ltr.escapes import say

if TYPE_CHECKING:
    from experiments.pool.files import Item
    from features.core.feature import Unit
    from ltr.progress import Progress
    from ltr.remote.chat import ChatOptions

FIXED = {"model", "messages", "response_format", "stream", "n"}
"""Fields of a request that no setting replaces."""
INCOMPLETE = 1
"""Exit code where items have no grade."""


def setting(text: str) -> tuple[str, Any]:
    """An argparse ``type``: NAME=JSON, a field of every request; null leaves it out."""
    name, _, value = text.partition("=")
    try:
        if not name or name in FIXED:
            raise ValueError
        return name, json.loads(value, parse_constant=int)  # NaN is not JSON, nor a whole number
    except (ValueError, RecursionError):
        what = 'is not NAME=JSON, as in temperature=0.7 or reasoning_effort="low"'
        raise ArgumentTypeError(f"{text[:80]!r} {what}") from None


def parser() -> Parser:
    """The command's options."""
    text = "Let a language model grade a pool by the criteria that people get, and write its votes."
    p = Parser(prog="riposte grade", description=text, file=__file__)
    p.add_argument("-i", "--input", required=True, type=Path, metavar="DIR", help="folder that riposte pool wrote")
    output = "folder for votes-<dimension>.jsonl and provenance.json"
    p.add_argument("-o", "--output", type=Path, metavar="DIR", help=output)
    dimension = "dimension to grade; may repeat (default: all that such items have)"
    p.add_argument("--dimension", action="append", default=[], metavar="NAME", help=dimension)
    add_options(p, "--seed")
    p.add_argument("--show-prompt", action="store_true", help="print the prompt of the first item, and stop")
    dry = "print the number of requests and an estimate of tokens, and stop"
    p.add_argument("--dry-run", action="store_true", help=dry)
    add_options(p, "--quiet")
    group = p.add_argument_group("endpoint")
    address = "base address of an OpenAI-compatible endpoint, as in http://localhost:8080/v1"
    group.add_argument("--endpoint", metavar="URL", help=address)
    group.add_argument("--model", metavar="NAME", help="model, as the endpoint calls it")
    served = "name of the model in answers, where the server uses another one"
    group.add_argument("--served-as", default="", metavar="NAME", help=served)
    add_file(group, "--key-file", "file with the API key and nothing else (default: the variable below)")
    variable = "environment variable with the API key (default: %(default)s)"
    group.add_argument("--key-variable", default="RIPOSTE_API_KEY", metavar="NAME", help=variable)
    add_number(group, "--max-tokens", "tokens of an answer", 400, 1)
    more = "another field of every request, such as temperature (default: 0); null leaves it out; may repeat"
    group.add_argument(
        "--set", dest="fields", type=setting, action="append", default=[], metavar="NAME=JSON", help=more
    )
    add_number(group, "--parallel", "requests at a time", 1, 1, 256)
    add_number(group, "--timeout", "seconds without a byte; a whole answer may take four times as long", 120, 1, 3600)
    add_number(group, "--budget-requests", "largest number of requests in this run", 100_000)
    add_number(group, "--budget-tokens", "largest number of tokens in this run (default: no limit)", None)
    cache = "folder for cached answers (default: in the user's cache, or in RIPOSTE_CACHE)"
    group.add_argument("--cache", type=Path, metavar="DIR", help=cache)
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the command; `INCOMPLETE` where an item has no grade. Raises InputError."""
    options = parser().parse_args(argv)
    asks = not (options.show_prompt or options.dry_run)
    if asks and not (options.endpoint and options.model and options.output):
        raise InputError("usage", "a grader needs --endpoint, --model and -o", "see --help")
    from experiments.grade.prompt import make_prompt, prompt_name
    from experiments.pool.files import read_items
    from experiments.pool.grades import dimensions_to_grade
    from ltr.progress import Progress

    unit, items = read_items(options.input)
    dimensions = dimensions_to_grade(unit, options.dimension)
    if options.show_prompt:
        prompt = make_prompt(unit, dimensions, items[0]).text
        say(f"# prompt {prompt_name(unit, dimensions)}", *prompt.split("\n"), "")
        return 0
    progress = Progress(quiet=options.quiet)
    if options.dry_run:
        plan(options, unit, items, dimensions, progress)
        return 0
    return grade(options, unit, items, dimensions, progress)


def request_settings(options: Namespace) -> dict[str, Any]:
    """Fields of every request."""
    fields = {"temperature": 0, "max_tokens": options.max_tokens, "seed": options.seed} | dict(options.fields)
    return {name: value for name, value in fields.items() if value is not None}


def chat_options(options: Namespace) -> ChatOptions:
    """The endpoint, its model, and how both are asked."""
    from ltr.remote.chat import ChatOptions

    names = "endpoint model served_as key_file key_variable parallel timeout budget_requests budget_tokens cache"
    given = {name: getattr(options, name) for name in names.split()}
    return ChatOptions(**given, settings=request_settings(options))


def plan(options: Namespace, unit: Unit, items: Sequence[Item], dimensions: Sequence[str], progress: Progress) -> None:
    """Print requests and tokens to expect; answers are looked up in the cache where endpoint and model are named."""
    from experiments.grade.prompt import make_prompt, read_grades
    from ltr.remote.chat import estimate_tokens, open_chat

    left = prompts = [make_prompt(unit, dimensions, item) for item in items]
    if options.endpoint and options.model:
        read = partial(read_grades, dimensions=dimensions)
        with open_chat(chat_options(options), progress) as chat:
            left = [prompt for prompt in prompts if not chat.is_cached(prompt, read)]
    tokens = sum(estimate_tokens(prompt, request_settings(options)) for prompt in left)
    say(f"{len(items):,} {unit}s in {', '.join(dimensions)}")
    say(f"{len(left):,} requests, {len(prompts) - len(left):,} answers in the cache")
    say(f"about {tokens:,} tokens at most, {len(left) * options.max_tokens:,} of them in answers")


def grade(options: Namespace, unit: Unit, items: Sequence[Item], dimensions: Sequence[str], progress: Progress) -> int:
    """Ask, in an order drawn by the seed, and write votes and provenance.

    Returns `INCOMPLETE` where an item has no grade. Raises InputError.
    """
    from experiments.grade.prompt import make_prompt, prompt_name, read_grades
    from experiments.output import json_text, write_all
    from experiments.pool.grades import vote_line
    from experiments.pool.selection import in_drawn_order
    from ltr.data.files import refuse_to_overwrite, writable_folder
    from ltr.remote.chat import Failure, Reply, open_chat
    from ltr.remote.client import hide_key, read_key

    folder = writable_folder(options.output, "output directory")
    files = {name: folder / f"votes-{name}.jsonl" for name in dimensions}
    provenance = folder / "provenance.json"
    for file in [*files.values(), provenance]:
        refuse_to_overwrite(file, [options.key_file])
    order = [int(place) for place in in_drawn_order(map(str, range(len(items))), options.seed, "grade")]
    prompts = [make_prompt(unit, dimensions, items[place]) for place in order]
    with (
        open_chat(chat_options(options), progress) as chat,
        progress.stage("grading", unit="answers", total=len(items)) as tick,
    ):
        found = chat.ask_all(prompts, partial(read_grades, dimensions=dimensions), tick)
    answer_to = dict(zip(order, found, strict=True))
    answers = [(item, answer_to[place]) for place, item in enumerate(items)]
    usable = [(item, answer) for item, answer in answers if isinstance(answer, Reply)]
    missing = [(item, answer.reason) for item, answer in answers if isinstance(answer, Failure)]
    for item, reason in missing:
        progress.warn(f"topic {item.topic}, {item.id}: {reason}")
    prompt = prompt_name(unit, dimensions)
    facts = {
        "model": options.model,
        "endpoint": options.endpoint,
        "prompt": prompt,
        "settings": request_settings(options),
        "seed": options.seed,
        "dates": sorted({reply.date for _, reply in usable if reply.date}),
        "unit": unit,
        "items": len(items),
        "missing": [{"topic": item.topic, "id": item.id, "reason": reason} for item, reason in missing],
    }
    texts = {provenance: json_text(facts)}
    key = read_key(options.key_file, options.key_variable)  # which an answer may have spelled with escapes
    for name, file in files.items():
        lines = []
        for item, reply in usable:
            more = {"by": options.model, "why": reply.value.why, "prompt": prompt, "date": reply.date}
            lines.append(vote_line(item.topic, item.id, reply.value.grades[name], more))
        texts[file] = hide_key("".join(lines), key)
    write_all(texts)
    done = f"{len(usable):,} of {len(items):,} {unit}s have grades by {options.model}; {len(missing):,} are missing"
    say(*files.values(), provenance, done)
    return INCOMPLETE if missing else 0
