"""A synthetic corpus of one size, its index, and what is measured on it."""

from __future__ import annotations

import json
import shutil
import sys
from argparse import Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.json_files import JsonLines, Record
from experiments.scale.measure import Failed, measure
from experiments.scale.peers import PEERS, Setting
from experiments.scale.synthetic import FILES
from experiments.scale.tasks import command
from ltr.errors import InputError

if TYPE_CHECKING:
    from ltr.progress import Progress


def open_log(path: Path) -> JsonLines:
    """Measures by what was measured. Raises InputError."""
    return JsonLines(path, lambda record: _name(record["key"]), "remove the line, or the file")


def _name(key: Record) -> str:
    return json.dumps(key, sort_keys=True)


class MeasuredCorpus:
    """One corpus, made or found, with the index and all that is measured on it."""

    def __init__(self, share: float, folder: Path, options: Namespace, log: JsonLines, progress: Progress) -> None:
        self._task = options.task
        name = f"{'' if self._task == 'pairs' else f'{self._task}-'}p{100 * share:g}"
        self.arguments = max(round(share * options.arguments), 1)
        corpus = (options.corpora.resolve() if options.corpora else folder / "corpora") / name
        texts, queries = folder / f"texts-{name}.tsv", folder / f"queries-{name}.txt"
        self.at = Setting(
            corpus, corpus / FILES[self._task], texts, folder / "work", queries, options.jobs, options.lucene
        )
        self.index, self.topics = folder / "indexes" / name / "index", folder / f"topics-{name}.xml"
        self._log, self._progress, self._read = log, progress, False
        self._make(options.topics)
        size = self.at.table.stat().st_size
        key = {"share": share, "arguments": self.arguments, "bytes": size}
        self._key = {**key, "topics": options.topics, "jobs": options.jobs}

    def _make(self, number: int) -> None:
        from ltr.data.files import atomic_text
        from ltr.data.topics import read_topics, write_topics

        corpus = self.at.corpus
        if not corpus.exists():
            self._progress.say(f"making {corpus}, {self.arguments:,} arguments")
            corpus.parent.mkdir(parents=True, exist_ok=True)
            module = "experiments.scale.synthetic"
            size = ["--arguments", str(self.arguments), "--topics", str(number), "--task", self._task]
            measure([sys.executable, "-m", module, *size, "-o", str(corpus), "--quiet"], module)
        for name in (self.at.table.name, "topics.xml", "topics-train.xml", "qrels-train-relevance.qrels"):
            if not (corpus / name).is_file():
                hint = "let experiments.scale.synthetic make it, or name another directory with --corpora"
                raise InputError(corpus, f"there is no {name}", hint)
        topics = read_topics(corpus / "topics.xml")[:number]
        if len(topics) < number:
            raise InputError(corpus / "topics.xml", f"has {len(topics)} topics", f"give --topics {len(topics)}")
        write_topics(self.topics, topics)
        with atomic_text(self.at.queries) as out:
            out.writelines(f"{query}\n" for query in queries_of(topic.title for topic in topics))

    @property
    def _unit(self) -> str:
        """What is searched, and what peers index."""
        return "argument" if self._task == "comparative" else "sentence"

    def known(self, name: str) -> Record | None:
        """The measure of that name, if there is one."""
        return self._log.records.get(_name(self._key | {"measure": name}))

    def measure_ours(self, name: str) -> None:
        """Measure one of our commands."""
        if name != "index" and not (self.index / "manifest.json").is_file():
            self.measure_ours("index")
        elif name != "index":  # one of another version of ours is built anew here, not while we measure
            measure(self._command("index"), "index")
        place = self.index if name == "index" else self.at.place
        # Left by a command that was killed, parts of an index would be used again.
        _remove(place.parent if name == "index" else place)
        values = self._measured(name, self._command(name), place)
        if values.get("arguments", self.arguments) != self.arguments:
            what = f"holds {values['arguments']:,} arguments, not {self.arguments:,}"
            raise InputError(self.at.table, what, "name another directory with --corpora, or its size with --arguments")
        if name == "predict":
            with (place / "run.txt").open("rb") as run_file:
                values["pairs"] = sum(1 for _ in run_file)
        self._log.add({"key": self._key | {"measure": name}, **values})
        _remove(self.at.place)

    def _command(self, name: str) -> list[str]:
        corpus, place, jobs = self.at.corpus, self.at.place, self.at.jobs
        if name == "index":
            return command("index", corpus, self.index, jobs)
        if name == "query":
            return command("query", self.index, self.at.queries, self._unit)
        own = ["--topics", self.topics, "-o", place]
        if name == "train":
            own = ["--topics", corpus / "topics-train.xml", "-m", place]
            own += ["--qrels", corpus / "qrels-train-relevance.qrels"]
        shared = ["--task", self._task, "-i", corpus, "--index", self.index, "--quiet", "--jobs", jobs]
        return [sys.executable, "-m", f"ltr.{name}", *map(str, [*shared, *own])]

    def measure_peer(self, name: str) -> Record:
        """The measure of a peer, or why there is none under "missing"."""
        peer = PEERS[name]
        key = self._key | {"measure": peer.title}
        known = self.known(peer.title)
        if known:
            return known
        ours = self.known("index")
        if ours is None:
            raise InputError("--peers", "they are compared with our index, which is not measured", "measure it too")
        if missing := peer.missing(self.at):
            return {"key": key, "missing": missing}
        _remove(self.at.place)
        try:
            if peer.query and not self.at.texts.exists():
                measure(command("texts", self.at.corpus, self.at.texts, self._unit), "texts")
            values = self._measured(peer.title, peer.build(self.at), self.at.place)
            for unit, of in {"arguments": "arguments", "sentences": "sentences", "texts": f"{self._unit}s"}.items():
                if values.get(unit, ours[of]) != ours[of]:
                    raise Failed(peer.title, f"{values[unit]:,} {of}, not our {ours[of]:,}")
            if peer.query:
                asked = self._measured(f"{peer.title}, queries", peer.query(self.at), self.at.place)
                values |= {"query_ms": asked["query_ms"], "hits": asked["hits"], "query_memory": asked["memory"]}
        except Failed as error:
            return {"key": key, "missing": f"failed, {error}"}
        finally:
            _remove(self.at.place)
        return self._log.add({"key": key, **values})

    def _measured(self, name: str, line: list[str], place: Path) -> Record:
        if not self._read:  # so that no one pays for bringing the corpus from the disk
            with self.at.table.open("rb") as file:
                while file.read(1 << 20):
                    pass
            self._read = True
        self._progress.say(f"{self.arguments:,} arguments: {name}")
        place.parent.mkdir(parents=True, exist_ok=True)
        values = measure(line, name)
        if place.exists():
            values["disk"] = sum(path.stat().st_size for path in place.rglob("*") if path.is_file())
        return values


def queries_of(titles: Iterable[str]) -> list[str]:
    """The queries that all engines get: the words of each title that are no stop words."""
    from features.core.text import Analyzer

    plain = Analyzer(stem=False)
    return [query for title in titles if (query := " ".join(plain.distinct(title)))]


def _remove(place: Path) -> None:
    if place.exists():
        shutil.rmtree(place)
