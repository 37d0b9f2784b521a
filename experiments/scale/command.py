"""``python -m experiments.scale -o DIR``: time, memory and disk of our commands as a corpus grows, beside peers'.

Synthetic corpora of several sizes are made, or found. Every figure is that of a real process: wall-clock and processor
seconds of it and its children, the peak of what they hold in memory together, bytes written. What was measured is a
line of ``DIR/measures.jsonl``; the same command again measures only what is missing there.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.scale.measure import Failed, Record, measure
from experiments.scale.peers import FAMILIES, PEERS, Peer, Setting, queries_of, task
from experiments.scale.synthetic import TABLE, WHOLE
from ltr.cli.options import Parser, whole_number
from ltr.errors import InputError
from ltr.parallel.processes import usable_cores

if TYPE_CHECKING:
    from ltr.progress import Progress

MEASURES = "measures.jsonl"
OURS = ("index", "query", "predict", "train")


def parser() -> Parser:
    """The command's options."""
    p = Parser(
        prog="python -m experiments.scale",
        description="Measure time, memory and disk of our commands and of peers on synthetic corpora of several sizes.",
    )
    p.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="measures, table, plot, indexes")
    p.add_argument(
        "--arguments", type=whole_number(1), default=WHOLE, metavar="N", help="the full size (default: %(default)s)"
    )
    p.add_argument("--shares", type=shares, default=(0.01, 0.1, 1.0), metavar="X,...", help="of it (default: .01,.1,1)")
    p.add_argument(
        "--corpora", type=Path, metavar="DIR", help="where corpora are kept, p1 for 1%% (default: DIR/corpora)"
    )
    p.add_argument("--lucene", type=Path, metavar="JAR", help="a jar with Lucene 9")
    p.add_argument(
        "--peers",
        type=names_of(FAMILIES),
        default=FAMILIES,
        metavar="NAMES",
        help=f"{', '.join(FAMILIES)}, or none (default: all)",
    )
    p.add_argument("--peers-share", type=float, metavar="X", help="the share on which peers run (default: the largest)")
    p.add_argument(
        "--measures",
        type=names_of(OURS),
        default=OURS,
        metavar="NAMES",
        help=f"{', '.join(OURS)}, or none (default: all); what was measured before is shown all the same",
    )
    p.add_argument(
        "--topics", type=whole_number(1, 500), default=50, metavar="N", help="to answer (default: %(default)s)"
    )
    p.add_argument("--again", action="store_true", help="measure anew what is asked for")
    p.add_argument(
        "--jobs", type=whole_number(1, 1024), default=usable_cores(), metavar="N", help="processes of each command"
    )
    p.add_argument("--quiet", action="store_true", help="no progress, only results and errors")
    form = p.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON, as in scale.json")
    form.add_argument("--markdown", action="store_true", help="print the table in Markdown")
    return p


def shares(text: str) -> tuple[float, ...]:
    """An argparse ``type``: numbers above 0, at most 1, ascending."""
    try:
        found = sorted({float(part) for part in text.split(",")})
    except ValueError:
        found = []
    if not found or not all(0 < share <= 1 for share in found):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} are not shares above 0 and at most 1, as in .01,.1,1")
    return tuple(found)


class names_of:
    """An argparse ``type``: some of the ``known`` names, comma-separated, or "none"."""

    def __init__(self, known: Sequence[str]) -> None:
        self.known = known

    def __call__(self, text: str) -> tuple[str, ...]:
        """The names in their usual order."""
        found = [] if text == "none" else [name.strip() for name in text.split(",")]
        for name in found:
            if name not in self.known:
                raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(self.known)}")
        return tuple(name for name in self.known if name in found)


def main(argv: list[str] | None = None) -> int:
    """Measure and report. Raises InputError for anything that the user can mend."""
    options = parser().parse_args(argv)
    if options.lucene and not options.lucene.is_file():
        raise InputError(options.lucene, "there is no such file", "name a jar with Lucene 9")
    chosen = options.peers_share or options.shares[-1]
    if chosen not in options.shares:
        raise InputError("--peers-share", f"{chosen:g} is none of --shares", "name one of them")

    from experiments.scale import output as scale_output
    from ltr.data.files import writable_folder
    from ltr.progress import Progress

    progress = Progress(quiet=options.quiet)
    folder = writable_folder(options.output, "output directory").resolve()
    book = Book(folder / MEASURES)
    places = [Place(share, folder, options, book, progress) for share in options.shares]
    found: list[Record] = []
    for place in places:
        for name in OURS:
            if name in options.measures:
                place.measure_ours(name, again=options.again)
        found += place.records(OURS)
    wanted = [peer for peer in PEERS if peer.family in options.peers]
    compared = [
        place.measure_peer(peer, options.lucene, options.again)
        for place in places
        if place.share == chosen
        for peer in wanted
    ]
    results = scale_output.results(found, compared, chosen)
    scale_output.write(folder, results, progress)
    if options.json:
        print(json.dumps(results, indent=1))
    else:
        print(scale_output.markdown(results) if options.markdown else scale_output.table(results))
    return 0


class Book:
    """Measures on disk: a line each, the last one of a key counts."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._found: dict[str, Record] = {}
        text = path.read_text("utf-8") if path.exists() else ""
        whole = text[: text.rfind("\n") + 1]  # a line without its end was being written when the command was killed
        if whole != text:
            path.write_text(whole, "utf-8")
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                record = json.loads(line)
                self._found[self._name(record["key"])] = record
            except (ValueError, KeyError, TypeError):
                raise InputError(path, f"line {number} is no measure", "remove the line, or the file") from None

    def get(self, key: Record) -> Record | None:
        """The measure under that key, if there is one."""
        return self._found.get(self._name(key))

    def add(self, key: Record, values: Record) -> Record:
        """Note a measure."""
        record = self._found[self._name(key)] = {"key": key} | values
        with self._path.open("a", encoding="utf-8") as out:
            out.write(json.dumps(record) + "\n")
        return record

    @staticmethod
    def _name(key: Record) -> str:
        return json.dumps(key, sort_keys=True)


class Place:
    """One corpus, with the index and all that is measured on it."""

    def __init__(self, share: float, folder: Path, options: Any, book: Book, progress: Progress) -> None:
        self.share = share
        self.arguments = max(round(share * options.arguments), 1)
        self._book, self._progress, self._jobs = book, progress, options.jobs
        name = f"p{100 * share:g}"
        self.corpus = (options.corpora.resolve() if options.corpora else folder / "corpora") / name
        self.index = folder / "indexes" / name / "index"
        self._work = folder / "work"
        self._make(options.topics)
        self.table = self.corpus / TABLE
        self._key = {
            "share": share,
            "arguments": self.arguments,
            "bytes": self.table.stat().st_size,
            "topics": options.topics,
            "jobs": options.jobs,
        }
        self.topics, self.queries = folder / f"topics-{name}.xml", folder / f"queries-{name}.txt"
        self._ask(options.topics)
        self._read = False

    def _make(self, topics: int) -> None:
        if not self.corpus.exists():
            self._progress.say(f"making {self.corpus}, {self.arguments:,} arguments")
            self.corpus.parent.mkdir(parents=True, exist_ok=True)
            made_by = [sys.executable, "-m", "experiments.scale.synthetic", "--arguments", str(self.arguments)]
            measure(
                [*made_by, "--topics", str(topics), "-o", str(self.corpus), "--quiet"], "experiments.scale.synthetic"
            )
        for name in (TABLE, "topics.xml", "topics-train.xml", "qrels-train-relevance.qrels"):
            if not (self.corpus / name).is_file():
                mend = "let experiments.scale.synthetic make it, or name another directory with --corpora"
                raise InputError(self.corpus, f"there is no {name}", mend)

    def _ask(self, most: int) -> None:
        from ltr.data.files import atomic_text
        from ltr.data.formats import read_topics, write_topics

        topics = read_topics(self.corpus / "topics.xml")[:most]
        if len(topics) < most:
            raise InputError(self.corpus / "topics.xml", f"has {len(topics)} topics", f"give --topics {len(topics)}")
        write_topics(self.topics, topics)
        with atomic_text(self.queries) as out:
            out.writelines(f"{query}\n" for query in queries_of((topic.title for topic in topics), most))

    def records(self, names: Sequence[str]) -> list[Record]:
        """What is known of the measures of those names."""
        return [record for name in names if (record := self._book.get(self._key | {"measure": name}))]

    def measure_ours(self, name: str, *, again: bool) -> None:
        """Measure one of our commands, unless that was done."""
        key = self._key | {"measure": name}
        if self._book.get(key) and not again:
            return
        if name != "index" and not (self.index / "manifest.json").is_file():
            self.measure_ours("index", again=True)
        elif name != "index":  # one of another version of ours is built anew here, not while we measure
            measure(self._command("index"), "index")
        # Left by a command that was killed, parts of an index would be used again.
        _remove(self.index.parent if name == "index" else self._work)
        values = self._measured(name, self._command(name), self.index if name == "index" else self._work)
        if values.get("arguments", self.arguments) != self.arguments:
            what = f"holds {values['arguments']:,} arguments, not {self.arguments:,}"
            raise InputError(self.table, what, "name another directory with --corpora, or its size with --arguments")
        if name == "predict":
            with (self._work / "run.txt").open("rb") as run_file:
                values["pairs"] = sum(1 for _ in run_file)
        self._book.add(key, values)
        _remove(self._work)

    def _command(self, name: str) -> list[str]:
        shared = ["-i", str(self.corpus), "--index", str(self.index), "--quiet", "--jobs", str(self._jobs)]
        training = self.corpus / "topics-train.xml", self.corpus / "qrels-train-relevance.qrels"
        return {
            "index": task("index", self.corpus, self.index, self._jobs),
            "query": task("query", self.index, self.queries),
            "predict": [*_command("predict"), *shared, "--topics", str(self.topics), "-o", str(self._work)],
            "train": [
                *_command("train"),
                *shared,
                *("--topics", str(training[0]), "--qrels", str(training[1]), "-m", str(self._work)),
            ],
        }[name]

    def measure_peer(self, peer: Peer, jar: Path | None, again: bool) -> Record:
        """The measure of a peer, or why there is none under "missing"."""
        key = self._key | {"measure": peer.name}
        known = self._book.get(key)
        if known and not again:
            return known
        ours = self._book.get(self._key | {"measure": "index"})
        if ours is None:
            raise InputError("--peers", "they are compared with our index, which is not measured", "measure it too")
        sentences = ours["sentences"]
        setting = Setting(self.corpus, self.table, self._work, self.queries, sentences, self._jobs, jar)
        if missing := peer.missing(setting):
            return {"key": key, "missing": missing}
        _remove(self._work)
        try:
            values = self._measured(peer.name, peer.build(setting), self._work)
            for unit in ("arguments", "sentences"):
                if values.get(unit, ours[unit]) != ours[unit]:
                    return {"key": key, "missing": f"failed: {values[unit]:,} {unit}, not our {ours[unit]:,}"}
            if peer.query:
                asked = self._measured(f"{peer.name}, queries", peer.query(setting), self._work)
                values |= {"query_ms": asked["query_ms"], "hits": asked["hits"], "query_memory": asked["memory"]}
        except Failed as error:
            return {"key": key, "missing": f"failed, {error}"}
        finally:
            _remove(self._work)
        return self._book.add(key, values)

    def _measured(self, name: str, command: list[str], place: Path) -> Record:
        if not self._read:  # so that no one pays for bringing the corpus from the disk
            with self.table.open("rb") as file:
                while file.read(1 << 20):
                    pass
            self._read = True
        self._progress.say(f"{self.arguments:,} arguments: {name}")
        place.parent.mkdir(parents=True, exist_ok=True)
        values = measure(command, name)
        if place.exists():
            values["disk"] = size_on_disk(place)
        return values


def _command(name: str) -> list[str]:
    return [sys.executable, "-m", f"ltr.{name}"]


def _remove(place: Path) -> None:
    if place.exists():
        shutil.rmtree(place)


def size_on_disk(place: Path) -> int:
    """Bytes of all files of a folder."""
    return sum(path.stat().st_size for path in place.rglob("*") if path.is_file())
