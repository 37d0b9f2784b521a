"""Metadata of a run: ``ir-metadata.yml``, as TIRA and https://www.ir-metadata.org (0.2) read it.

It names no host, user or folder, and files without their folders.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ltr import __version__
from ltr.corpora.base import FileCorpus
from ltr.escapes import escaped
from ltr.files import atomic_text
from ltr.plugins import plugins_used
from ltr.searcher import Searcher
from ltr.text_models.reader import shipped_reader
from models.blend import READ

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
    second: dict[str, Any] = {"name": name, "method": "formula", "reranks": first["name"]}
    if manifest:
        second |= {"method": f"learned, {objective}", "digest": manifest["digest"]}
        second["weights"] = searcher.model.blend.weights
    stages = [first, second]
    if encoder := searcher.model.second_step:
        if manifest:
            how = f"learned, {objective}, with an encoder"
            stages.append({"name": f"{name}, second step", "method": how, "reranks": name})
        stages[-1] |= {"encoder": Path(encoder.name).name, "digest": encoder.digest}
        if weights := searcher.model.blend.reader_weights:
            reader: dict[str, Any] = {"name": "reader", "method": f"a cross-encoder, the first {READ}"}
            stages.append(
                reader | {"weights": weights, "digest": shipped_reader().digest, "reranks": stages[-1]["name"]}
            )
    if reranking := searcher.reranking:
        read = Path(reranking.reranker.name).name
        what = f"texts of the best {reranking.depth}"
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
            "plug-ins": {name: facts["digest"] for name, facts in plugins_used([]).items()},
        },
        "data": {
            "test collection": {"name": named, "topics": "of the collection" if topics is None else topics.name},
            "training data": [{"name": file} for files in judged.values() for file in files],
        },
        "method": {
            "name": f"Riposte, {task.name}",
            "description": f"{task.kind}s of a BM25 first stage, ranked by {by}; near-duplicates left out",
            "automatic": True,
            "score ties": "by id; written scores fall strictly",
            "indexing": {"stemmer": "snowball english", "stop words removed": True},
            "retrieval": stages,
        },
    }


def write_metadata(path: Path, fields: Mapping[str, Any]) -> None:
    """Write the fields as JSON, which is YAML; invisible characters, of which YAML allows few, are escaped.

    Undecodable bytes in file names become a question mark.
    """
    text = json.dumps(fields, indent=2, ensure_ascii=False).encode("utf-8", "replace").decode("utf-8")
    with atomic_text(path) as out:
        out.writelines(f"{escaped(line)}\n" for line in text.split("\n"))
