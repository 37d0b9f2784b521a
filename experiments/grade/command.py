"""``riposte grade -i POOL --endpoint URL --model NAME -o DIR``: let a language model grade a pool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ltr.cli.endpoint import add_endpoint_options, endpoint_options, request_settings
from ltr.cli.options import Parser, add_number, add_options
from ltr.errors import InputError
from ltr.escapes import say

if TYPE_CHECKING:
    from argparse import Namespace

    from experiments.grade.pooled import Item
    from experiments.grade.prompt import Grading
    from ltr.data.qrels import Qrels
    from ltr.progress import Progress

MAX_TOKENS = 400
INCOMPLETE = 1
"""Exit code where items have no grade."""


def parser() -> Parser:
    """The command's options."""
    p = Parser(
        prog="riposte grade",
        description="Let a language model grade a pool by the criteria that people get, and write its votes.",
        file=__file__,
    )
    p.add_argument("-i", "--input", required=True, type=Path, metavar="DIR", help="folder that experiments.pool wrote")
    output = "folder for votes-<dimension>.jsonl and provenance.json"
    p.add_argument("-o", "--output", type=Path, metavar="DIR", help=output)
    dimension = "dimension to grade; may repeat (default: all that such items have)"
    p.add_argument("--dimension", action="append", default=[], metavar="NAME", help=dimension)
    add_number(p, "--readings", "times that each item is graded, with the criteria in different orders", 1, 1, 16)
    add_options(p, "--seed")
    add_options(p.add_argument_group("earlier grades"), "--pair-qrels", "--qrels", "--quality-qrels")
    p.add_argument("--show-prompt", action="store_true", help="print the prompt of the first item, and stop")
    dry = "print the number of requests and an estimate of tokens, and stop"
    p.add_argument("--dry-run", action="store_true", help=dry)
    add_options(p, "--quiet")
    add_endpoint_options(p.add_argument_group("endpoint"), MAX_TOKENS)
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the command; `INCOMPLETE` where an item has no grade. Raises InputError."""
    options = parser().parse_args(argv)
    asks = not (options.show_prompt or options.dry_run)
    if asks and not (options.endpoint and options.model and options.output):
        raise InputError("usage", "a grader needs --endpoint, --model and -o", "see --help")
    try:
        from experiments.grade.pooled import read_items
        from experiments.grade.prompt import make_prompt, prompt_name, readings
        from experiments.pool.command import read_graded
    except ModuleNotFoundError as error:
        hint = "pip install 'riposte-ltr[remote]'"
        raise InputError(error.name, "this Python package is not installed", hint) from None
    from ltr.progress import Progress

    unit, items = read_items(options.input)
    earlier, dimensions = read_graded(options, unit)
    gradings = readings(unit, dimensions, options.readings, options.seed)
    if options.show_prompt:
        for number, grading in enumerate(gradings, 1):
            say(
                f"# prompt {prompt_name(gradings)}, reading {number}",
                *make_prompt(grading, items[0]).text.split("\n"),
                "",
            )
        return 0
    progress = Progress(quiet=options.quiet)
    if options.dry_run:
        say(*plan(options, items, gradings, progress))
        return 0
    return grade(options, items, gradings, earlier, progress)


def plan(options: Namespace, items: Sequence[Item], gradings: Sequence[Grading], progress: Progress) -> list[str]:
    """What would be asked; answers are looked up in the cache where endpoint and model are named."""
    from experiments.grade.prompt import make_prompt, read_grades
    from ltr.remote.chat import ChatOptions, estimate_tokens, open_chat

    prompts = [make_prompt(grading, item) for grading in gradings for item in items]
    total = len(prompts)
    if options.endpoint and options.model:
        read = partial(read_grades, dimensions=gradings[0].dimensions)
        with open_chat(ChatOptions(**endpoint_options(options, options.seed)), progress) as chat:
            prompts = [prompt for prompt in prompts if not chat.is_cached(prompt, read)]
    settings = request_settings(options, options.seed)
    tokens = sum(estimate_tokens(prompt, settings) for prompt in prompts)
    return [
        f"{len(items):,} {gradings[0].unit}s in {', '.join(gradings[0].dimensions)}; readings: {len(gradings)}",
        f"{len(prompts):,} requests, {total - len(prompts):,} answers in the cache",
        f"about {tokens:,} tokens at most, {len(prompts) * options.max_tokens:,} of them in answers",
    ]


def grade(
    options: Namespace,
    items: Sequence[Item],
    gradings: Sequence[Grading],
    earlier: Mapping[str, Qrels],
    progress: Progress,
) -> int:
    """Ask, write votes and print agreement; `INCOMPLETE` where an item has no grade."""
    from experiments.figures import json_text, write_all
    from experiments.grade.prompt import ask, prompt_name
    from experiments.grade.votes import anchor_agreement, missing_items, reading_agreement, vote_lines
    from experiments.pool.command import table
    from ltr.data.files import refuse_to_overwrite, writable_folder
    from ltr.remote.chat import ChatOptions, open_chat

    unit, dimensions = gradings[0].unit, gradings[0].dimensions
    folder = writable_folder(options.output, "output directory")
    files = {name: folder / f"votes-{name}.jsonl" for name in dimensions}
    provenance = folder / "provenance.json"
    read = [options.key_file, *(path for _, path in options.pair_qrels), *options.qrels, *options.quality_qrels]
    for file in (*files.values(), provenance):
        refuse_to_overwrite(file, read)
    chosen = ChatOptions(**endpoint_options(options, options.seed))
    with open_chat(chosen, progress) as chat:
        graded = ask(chat, items, gradings, options.seed, progress)
    missing = missing_items(graded)
    for entry in missing:
        progress.warn(f"topic {entry['topic']}, {entry['id']}: {entry['reason']}")
    agreement = {"anchors": anchor_agreement(graded, earlier), "readings": reading_agreement(graded, dimensions)}
    name = prompt_name(gradings)
    written = {
        "model": chosen.model,
        "endpoint": chosen.endpoint,
        "prompt": name,
        "settings": dict(chosen.settings),
        "seed": options.seed,
        "readings": len(gradings),
        "dates": sorted({reply.date for entry in graded for reply in entry.replies if reply.date}),
        "unit": unit,
        "items": len(items),
        "missing": missing,
        "agreement": {what: {key: value._asdict() for key, value in of.items()} for what, of in agreement.items()},
    }
    texts = {file: vote_lines(graded, dimension, chosen.model, name) for dimension, file in files.items()}
    write_all(texts | {provenance: json_text(written)})
    none = "no item has an earlier grade here, so no agreement is measured"
    print(table("agreement, earlier grades", "new - earlier", agreement["anchors"], f"{unit}s") or none)
    if len(gradings) > 1:
        print(table("agreement between readings", "second - first", agreement["readings"], "couples"))
    say(*files.values(), provenance)
    done = f"{len(items) - len(missing):,} of {len(items):,} {unit}s have grades by {chosen.model}"
    say(f"{done}; {len(missing):,} are missing")
    return INCOMPLETE if missing else 0
