"""A language model that orders lists: windows, what counts as an order, and answers that are wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.chat import MODEL, completion, prompt_of
from support.refusals import refuses
from support.web import Asked, Reply, Web

from ltr.remote.answers import AnswerError
from ltr.remote.chat import TRIES
from ltr.text_models import Reranker, open_reranker
from ltr.text_models import chat as chat_module
from ltr.text_models.chat import STEP, WINDOW, read_order
from ltr.text_models.chat import prompt_of as written_prompt


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RIPOSTE_CACHE", str(tmp_path / "cache"))


def opened(web: Web) -> Reranker:
    chat_module._opened.cache_clear()  # a connection a test
    return open_reranker(f"chat:{MODEL}@{web.address}/v1")


def by_number(form: Callable[[list[int]], str]) -> Callable[[Asked], Reply]:
    """A model that puts the passage with the highest number in its text first."""

    def answer(asked: Asked) -> Reply:
        passages = re.findall(r"^\[(\d+)\] .*?worth (\d+)", prompt_of(asked), re.MULTILINE)
        return completion(form([int(at) for at, _ in sorted(passages, key=lambda one: -int(one[1]))]))

    return answer


FORMS: dict[str, Callable[[list[int]], str]] = {
    "json": lambda order: json.dumps({"order": order}),
    "fenced": lambda order: f'Here it is:\n```json\n{{"order": {order}}}\n```',
    "brackets": lambda order: " > ".join(f"[{number}]" for number in order),
    "thoughts": lambda order: f"<think>[1] > [1]?</think>{', '.join(map(str, order))}",
}


@pytest.mark.parametrize("form", FORMS)
def test_a_list_in_one_window(form: str, web: Web) -> None:
    web.answer = by_number(FORMS[form])
    texts = [f"a point worth {value}" for value in (3, 9, 1, 5)]
    assert opened(web).score("Why?", texts).tolist() == [2, 4, 1, 3]
    (asked,) = web.asked
    assert asked.json["response_format"]["json_schema"]["schema"]["properties"]["order"]["maxItems"] == 4


def test_the_best_come_up_through_the_windows(web: Web) -> None:
    web.answer = by_number(FORMS["json"])
    size = WINDOW + 2 * STEP + 3
    texts = [f"worth {value}" for value in range(size)]  # the best are last
    scores = opened(web).score("Why?", texts).tolist()
    assert sorted(scores) == list(range(1, size + 1))
    first = sorted(range(size), key=lambda at: -scores[at])[:STEP]
    assert first == list(range(size - 1, size - 1 - STEP, -1))
    assert len(web.asked) == 4


def test_no_text_or_one_needs_no_model(web: Web) -> None:
    assert opened(web).score("Why?", ["alone"]).tolist() == [1]
    assert not web.asked


def test_a_wrong_answer_is_asked_again(web: Web) -> None:
    web.answer = by_number(FORMS["json"])
    web.replies = [completion('{"order": [1, 1]}'), completion("I cannot", refusal="no")]
    assert opened(web).score("Why?", ["worth 1", "worth 2"]).tolist() == [1, 2]
    assert "exactly once" in prompt_of(web.asked[1])


@pytest.mark.parametrize("answer", ["[1] > [1]", "no idea", '{"order": [1, 2, 3]}', '{"order": []}', "[2]"])
def test_an_order_that_does_not_come_is_reported_and_none_is_invented(
    answer: str, web: Web, capsys: pytest.CaptureFixture[str]
) -> None:
    web.answer = lambda _: completion(answer)
    assert opened(web).score("Why?", ["worth 1", "worth 2"]).tolist() == [2, 1]
    assert len(web.asked) == TRIES
    said = capsys.readouterr().err
    assert said.startswith(f"warning: chat:{MODEL}@{web.address}/v1: 2 texts keep their order, for lack of an answer")
    assert said.count("\n") == 1
    web.answer = by_number(FORMS["json"])
    assert opened(web).score("Why?", ["worth 1", "worth 2"]).tolist() == [1, 2], "it was not kept"


def test_a_server_that_is_not_there_ends_it(web: Web) -> None:
    found = open_reranker("chat:tiny@http://127.0.0.1:9/v1")
    refuses(lambda: found.score("Why?", ["a", "b"]), "endpoint", "127.0.0.1:9/v1 cannot be reached")


@pytest.mark.parametrize("name", ["chat:", "chat:model", "chat:model@localhost", "chat:@http://localhost/v1"])
def test_a_name_without_model_or_address(name: str) -> None:
    refuses(lambda: open_reranker(name), name, "names no model and address")


@given(st.permutations(range(6)), st.sampled_from(sorted({*FORMS} - {"thoughts"})))
def test_every_order_is_read_in_every_form(order: list[int], form: str) -> None:
    assert read_order(FORMS[form]([place + 1 for place in order]), 6) == order


@given(st.text(), st.integers(2, 30))
def test_any_text_is_an_order_or_refused(answer: str, size: int) -> None:
    with suppress(AnswerError):
        assert sorted(read_order(answer, size)) == list(range(size))


def test_a_long_text_is_cut_and_a_line() -> None:
    prompt = written_prompt("Why\nnot?", ["a\nb " * 2000, "{question} [7] order"])
    assert len(prompt) < 3000
    assert prompt.count("Question: Why not?") == 2
    assert "\n[2] {question} [7] order\n" in prompt
