"""``riposte grade -i POOL --endpoint URL --model NAME -o DIR``: let a language model grade a pool."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from experiments.grade.endpoint import add_endpoint_options, endpoint_options, request_settings
from ltr.cli.options import Parser, add_options
from ltr.errors import InputError
from ltr.escapes import say

if TYPE_CHECKING:
    from argparse import Namespace
    from contextlib import AbstractContextManager

    from experiments.grade.prompt import Grades
    from experiments.pool.files import Item
    from experiments.pool.grades import Agreement
    from features.core.feature import Unit
    from ltr.data.qrels import Qrels
    from ltr.progress import Progress
    from ltr.remote.chat import Chat, Failure, Prompt, Reply

MAX_TOKENS = 400
INCOMPLETE = 1
"""Exit code where items have no grade."""


class Graded(NamedTuple):
    """The items of a pool, and the answer to each."""

    unit: Unit
    dimensions: Sequence[str]
    items: Sequence[Item]
    answers: Sequence[Reply[Grades] | Failure]

    def usable(self) -> list[tuple[Item, Reply[Grades]]]:
        """The items with grades."""
        from ltr.remote.chat import Reply

        pairs = zip(self.items, self.answers, strict=True)
        return [(item, answer) for item, answer in pairs if isinstance(answer, Reply)]

    def missing(self) -> list[dict[str, str]]:
        """The items without grades, each with the reason."""
        from ltr.remote.chat import Failure

        pairs = [(i, answer) for i, answer in zip(self.items, self.answers, strict=True) if isinstance(answer, Failure)]
        return [{"topic": item.topic, "id": item.id, "reason": answer.reason} for item, answer in pairs]


def parser() -> Parser:
    """The command's options."""
    p = Parser(
        prog="riposte grade",
        description="Let a language model grade a pool by the criteria that people get, and write its votes.",
        file=__file__,
    )
    p.add_argument("-i", "--input", required=True, type=Path, metavar="DIR", help="folder that riposte pool wrote")
    output = "folder for votes-<dimension>.jsonl and provenance.json"
    p.add_argument("-o", "--output", type=Path, metavar="DIR", help=output)
    dimension = "dimension to grade; may repeat (default: all that such items have)"
    p.add_argument("--dimension", action="append", default=[], metavar="NAME", help=dimension)
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
        from experiments.grade.prompt import make_prompt, prompt_name
    except ModuleNotFoundError as error:
        hint = "pip install 'riposte-ltr[remote]'"
        raise InputError(error.name, "this Python package is not installed", hint) from None
    from experiments.pool.command import read_graded
    from experiments.pool.files import read_items
    from ltr.progress import Progress

    unit, items = read_items(options.input)
    earlier, dimensions = read_graded(options, unit)
    prompts = [make_prompt(unit, dimensions, item) for item in items]
    if options.show_prompt:
        say(f"# prompt {prompt_name(unit, dimensions)}", *prompts[0].text.split("\n"), "")
        return 0
    progress = Progress(quiet=options.quiet)
    if options.dry_run:
        say(f"{len(items):,} {unit}s in {', '.join(dimensions)}", *plan(options, prompts, dimensions, progress))
        return 0
    answers = ask(options, prompts, dimensions, progress)
    return write_votes(options, Graded(unit, dimensions, items, answers), earlier, progress)


def open_endpoint(options: Namespace, progress: Progress) -> AbstractContextManager[Chat]:
    """The chat with the options' endpoint and model."""
    from ltr.remote.chat import ChatOptions, open_chat

    return open_chat(ChatOptions(**endpoint_options(options, options.seed)), progress)


def plan(options: Namespace, prompts: Sequence[Prompt], dimensions: Sequence[str], progress: Progress) -> Iterator[str]:
    """Requests and tokens to expect; answers are looked up in the cache where endpoint and model are named."""
    from experiments.grade.prompt import read_grades
    from ltr.remote.chat import estimate_tokens

    left = list(prompts)
    if options.endpoint and options.model:
        read = partial(read_grades, dimensions=dimensions)
        with open_endpoint(options, progress) as chat:
            left = [prompt for prompt in prompts if not chat.is_cached(prompt, read)]
    settings = request_settings(options, options.seed)
    tokens = sum(estimate_tokens(prompt, settings) for prompt in left)
    yield f"{len(left):,} requests, {len(prompts) - len(left):,} answers in the cache"
    yield f"about {tokens:,} tokens at most, {len(left) * options.max_tokens:,} of them in answers"


def ask(
    options: Namespace, prompts: Sequence[Prompt], dimensions: Sequence[str], progress: Progress
) -> list[Reply[Grades] | Failure]:
    """An answer to every prompt; they are asked in an order drawn by the seed. Raises InputError."""
    from experiments.grade.prompt import read_grades
    from experiments.pool.selection import in_drawn_order
    from ltr.data.files import refuse_to_overwrite, writable_folder

    folder = writable_folder(options.output, "output directory")
    read = [options.key_file, *(path for _, path in options.pair_qrels), *options.qrels, *options.quality_qrels]
    for file in output_files(folder, dimensions):
        refuse_to_overwrite(file, read)
    order = [int(place) for place in in_drawn_order(map(str, range(len(prompts))), options.seed, "grade")]
    with (
        open_endpoint(options, progress) as chat,
        progress.stage("grading", unit="answers", total=len(prompts)) as tick,
    ):
        found = chat.ask_all([prompts[place] for place in order], partial(read_grades, dimensions=dimensions), tick)
        answers = dict(zip(order, found, strict=True))
    return [answers[place] for place in range(len(prompts))]


def output_files(folder: Path, dimensions: Sequence[str]) -> list[Path]:
    """The files of votes, in the order of the dimensions, and the provenance."""
    return [*(folder / f"votes-{name}.jsonl" for name in dimensions), folder / "provenance.json"]


def write_votes(options: Namespace, graded: Graded, earlier: Mapping[str, Qrels], progress: Progress) -> int:
    """Write votes and provenance, and print agreement; `INCOMPLETE` where an item has no grade."""
    from experiments.figures import json_text, write_all
    from experiments.grade.prompt import prompt_name
    from experiments.pool.command import table
    from ltr.remote.client import hide_key, read_key

    unit, dimensions, items, _ = graded
    missing = graded.missing()
    for entry in missing:
        progress.warn(f"topic {entry['topic']}, {entry['id']}: {entry['reason']}")
    agreement = anchor_agreement(graded, earlier)
    name = prompt_name(unit, dimensions)
    written = {
        "model": options.model,
        "endpoint": options.endpoint,
        "prompt": name,
        "settings": dict(request_settings(options, options.seed)),
        "seed": options.seed,
        "dates": sorted({reply.date for _, reply in graded.usable() if reply.date}),
        "unit": unit,
        "items": len(items),
        "missing": missing,
        "agreement": {dimension: value._asdict() for dimension, value in agreement.items()},
    }
    *files, provenance = output_files(options.output, dimensions)
    key = read_key(options.key_file, options.key_variable)  # which an answer may have spelled with escapes
    texts = {
        file: hide_key(vote_lines(graded, dimension, options.model, name), key)
        for dimension, file in zip(dimensions, files, strict=True)
    }
    write_all(texts | {provenance: json_text(written)})
    none = "no item has an earlier grade here, so no agreement is measured"
    print(table("agreement, earlier grades", "new - earlier", agreement, f"{unit}s") or none)
    say(*files, provenance)
    done = f"{len(items) - len(missing):,} of {len(items):,} {unit}s have grades by {options.model}"
    say(f"{done}; {len(missing):,} are missing")
    return INCOMPLETE if missing else 0


def vote_lines(graded: Graded, dimension: str, by: str, prompt: str) -> str:
    """JSON lines for ``riposte train --votes``, in the order of the pool."""
    from ltr.supervision.votes import RUBRIC

    lines = []
    for item, reply in graded.usable():
        vote = {"topic": item.topic, "id": item.id, "grade": reply.value.grades[dimension], "scale": [*RUBRIC]}
        vote |= {"by": by, "why": reply.value.why, "prompt": prompt, "date": reply.date}
        lines.append(json.dumps(vote, ensure_ascii=False) + "\n")
    return "".join(lines)


def anchor_agreement(graded: Graded, earlier: Mapping[str, Qrels]) -> dict[str, Agreement]:
    """New grades against earlier ones, by dimension, of all items that have both."""
    from experiments.pool.grades import compare_grades
    from ltr.data.ids import pair_key
    from ltr.data.qrels import fold_grades

    found = {}
    for dimension, qrels in earlier.items():
        known = fold_grades(qrels, pair_key)
        couples = [
            (known[item.topic][pair_key(item.id)], reply.value.grades[dimension])
            for item, reply in graded.usable()
            if pair_key(item.id) in known.get(item.topic, {})
        ]
        if couples:
            found[dimension] = compare_grades(couples)
    return found
