"""The commands that faults are tried on, on a corpus that is small enough to run each many hundred times."""

from __future__ import annotations

import csv
import json
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from ltr.index.folder import POINTER, SUMS, leftovers, read_pointer
from ltr.sample import SAMPLE, TRAIN_PAIR_QRELS, TRAIN_QRELS, TRAIN_TOPICS

TOPICS = ("1", "3", "4", "5", "7")
TINY = ["--columns", "8", "--folds", "2"]
DRAWN = re.compile(r"[0-9a-f]{32}")
"""What the engine names its files by."""


@dataclass(frozen=True)
class Command:
    """A command, what it makes in the folder ``work``, and how what stands there before is made."""

    module: str
    argv: list[str]
    makes: list[str]
    """Files and folders in ``work``, each old or new and whole, whatever happens."""
    before: tuple[tuple[str, list[str]], ...] = ()
    """Modules with their arguments."""
    without: tuple[str, ...] = ()
    """What is taken away after it."""
    until: str = ""
    """It is interrupted when it prints this."""


@contextmanager
def small_world(folder: Path, jobs: int = 1) -> Iterator[dict[str, Command]]:
    """The commands in a folder, with a corpus of their own and a source on the web."""
    from support.web import Reply, serving

    if not (folder / "material").exists():
        (folder / "material").mkdir(parents=True)
        make_material(folder / "material")
    with serving() as web:
        web.answer = lambda asked: Reply(chatnoir_answer(asked.body))
        yield commands(folder / "material", folder / "work", web.address, jobs)


def make_material(folder: Path) -> None:
    """The arguments that are judged for some topics of the sample, and another corpus of fewer."""
    csv.field_size_limit(sys.maxsize)
    judged = {line.split()[2] for path in TRAIN_QRELS["relevance"] for line in path.open() if line.split()[0] in TOPICS}
    with (SAMPLE / "args_processed_sample.csv").open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    rows = [row for row in rows if row[0] in judged]
    for name, kept in (("corpus", rows), ("other", rows[:20])):
        (folder / name).mkdir()
        with (folder / name / "args_processed.csv").open("w", encoding="utf-8", newline="") as out:
            csv.writer(out).writerows([head, *kept])
        topics = ElementTree.parse(TRAIN_TOPICS)
        for topic in list(topics.getroot()):
            if topic.findtext("number") not in TOPICS:
                topics.getroot().remove(topic)
        topics.write(folder / name / "topics.xml", "utf-8")
    for name, path in [*(("arguments", path) for path in TRAIN_QRELS["relevance"]), *TRAIN_PAIR_QRELS]:
        lines = path.read_text("utf-8").splitlines(keepends=True)
        (folder / f"{name}.qrels").write_text("".join(line for line in lines if line.split()[0] in TOPICS), "utf-8")
    (folder / "key").write_text("a-key\n")


def commands(material: Path, work: Path, address: str, jobs: int = 1) -> dict[str, Command]:
    """By name. ``address`` is that of a server of `chatnoir`."""
    corpus, other, index, out = material / "corpus", material / "other", work / "index", work / "out"
    indexed = ["--index", str(index), "--quiet", "--jobs", str(jobs)]
    from_corpus = ["-i", str(corpus), *indexed]
    topics, run = ["--topics", str(corpus / "topics.xml")], out / "run.txt"
    pairs = [f"--pair-qrels={name}={material / name}.qrels" for name, _ in TRAIN_PAIR_QRELS]
    qrels = ["--qrels", str(material / "arguments.qrels")]
    bm25 = ("ltr.predict", [*from_corpus, "-o", str(out), "-m", "bm25", "--depth", "5"])
    model = ["-m", str(work / "model"), *TINY, *topics, *qrels, *pairs]
    trained = ("ltr.train", [*from_corpus, *model, "--objective", "linear"])
    stale = ("ltr.predict", ["-i", str(other), *indexed, "-o", str(out), "-m", "bm25"])
    values = ("index/*/values.bin",)

    def predict(*more: str) -> list[str]:
        return [*from_corpus, "-o", str(out), *more]

    def export(name: str, *more: str) -> Command:
        argv = [*from_corpus, *topics, "-o", str(out / name), *more]
        old = [*from_corpus[2:], "-i", str(other), *topics, "-o", str(out / name), *more, "--dimension", "quality"]
        beside = ["", ".features.tsv", *((".key.tsv", ".query", ".weight") if "--grades" in more else ())]
        suffixes = beside if Path(name).suffix in (".svm", ".txt") else [""]
        swapped = ("ltr.commands.export", [str(work / "old-index") if one == str(index) else one for one in old])
        return Command(
            "ltr.commands.export", argv, [f"out/{name}{one}" for one in suffixes], (bm25, swapped), ("old-index",)
        )

    study = [*from_corpus, *topics, *qrels, *pairs, "-o", str(work / "study"), "--dimension", "relevance", "--trees"]
    study += ["2", "--folds", "2", "--seeds", "1"]
    collected = ["--source", "chatnoir", *topics, "-o", str(work / "found.jsonl"), "--cache", str(work / "cache")]
    collected += ["--address", address, "--key-file", str(material / "key"), "--quiet"]
    judged = ["--run", str(run), *qrels, "--json", str(work / "figures.json")]
    explained = ["--run", str(run), "--topic", "1", "--rank", "1", *from_corpus, "--json", str(work / "why.json"), "-m"]
    searched = [
        "Should homework be banned?",
        *from_corpus,
        "--json",
        str(work / "found.json"),
        "-m",
        str(work / "model"),
    ]
    pool = ["-i", str(corpus), "--run", str(run), "-o", str(work / "pool"), "--depth"]
    served = [*from_corpus, "-m", str(work / "model"), "--port", "0"]
    out_b, fused = out / "b" / "run.txt", work / "fused"
    dirichlet = ("ltr.predict", [*from_corpus, "-m", "dirichlet", "-o", str(out / "b")])
    table = ("ltr.commands.export", [*from_corpus, *topics, "-o", str(work / "all.csv")])
    ranked = ("ltr.predict", predict("-m", str(work / "model")))
    allowed = [f"--allow-topics={number}" for number in TOPICS]
    graded = [f"pool/{name}" for name in ("pairs.tsv", "key.tsv", "grade.html")]
    run_and_index = ["index", "out/run.txt"]
    regression = [*from_corpus, *model, "--objective", "regression", "--trees", "3"]
    return {
        "index": Command("ltr.predict", predict("-m", "bm25"), run_and_index),
        "reindex": Command("ltr.predict", predict("-m", "bm25"), run_and_index, (stale,)),
        "predict": Command("ltr.predict", [*ranked[1], "--metadata"], run_and_index, (bm25, trained), values),
        "gzip": Command("ltr.predict", predict("-m", "bm25", "--gzip"), ["out/run.txt.gz"], (bm25,), ("out/run.txt",)),
        "train": Command("ltr.train", regression, ["model"], (trained,), values),
        "evaluate": Command("ltr.evaluate", judged, ["figures.json"], (bm25, ("ltr.evaluate", [*judged, "-k", "3"]))),
        "letor": export("train.txt", *qrels, *pairs),
        "svm": export("train.svm", "--grades", *qrels, *pairs),
        "csv": export("all.csv"),
        "parquet": export("all.parquet"),
        "ablation": Command("experiments.ablation.command", study, ["study"], (bm25,)),
        "pool": Command("experiments.pool.command", [*pool, "2", *allowed], graded, (bm25,)),
        "fuse": Command(
            "ltr.commands.fuse",
            [f"--run={run}", f"--run={out_b}", "-o", str(fused)],
            ["fused/run.txt"],
            (bm25, dirichlet),
        ),
        "rerank": Command(
            "ltr.commands.rerank",
            [*from_corpus, *topics, "--scores", str(work / "scores"), "-o", str(out)],
            ["out/run.txt"],
            (bm25, table),
        ),
        "explain": Command(
            "ltr.commands.explain", [*explained, str(work / "model")], ["why.json"], (bm25, trained, ranked), values
        ),
        "search": Command("ltr.search", searched, ["found.json"], (bm25, trained, ("ltr.search", [*searched, "-n1"]))),
        "collect": Command(
            "ltr.commands.collect",
            collected,
            ["found.jsonl"],
            (("ltr.commands.collect", [*collected, "--depth", "1"]),),
            ("cache",),
        ),
        "serve": Command("ltr.commands.serve", served, [], (bm25, trained), values, "answers until Ctrl-C"),
    }


def scores_of(table: Path, scores: Path) -> None:
    """A score for each row of an exported table, as a ranker of somebody's own would write them."""
    scores.write_text("".join(f"{number % 17}\n" for number in range(table.read_text("utf-8").count("\n") - 1)))


FILES = re.compile(r"riposte-index-\w{8}")
"""What the folder with the files of an index is named by."""
_PART = re.compile(r"\.[a-z0-9_]{8}\.part(/|$)")


def contents(work: Path, names: Sequence[str] = ()) -> dict[str, object]:
    """What lies in ``work``, or under some names of it, by the bytes; what is drawn at random left out.

    Under ``names`` an index is its current files, and nothing that may be removed. Parts of files and folders, which go
    a day later, are left out.
    """
    found: dict[str, object] = {}
    pointer, left = read_pointer(work / "index"), leftovers(work / "index")
    for path in sorted(work.rglob("*")):
        name = path.relative_to(work).as_posix()
        if names and not any(name == one or name.startswith(f"{one}/") for one in names):
            continue
        if _PART.search(name) or path.name == "values.bin" or path.suffix == ".lock":
            continue  # the last two decide nothing
        unfinished = [*left, *([] if pointer else [work / "index"])]
        if names and any(path.is_relative_to(one) for one in unfinished):
            continue
        name = FILES.sub("files", name) if pointer and pointer.folder.name in name else name
        if path.is_dir():
            found[f"{name}/"] = ""
        elif path.parent.name in ("sentence", "argument"):  # segments have names that are drawn, which lists hold
            kind = DRAWN.sub("*", name)
            listed = path.suffix == ".json"
            found.setdefault(kind, []).append("" if listed else path.read_bytes())  # type: ignore[attr-defined]
        elif path.name == SUMS:
            found[name] = DRAWN.sub("*", path.read_text()).count(": ")
        else:
            found[name] = FILES.sub("files", path.read_text()) if path.name == POINTER else path.read_bytes()
    return found


def restore(kept: Path, work: Path) -> None:
    """Make ``work`` what it was."""
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(kept, work, symlinks=True)


def chatnoir_answer(body: str) -> str:
    """Three documents for whatever is asked."""
    query, first = json.loads(body)["query"], json.loads(body)["from"]
    results = [
        {"uuid": f"00000000-0000-0000-0000-{n:012}", "trec_id": f"d{n}", "score": 9 - n, "title": query,
         "snippet": f"Of {query} some say {n}.", "target_hostname": "example.org", "page_rank": 1e-9, "spam_rank": 75}
        for n in range(3)
    ]  # fmt: skip
    size = json.loads(body)["size"]
    return json.dumps({"meta": {"total_results": 3}, "results": results[first : first + size]})
