"""The same arguments in every format, and in every form of Unicode: the same run, and the same refusals."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, Literal
from unicodedata import normalize

import ir_datasets
import pytest
from support.corpora import save_lines
from support.irds import Local
from support.refusals import refuses

from ltr.corpora.source import open_corpus
from ltr.data.runs import read_run
from ltr.predict import main

CLAIMS = ["The town should build a tram to the café", "The town should keep its pool"]
TEXTS = [
    (0, "PRO", "A tram carries three times as many people as a bus.", "It runs on electricity,\nand is quiet!"),
    (0, "CON", "A tram costs ten times as much as a bus.", "Every village could have a bus for it."),
    (0, "CON", "Rails of a tram are dangerous.", "Cyclists fall on tram rails each year."),
    (1, "PRO", "Children learn to swim in the pool.", "No other pool is open in summer."),
    (1, "CON", "The pool loses half a million each year.", "The roof of the pool leaks."),
]
SPELT = {"PRO": "PRO", "CON": "CON"}
TOPICS = ["Should our town build a tram to the café?", "Is the pool too expensive?"]


def arguments(of: dict[str, str]) -> Iterator[dict[str, Any]]:
    """The arguments as args.me JSON has them, with stances ``of`` another spelling."""
    for place, (claim, stance, *sentences) in enumerate(TEXTS, 1):
        premises = [{"text": " ".join(sentences), "stance": of[stance], "annotations": []}]
        context = {
            "sourceId": f"S{claim}",
            "sourceTitle": f"Matter {claim}",
            "sourceUrl": f"https://x.org/{place}",
            "discussionTitle": f"Matter {claim}",
            "acquisitionTime": "2019-04-19T12:40:25Z",
        }
        yield {"id": f"S{claim}-A{place}", "conclusion": CLAIMS[claim], "premises": premises, "context": context}


def table(folder: Path, items: list[dict[str, Any]]) -> str:
    with (folder / "args_processed.csv").open("w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["id", "conclusion", "premises", "context", "sentences"])
        for item, (claim, _, *premises) in zip(items, TEXTS, strict=True):
            texts = [*((f"PREMISE__{n}", text) for n, text in enumerate(premises, 1)), ("CONC__1", CLAIMS[claim])]
            sentences = [{"sent_id": f"{item['id']}__{role}", "sent_text": text} for role, text in texts]
            rows.writerow([item["id"], item["conclusion"], item["premises"], item["context"], sentences])
    return str(folder)


def argsme(folder: Path, items: list[dict[str, Any]]) -> str:
    (folder / "args.json").write_text(json.dumps({"arguments": items}), "utf-8")
    return str(folder)


def lines(folder: Path, items: list[dict[str, Any]], name: str = "args.jsonl") -> str:
    return str(save_lines(folder, *items, name=name).parent)


def plain_lines(folder: Path, items: list[dict[str, Any]]) -> str:
    return lines(
        folder,
        [
            {
                "id": item["id"],
                "conclusion": item["conclusion"],
                "text": "\n".join(premise["text"] for premise in item["premises"]),
                "stance": item["premises"][0]["stance"],
                "title": item["context"].get("discussionTitle"),
                "url": item["context"].get("sourceUrl"),
            }
            for item in items
        ],
    )


def beir(folder: Path, items: list[dict[str, Any]]) -> str:
    rows = [
        {
            "_id": item["id"],
            "title": item["conclusion"],
            "text": item["premises"][0]["text"],
            "metadata": {"stance": item["premises"][0]["stance"]},
        }
        for item in items
    ]
    return lines(folder, rows, "corpus.jsonl")


def irds(write: Callable[..., str], documents: str, file: str) -> Callable[..., str]:
    def put(folder: Path, items: list[dict[str, Any]]) -> str:
        write(folder, items)
        name = f"riposte-test/{documents}"
        handler = getattr(ir_datasets.formats, documents)(Local(folder / file), count_hint=len(items))
        ir_datasets.registry._registered[name] = ir_datasets.Dataset(handler)
        return f"irds:{name}"

    return put


FORMATS = {
    "table": table,
    "args.me JSON": argsme,
    "JSON lines of args.me": lines,
    "JSON lines": plain_lines,
    "irds, processed": irds(table, "ArgsMeProcessedDocs", "args_processed.csv"),
    "irds": irds(argsme, "ArgsMeDocs", "args.json"),
}


def run_of(folder: Path, write: Callable[..., str], form: Literal["NFC", "NFD"] = "NFC") -> bytes:
    """The run of the arguments as ``write`` writes them, in a normal form of Unicode."""
    titles = "".join(
        f"<topic><number>{n}</number><title>{title}</title></topic>" for n, title in enumerate(TOPICS, 101)
    )
    (folder / "topics.xml").write_text(f"<topics>{titles}</topics>", "utf-8")
    where = write(folder, list(arguments(SPELT)))
    for path in folder.glob("args*"):
        path.write_text(normalize(form, path.read_text("utf-8").replace("\\u00e9", "é")), "utf-8")
    command = ["-i", where, "-o", str(folder / "out"), "--index", str(folder / "index"), "--quiet", "--jobs", "1"]
    assert main([*command, "--topics", str(folder / "topics.xml")]) == 0
    assert {"PRO", "CON"} <= {row.stance for row in read_run(folder / "out" / "run.txt")}
    return (folder / "out" / "run.txt").read_bytes()


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The run of each format."""
    return {name: run_of(tmp_path_factory.mktemp("corpus"), write) for name, write in FORMATS.items()}


def test_the_layout_of_beir_gives_the_run_of_lines_without_titles(tmp_path: Path) -> None:
    found = []
    for write in (beir, lambda folder, items: plain_lines(folder, [item | {"context": {}} for item in items])):
        folder = tmp_path / str(len(found))
        folder.mkdir()
        found.append(run_of(folder, write))
    assert found[0] == found[1]


def test_texts_are_read_alike_in_every_form_of_unicode(runs: dict[str, bytes], tmp_path: Path) -> None:
    assert run_of(tmp_path, lines, "NFD") == runs["JSON lines"]


@pytest.mark.parametrize(("one", "other"), list(combinations(FORMATS, 2)))
def test_two_readers_give_the_same_run(one: str, other: str, runs: dict[str, bytes]) -> None:
    assert runs[one] == runs[other]


FOREIGN = {name: write for name, write in FORMATS.items() if not name.startswith("irds")}
"""ir_datasets reads stances itself, and takes PRO and CON alone."""


@pytest.mark.parametrize("name", FOREIGN)
def test_stances_are_read_alike(name: str, tmp_path: Path) -> None:
    for of in ({"PRO": "pro", "CON": "Con"}, {"PRO": " For", "CON": "AGAINST"}):
        items = list(arguments(of))
        assert [one.stance for one in open_corpus(FORMATS[name](tmp_path, items))] == [row[1] for row in TEXTS]
    for odd in ("neutral", 1, True, ["PRO"]):
        where = FORMATS[name](tmp_path, list(arguments({"PRO": odd, "CON": "CON"})))
        refuses(partial(list, open_corpus(where)), " 1: the stance ", "of S0-A1 is neither PRO nor CON")


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "JSON lines"])
def test_premises_that_disagree_are_refused(name: str, tmp_path: Path) -> None:
    items = list(arguments(SPELT))
    items[1]["premises"] += [{"text": "It is loud.", "stance": "PRO", "annotations": []}]
    where = FORMATS[name](tmp_path, items)
    refuses(lambda: list(open_corpus(where)), " 2: ", "the premises of S0-A2 disagree in stance")
