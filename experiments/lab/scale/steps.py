"""The work inside a measured process: ``python -m experiments.lab.scale.steps STEP ...`` ends with a line of JSON."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from ltr.cli.process import run_command
from ltr.index.reader import Index
from ltr.parallel import Workers
from ltr.ranking.corpus import IndexedCorpus
from ltr.ranking.source import Resources
from ltr.ranking.task import find_task


def build_index(task: str, corpus: str, folder: str, jobs: str) -> dict[str, Any]:
    """Build Riposte's index, and do nothing else."""
    index = IndexedCorpus.open(find_task(task), corpus, folder).open_index(Resources(Workers(int(jobs))))
    return {"arguments": index.arguments, "sentences": index.sentences}


def query_index(folder: str, queries: str, unit: str) -> dict[str, Any]:
    """Mean milliseconds per query of the first stage for sentences or arguments, after a round to warm up."""
    index = Index(Path(folder))
    lines = Path(queries).read_text("utf-8").splitlines()
    for _ in range(2):
        start = time.perf_counter()
        hits = sum(len(index.search(unit, index.analyzer.distinct(line), 1_000)[0]) for line in lines)
    return {"query_ms": (time.perf_counter() - start) * 1000 / len(lines), "hits": hits}


def main(argv: list[str] | None = None) -> int:
    """Do the step that is named first with the arguments behind its name; its result is a line of JSON."""
    name, *arguments = sys.argv[1:] if argv is None else argv
    print(json.dumps(build_index(*arguments) if name == "index" else query_index(*arguments)))
    return 0


if __name__ == "__main__":
    run_command(main)
