"""``riposte explain --run FILE --topic N --rank K [--against J]``: explain the rank of a pair."""

from __future__ import annotations

import json
from pathlib import Path

from ltr.cli.options import RUN_OPTIONS, Parser, add_file, add_number, add_options, open_progress, whole_number


def parser() -> Parser:
    """The command's options."""
    description = "Explain the rank of a pair in a run, or why it is above another pair."
    p = Parser("riposte explain", description, __file__)
    add_file(p, "--run", "a run by riposte predict", required=True)
    p.add_argument("--topic", required=True, metavar="N", help="number of the topic")
    p.add_argument("--rank", type=whole_number(1), required=True, metavar="K", help="rank of the pair")
    p.add_argument("--against", type=whole_number(1), metavar="J", help="rank of the pair to compare it with")
    p.add_argument("-i", "--input", metavar="DIR", help="the corpus of the run (default: the sample)")
    p.add_argument("-m", "--model", metavar="MODEL", help="the model of the run (default: the model that ships)")
    p.add_argument("--json", metavar="FILE", help="write everything as JSON; - prints it in place of the text")
    add_number(p, "--features", "features per family", 3, 0, 1000)
    add_options(p, "--topics", "--dimension", "--blend", "--encoder", "--second-step-depth", *RUN_OPTIONS)
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the command. Raises InputError for anything that the user can correct."""
    options = parser().parse_args(argv)

    from ltr.commands._searcher import open_searcher
    from ltr.data.files import atomic_text

    searcher = open_searcher(options, open_progress(options))
    file = Path(options.json) if options.json not in (None, "-") else None
    if file:
        searcher.refuse_output(file, [options.run, options.topics])
    run, topics, depth = options.run, options.topics, options.second_step_depth
    explanation = searcher.explain(
        options.topic, options.rank, options.against, run=run, topics=topics, second_step_depth=depth
    )
    document = json.dumps(explanation.document, indent=1, allow_nan=False) + "\n"
    if file:
        with atomic_text(file) as out:
            out.write(document)
    if options.json == "-":
        print(document, end="")
    else:
        print(explanation.text(options.features))
    return 0
