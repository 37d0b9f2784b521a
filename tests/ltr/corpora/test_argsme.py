from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ijson
import pytest
from support.refusals import corpus_complaint

from ltr.corpora.argument import Argument, Sentence
from ltr.corpora.source import open_corpus

FIRST: dict[str, Any] = {
    "id": "S1-A1",
    "conclusion": "Ban all cars",
    "premises": [
        {"text": "Cars smell. They\nare loud!  ", "stance": "CON", "annotations": []},
        {"text": " \n", "stance": None},
        {"text": "Bikes don't.", "stance": "against"},
    ],
    "context": {"sourceTitle": "Page", "discussionTitle": "Cars", "sourceUrl": "https://example.org/1", "x": 1.5},
}


@pytest.fixture
def saved(tmp_path: Path) -> Callable[..., Path]:
    def save(content: object, name: str = "args-me.json") -> Path:
        path = tmp_path / name
        if not isinstance(content, bytes):
            content = json.dumps({"arguments": content}).encode()
        path.write_bytes(content)
        return path

    return save


# ---- what is read ---------------------------------------------------------------------------------


def test_premises_are_split_and_numbered_through(saved: Callable[..., Path]) -> None:
    assert list(open_corpus(str(saved([FIRST]).parent))) == [
        Argument(
            id="S1-A1",
            conclusion="Ban all cars",
            stance="CON",
            sentences=(
                Sentence("S1-A1__PREMISE__1", "Cars smell."),
                Sentence("S1-A1__PREMISE__2", "They\nare loud!"),
                Sentence("S1-A1__PREMISE__3", "Bikes don't."),
                Sentence("S1-A1__CONC__1", "Ban all cars"),
            ),
            title="Cars",
            url="https://example.org/1",
        )
    ]


def test_what_may_be_missing(saved: Callable[..., Path]) -> None:
    bare, odd = open_corpus(
        str(saved([{"id": "S1-A1", "premises": []}, FIRST | {"id": "S2-A2", "conclusion": None, "context": None}]))
    )
    assert bare == Argument("S1-A1", "", "", (), "", "")
    assert (odd.conclusion, odd.title, odd.url, len(odd.sentences)) == ("", "", "", 3)


@pytest.mark.parametrize("backend", [ijson.backend, "python"])
def test_texts_can_be_written_as_utf8(
    backend: str, saved: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ijson, "items", ijson.get_backend(backend).items)
    (argument,) = open_corpus(str(saved([FIRST | {"premises": [{"text": "half \ud83d", "stance": "PRO"}]}])))
    assert argument.sentences[0].text.encode().startswith(b"half ")


def test_other_json_in_a_directory_is_no_corpus(saved: Callable[..., Path]) -> None:
    saved(b'{"features": []}', "manifest.json")
    path = saved([FIRST])
    assert open_corpus(str(path.parent)).name == str(path)


def test_all_json_files_of_a_directory_are_one_corpus(saved: Callable[..., Path]) -> None:
    # As the lab hands them out, one a portal; their ids are those of version 1 of args.me here.
    ids = [f"c67482ba-2019-04-18T13:32:05Z-00000-00{n}" for n in range(3)]
    path = saved([FIRST | {"id": ids[2]}], "idebate.json")
    saved([FIRST | {"id": ids[0]}, FIRST | {"id": ids[1]}], "debateorg.json")
    corpus = open_corpus(str(path.parent))
    assert [argument.id for argument in corpus] == ids
    assert [[argument.id for argument in part] for part in corpus.parts()] == [ids[:2], ids[2:]]
    assert corpus.position == corpus.size_hint() == sum(file.stat().st_size for file in path.parent.glob("*.json"))
    before = corpus.fingerprint()
    saved([FIRST | {"id": ids[0]}], "idebate.json")
    assert corpus.fingerprint() != before
    assert f"{path.parent}: argument 3: the id {ids[0]} is already that of argument 1" in corpus_complaint(path.parent)
    saved([{**FIRST, "id": ids[2], "premises": 1}], "idebate.json")
    assert f"{path}: argument 1: {ids[2]} has no list of premises" in corpus_complaint(path.parent)


# ---- what is refused ------------------------------------------------------------------------------

WITHOUT_ID = {key: value for key, value in FIRST.items() if key != "id"}


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (WITHOUT_ID, "has no id; args.me JSON has"),
        (FIRST | {"id": 7}, "the id is not a string; args.me JSON has"),
        (FIRST | {"id": ""}, "the id is empty; give"),
        (FIRST | {"id": "S2 A2"}, "the id 'S2 A2' holds white space"),
        (FIRST, "the id S1-A1 is already that of argument 1; keep one of the two arguments"),
        (FIRST | {"id": "S2", "conclusion": 3}, "the conclusion of S2 is not a string"),
        (FIRST | {"id": "S2", "premises": None}, "S2 has no list of premises"),
        (FIRST | {"id": "S2", "premises": ["text"]}, "a premise of S2 is not a JSON object"),
        (FIRST | {"id": "S2", "premises": [{"stance": "PRO"}]}, "a premise of S2 has no text"),
        (FIRST | {"id": "S2", "context": ["x"]}, "the context of S2 is not a JSON object"),
        ("S2-A2", "is not a JSON object"),
        (None, "is not a JSON object"),
    ],
)
def test_bad_arguments_are_named(saved: Callable[..., Path], second: object, message: str) -> None:
    path = saved([FIRST, second])
    assert corpus_complaint(path).startswith(f"{path}: argument 2: {message}")


WHOLE = json.dumps({"arguments": [FIRST, FIRST | {"id": "S2-A2"}]}).encode()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of generators in ijson's Python
@pytest.mark.parametrize("backend", [ijson.backend, "python"])
@pytest.mark.parametrize(
    "content",
    [
        b"",
        WHOLE[:-30],
        WHOLE[:-1],
        WHOLE + b"}",
        WHOLE.replace(b'"S2-A2"', b"S2-A2"),
        WHOLE.replace(b"S2-A2", b"S2\n\0"),
        WHOLE.replace(b"Ban", b"B\xe9n"),
        WHOLE.decode().encode("utf-16"),
    ],
)
def test_broken_json(content: bytes, backend: str, saved: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ijson, "items", ijson.get_backend(backend).items)
    path = saved(content)
    message = corpus_complaint(path)
    assert message.startswith(f"{path}: argument ")
    assert "is not whole JSON (" in message
    assert message.endswith("; copy or download the file again")


@pytest.mark.parametrize("content", [b"[]", b'{"arguments": {}}', b'{"arguments": []}', b'{"other": 1}'])
def test_json_without_arguments(saved: Callable[..., Path], content: bytes) -> None:
    path = saved(content)
    assert corpus_complaint(path) == f"{path}: there are no arguments in it; name a corpus with at least one"
