"""``riposte explain --run FILE --topic N --rank K [--against J]``: explain the rank of a pair."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from ltr.cli.parser import Command, open_progress
from ltr.settings import setting, shared
from ltr.settings.kinds import File, Number, Text

RANK = Number(1)


@dataclass(frozen=True, kw_only=True)
class ExplainSettings(shared.Ranking, shared.Work, shared.Output):
    """Explain the rank of a pair in a run, or why it is above another pair."""

    run: Path = setting(File(), "a run by riposte predict", default=...)
    topic: str = setting(Text(metavar="N"), "number of the topic", default=...)
    rank: int = setting(RANK, "rank of the pair", default=...)
    against: int | None = setting(RANK, "rank of the pair to compare it with")
    input: str | None = replace(shared.CORPUS, help="the corpus of the run (default: the sample)", default=None)
    model: str | None = replace(shared.MODEL, help="the model of the run (default: the model that ships)")
    topics: Path | None = shared.TOPICS
    json: str | None = shared.JSON
    second_step_depth: int | None = shared.SECOND_STEP_DEPTH


def explain(options: ExplainSettings) -> int:
    """Print the explanation. Raises InputError for anything that the user can correct."""
    from ltr.commands._searcher import open_searcher
    from ltr.files import json_text, write_all

    searcher = open_searcher(options, open_progress(options))
    file = Path(options.json) if options.json not in (None, "-") else None
    if file:
        searcher.refuse_output(file, [options.run, options.topics])
    run, topics, depth = options.run, options.topics, options.second_step_depth
    explanation = searcher.explain(
        options.topic, options.rank, options.against, run=run, topics=topics, second_step_depth=depth
    )
    document = json_text(explanation.document)
    if file:
        write_all({file: document})
    if options.json == "-":
        print(document, end="")
    else:
        print(explanation.text())
    return 0


main = Command("explain", ExplainSettings, explain, __file__)
