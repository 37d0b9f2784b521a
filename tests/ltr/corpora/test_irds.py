from __future__ import annotations

import csv
import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.irds import Local
from support.refusals import complaint

from ltr.corpora.argument import Argument, Sentence
from ltr.corpora.source import open_corpus
from ltr.data.qrels import read_qrels
from ltr.data.topics import Topic, read_topics

ir_datasets = pytest.importorskip("ir_datasets", reason="the extra riposte-ltr[irds] is not installed")

TEST_ID = "riposte-test/args"
CONTEXT = {
    "sourceId": "S1",
    "sourceTitle": "Page",
    "sourceUrl": "https://example.org/1",
    "topic": "Cars",
    "acquisitionTime": "2019-04-19T12:40:25Z",
}
ITEM: dict[str, Any] = {
    "id": "S1-A1",
    "conclusion": "Ban cars",
    "premises": [{"text": "Cars smell. They are loud!", "stance": "CON"}, {"text": "Bikes don't.", "stance": "CON"}],
    "context": CONTEXT,
}
SENTENCES = (
    Sentence("S1-A1__PREMISE__1", "Cars smell."),
    Sentence("S1-A1__PREMISE__2", "They are loud!"),
    Sentence("S1-A1__PREMISE__3", "Bikes don't."),
    Sentence("S1-A1__CONC__1", "Ban cars"),
)
EXPECTED = Argument("S1-A1", "Ban cars", "CON", SENTENCES, "Cars", "https://example.org/1")


@pytest.fixture
def register(tmp_path: Path) -> Iterator[Callable[..., None]]:
    """Register handlers as the dataset TEST_ID for the time of a test."""

    def put(*handlers: Any) -> None:
        ir_datasets.registry.register(TEST_ID, ir_datasets.Dataset(*handlers))

    yield put
    ir_datasets.registry._registered.pop(TEST_ID, None)


def processed(tmp_path: Path, *rows: dict[str, Any]) -> Any:
    path = tmp_path / "args_processed.csv"
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, [*ITEM, "sentences"])
        writer.writeheader()
        writer.writerows(rows)
    return ir_datasets.formats.ArgsMeProcessedDocs(Local(path), count_hint=len(rows))


def row(**changes: Any) -> dict[str, Any]:
    # The processed corpus has its own sentences, here other ones than its premises, and no short conclusions.
    premises = [{"text": "Two sentences. Not to be split.", "stance": "CON"}]
    sentences = [{"sent_id": s.id, "sent_text": s.text} for s in SENTENCES[:3]]
    return ITEM | {"premises": premises, "sentences": sentences} | changes


def plain(tmp_path: Path, *items: dict[str, Any]) -> Any:
    content = json.dumps({"arguments": items})
    return ir_datasets.formats.ArgsMeDocs(Local(tmp_path / "args.json", content), count_hint=len(items))


def read() -> list[Argument]:
    return list(open_corpus(f"irds:{TEST_ID}"))


# ---- arguments ------------------------------------------------------------------------------------


def test_processed_arguments_come_with_their_sentences(tmp_path: Path, register: Callable[..., None]) -> None:
    register(processed(tmp_path, row(), row(id="S2-A2", premises=[], conclusion="", sentences=[])))
    assert read() == [EXPECTED, Argument("S2-A2", "", "", (), "Cars", "https://example.org/1")]


def test_plain_arguments_are_split(tmp_path: Path, register: Callable[..., None]) -> None:
    nowhere = {key: value for key, value in CONTEXT.items() if key != "sourceUrl"}
    register(plain(tmp_path, ITEM, ITEM | {"id": "S2-A2", "premises": [], "context": nowhere | {"topic": ""}}))
    conclusion = (Sentence("S2-A2__CONC__1", "Ban cars"),)
    assert read() == [EXPECTED, Argument("S2-A2", "Ban cars", "", conclusion, "Page", "")]


def test_identity_and_progress(tmp_path: Path, register: Callable[..., None]) -> None:
    register(processed(tmp_path, row(), row(id="S2-A2", sentences=[])))
    corpus = open_corpus(f"irds:{TEST_ID}")
    assert corpus.name == f"irds:{TEST_ID}"
    assert corpus.signature() == {"irds": TEST_ID, "version": ir_datasets.__version__}
    assert corpus.fingerprint() == hashlib.sha256(f"{TEST_ID}\n2".encode()).hexdigest()
    assert (corpus.size_hint(), corpus.position) == (2, 0)
    assert [corpus.position for _ in corpus] == [1, 2]


# ---- topics -------------------------------------------------------------------------

TOPICS = """<topics><topic><number>1</number><title>Ban cars?</title><description>What</description>
<narrative>How</narrative></topic></topics>"""


def test_topics(tmp_path: Path, register: Callable[..., None]) -> None:
    register(processed(tmp_path, row()), ir_datasets.formats.ToucheQueries(Local(tmp_path / "t.xml", TOPICS)))
    assert open_corpus(f"irds:{TEST_ID}").topics() == [Topic("1", "Ban cars?")]


# ---- what is refused ------------------------------------------------------------------------------


def test_without_ir_datasets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    message = 'irds:argsme/1.0: ir_datasets is not installed; pip install "riposte-ltr[irds]"'
    assert complaint(lambda: open_corpus("irds:argsme/1.0")) == message


@pytest.mark.parametrize("dataset", ["", "argsme/2020-04-01/procesed", "no such thing"])
def test_unknown_datasets(dataset: str) -> None:
    message = complaint(lambda: open_corpus(f"irds:{dataset}"))
    assert message.startswith(f"irds:{dataset}: ir_datasets knows no such dataset; ")
    assert ("did you mean argsme/2020-04-01/processed" in message) == dataset.startswith("argsme")


def test_datasets_without_the_part_asked_for(tmp_path: Path, register: Callable[..., None]) -> None:
    register(ir_datasets.formats.TsvDocs(Local(tmp_path / "docs.tsv", "1\ttext\n")))
    assert f"irds:{TEST_ID}: has no arguments among its documents; name one" in complaint(read)
    assert "has no arguments among its documents" in complaint(lambda: open_corpus("irds:argsme"))


def test_bad_documents_are_named(tmp_path: Path, register: Callable[..., None]) -> None:
    register(processed(tmp_path, row(), row()))
    assert f"irds:{TEST_ID}: document 2: the id S1-A1 is already that of document 1; " in complaint(read)


def test_what_ir_datasets_raises_is_one_line(tmp_path: Path, register: Callable[..., None]) -> None:
    register(plain(tmp_path, ITEM | {"premises": [{"text": "a", "stance": "maybe"}]}))
    reason = "ValueError: Unknown stance maybe"
    assert f"irds:{TEST_ID}: ir_datasets could not give the documents ({reason}); check" in complaint(read)


def test_topics_and_judgments_where_commands_take_files(register: Callable[..., None]) -> None:
    class Judged(ir_datasets.formats.BaseQrels):
        def qrels_iter(self) -> Iterator[Any]:
            yield ir_datasets.formats.ToucheQualityQrel("51", "S1-A1", 2, 1, "0")

    class Asked(ir_datasets.formats.BaseQueries):
        def queries_iter(self) -> Iterator[Any]:
            yield ir_datasets.formats.ToucheQuery("51", "Ban cars?", "D", "N")

    register(Judged(), Asked())
    name = f"irds:{TEST_ID}"
    assert read_topics(Path(name)) == [Topic("51", "Ban cars?")]
    assert read_qrels(Path(name)) == {"51": {"S1-A1": 2}}
    assert read_qrels(Path(f"{name}:quality")) == {"51": {"S1-A1": 1}}
    assert "was not judged in coherence; name one of: relevance, quality" in complaint(
        lambda: read_qrels(Path(f"{name}:coherence"))
    )
