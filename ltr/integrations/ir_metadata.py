"""Metadata of a run: ``ir-metadata.yml``, as TIRA and https://www.ir-metadata.org (0.2) read it.

It names no host, user or folder, and files without their folders.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ltr import __version__
from ltr.corpora.base import FileCorpus
from ltr.data.files import atomic_text
from ltr.escapes import escaped
from ltr.searcher import Searcher

METADATA = "ir-metadata.yml"


def run_metadata(searcher: Searcher, topics: Path | None, tag: str, team: str) -> dict[str, Any]:
    """The fields of a run by ``searcher``; ``topics`` is the file of its topics unless they come with the corpus."""
    task, corpus, manifest = searcher.task, searcher.corpus, searcher.model.manifest
    name = "riposte" if searcher.model.name is None else Path(searcher.model.name).name
    named = corpus.name if not isinstance(corpus, FileCorpus) else Path(corpus.name).name
    by = f"the baseline {name}" if manifest is None else f"the model {name} ({searcher.model.training})"
    judged = manifest["data"].get("qrels", {}) if manifest else {}
    first = {"name": "BM25 over arguments, sentences and conclusions", "method": "BM25"}
    objective = manifest.get("parameters", {}).get("objective", "") if manifest else ""
    second = {"name": name, "method": f"learned, {objective}" if manifest else "formula", "reranks": first["name"]}
    stages = [first, second]
    if searcher.model.second_step:
        third = {"name": f"{name}, second step", "method": f"learned, {objective}, with an encoder", "reranks": name}
        stages.append(third)
    if reranking := searcher.reranking:
        read = Path(reranking.reranker.name).name
        what = f"texts of the best {reranking.depth}, weight {reranking.weight:g}"
        stages.append({"name": read, "method": what, "reranks": stages[-1]["name"]})
    return {
        "tag": tag,
        "actor": {"team": team},
        "platform": {
            "hardware": {"cpu": {"architecture": platform.machine()}},
            "software": {
                "operating system": {"kernel": platform.system()},
                "libraries": {"python": [f"{name}=={version(name)}" for name in ("numpy", "spacy", "textstat")]},
                "retrieval toolkit": [f"riposte=={__version__}", f"tantivy=={version('tantivy')}"],
            },
        },
        "implementation": {
            "executable": {"cmd": f"riposte predict --task {task.name}"},
            "source": {"lang": ["python"], "repository": f"riposte {__version__}"},
        },
        "data": {
            "test collection": {"name": named, "topics": "of the collection" if topics is None else topics.name},
            "training data": [{"name": file} for files in judged.values() for file in files],
        },
        "method": {
            "name": f"Riposte, {task.name}",
            "description": f"{task.unit}s of a BM25 first stage, ranked by {by}; near-duplicates left out",
            "automatic": True,
            "score ties": "by id; written scores fall strictly",
            "indexing": {
                "stemmer": "snowball english" if searcher.model.analysis["stem"] else "none",
                "stop words removed": searcher.model.analysis["stop"],
            },
            "retrieval": stages,
        },
    }


def write_metadata(path: Path, fields: Mapping[str, Any]) -> None:
    """Write the fields as YAML; undecodable bytes in file names become a question mark."""
    with atomic_text(path) as out:
        out.writelines(f"{line}\n" for line in yaml_lines(fields))


def yaml_lines(fields: Mapping[str, Any]) -> Iterator[str]:
    """Nested mappings, lists, texts, numbers and truths as lines of YAML; texts in the quotes that JSON has too.

    >>> list(yaml_lines({"a": {"b": True}, "c": [{"d": 'e "f"', "g": 1}, "h"]}))
    ['a:', '  b: true', 'c:', '  - d: "e \\\\"f\\\\""', '    g: 1', '  - "h"']
    """
    for key, value in fields.items():
        if isinstance(value, Mapping) and value:
            yield f"{key}:"
            yield from (f"  {line}" for line in yaml_lines(value))
        elif isinstance(value, Sequence) and not isinstance(value, str) and value:
            yield f"{key}:"
            for item in value:
                lines = list(yaml_lines(item)) if isinstance(item, Mapping) else [_quoted(item)]
                yield from (f"  {'- ' if number == 0 else '  '}{line}" for number, line in enumerate(lines))
        else:
            yield f"{key}: {_quoted(value)}"


def _quoted(value: object) -> str:
    """A value as YAML spells it. Characters that cannot be seen are escaped: YAML allows few of them in a file."""
    return escaped(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode("utf-8"))
