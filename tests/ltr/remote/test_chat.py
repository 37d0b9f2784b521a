"""Answers of language models: what is asked, what counts as an answer, the cache, budgets and the key."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Barrier, BrokenBarrierError
from typing import Any

import pytest
from support.chat import MODEL, completion, prompt_of, without_schemas
from support.refusals import complaint as refusal
from support.web import Asked, Reply, Web

from ltr.errors import InputError
from ltr.progress import Progress
from ltr.remote import client as remote_client
from ltr.remote.answers import AnswerError
from ltr.remote.chat import MOST_IN_A_ROW, TRIES, Chat, ChatOptions, Failure, Prompt, open_chat
from ltr.remote.chat import Reply as Found

KEY = "sk-2a3d0e6c-6bd6-5ea2"
SCHEMA = {"type": "object"}


@contextmanager
def opened(web: Web, folder: Path, **changes: Any) -> Iterator[Chat]:
    options = {"endpoint": f"{web.address}/v1", "model": MODEL, "cache": folder / "cache", "timeout": 5} | changes
    with open_chat(ChatOptions(**options), Progress(quiet=True)) as chat:
        yield chat


def read_number(text: str) -> int:
    if not text.isdigit():
        raise AnswerError(f"{text[:20]!r} is not a number")
    return int(text)


def ask(chat: Chat, *texts: str, schema: dict[str, Any] | None = None) -> list[Found[int] | Failure]:
    return chat.ask_all([Prompt(text, schema, "As a number!") for text in texts], read_number)


def values(found: list[Found[int] | Failure]) -> list[int | str]:
    return [one.value if isinstance(one, Found) else one.reason for one in found]


def number_asked(asked: Asked) -> Reply:
    return completion(prompt_of(asked).partition("\n")[0])


def test_what_is_asked_and_what_comes_back(web: Web, tmp_path: Path) -> None:
    web.answer = number_asked
    with opened(web, tmp_path, settings={"temperature": 0, "max_tokens": 9}) as chat:
        assert ask(chat, "7", "8") == [Found(7, "2025-10-09"), Found(8, "2025-10-09")]
        assert chat.tokens == 200
    assert {asked.path for asked in web.asked} == {"/v1/chat/completions"}
    messages = [{"role": "user", "content": "7"}]
    assert web.asked[0].json == {"model": MODEL, "messages": messages, "temperature": 0, "max_tokens": 9}
    assert "authorization" not in web.asked[0].headers


# ---- wrong answers ------------------------------------------------------------------------------------

WRONG = {
    "no number": (completion("I would say seven"), "'I would say seven' is not a number"),
    "empty": (completion(""), "the answer is empty"),
    "no content": (completion(None), "the answer is empty"),
    "thoughts alone": (completion("<think>7, or is it 8"), "the answer is empty"),
    "half": (completion("7", finish_reason="length"), "the answer is cut off at the largest number of tokens"),
    "filtered": (completion("7", finish_reason="content_filter"), "the model refuses: filtered"),
    "refusal": (completion(None, refusal="I can't"), "the model refuses: I can't"),
    "other model": (completion("7", model="huge"), "the answer is by another model, 'huge', not 'tiny'"),
}
FAILED = {
    "no choices": (completion("7", choices=[]), "the interface has changed: 'choices' of the answer is empty"),
    "no message": (completion("7", choices=[{}]), "the interface has changed: 'message' of choice 1 is missing"),
    "10 MB": (completion("7" * (10 << 20)), "an answer has more than 1 MiB"),
    "too long a prompt": (Reply({"error": {"message": "context"}}, 400), "the request is refused (HTTP 400, context)"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_answer_is_asked_for_again_and_then_reported(web: Web, tmp_path: Path, name: str) -> None:
    wrong, reason = WRONG[name]
    web.answer = lambda asked: wrong if prompt_of(asked).startswith("7") else number_asked(asked)
    with opened(web, tmp_path) as chat:
        assert values(ask(chat, "7", "8")) == [reason, 8]
    assert [prompt_of(asked) for asked in web.asked] == ["7", *["7\n\nAs a number!"] * (TRIES - 1), "8"]
    assert len(list(tmp_path.rglob("*.json"))) == 1, "only what can be used is cached"


@pytest.mark.parametrize("name", FAILED)
def test_a_failed_request_is_reported(web: Web, tmp_path: Path, name: str) -> None:
    wrong, reason = FAILED[name]
    web.answer = lambda asked: wrong if prompt_of(asked) == "7" else number_asked(asked)
    with opened(web, tmp_path) as chat:
        assert values(ask(chat, "8", "7", "9")) == [8, reason, 9]
    assert len(web.asked) == 3


def test_a_model_that_never_answers_well_is_not_asked_for_ever(web: Web, tmp_path: Path) -> None:
    web.answer = lambda _: completion("seven")
    with opened(web, tmp_path) as chat, pytest.raises(InputError) as caught:
        ask(chat, *map(str, range(1000)))
    assert f"{MOST_IN_A_ROW} prompts in a row without a usable answer, the last one: 'seven' is not" in str(
        caught.value
    )
    assert len(web.asked) == MOST_IN_A_ROW * TRIES


# ---- schemas ------------------------------------------------------------------------------------------


def test_a_schema_goes_with_the_request(web: Web, tmp_path: Path) -> None:
    web.answer = number_asked
    with opened(web, tmp_path) as chat:
        assert values(ask(chat, "7", schema=SCHEMA)) == [7]
    expected = {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA}}
    assert web.asked[0].json["response_format"] == expected


def test_a_server_without_schemas_is_asked_once(web: Web, tmp_path: Path) -> None:
    web.answer = without_schemas(number_asked)
    with opened(web, tmp_path) as chat:
        assert values(ask(chat, "7", "8", "9", schema=SCHEMA)) == [7, 8, 9]
    assert ["response_format" in asked.json for asked in web.asked] == [True, False, False, False]
    web.asked.clear()
    with opened(web, tmp_path) as chat:
        assert values(ask(chat, "7", "8", "9", schema=SCHEMA)) == [7, 8, 9]
    assert not web.asked, "the cache does not depend on the form of the request"


def test_a_prompt_that_is_refused_says_nothing_about_schemas(web: Web, tmp_path: Path) -> None:
    long = Reply({"error": {"message": "too long"}}, 400)
    web.answer = lambda asked: long if "7" in prompt_of(asked) else number_asked(asked)
    with opened(web, tmp_path) as chat:
        assert values(ask(chat, "7", "8", schema=SCHEMA)) == ["the request is refused (HTTP 400, too long)", 8]
    assert "response_format" in web.asked[-1].json


# ---- stops, the cache and the key ---------------------------------------------------------------------


def complaint(chat: Chat, *texts: str) -> str:
    line = refusal(lambda: ask(chat, *texts))
    assert line.startswith("endpoint: ")
    assert "run the same command again to resume" in line
    assert KEY not in line
    return line


def test_a_budget_of_tokens(web: Web, tmp_path: Path) -> None:
    web.answer = number_asked  # 100 tokens each; 10 + 1 are expected
    with opened(web, tmp_path, budget_tokens=211, settings={"max_tokens": 10}) as chat:
        assert "the budget of 211 tokens is used up" in complaint(chat, *(f"{n}\n.." for n in range(1, 9)))
        assert chat.tokens == 300
    assert len(web.asked) == 3


@pytest.mark.parametrize("status", [401, 403, 404])
def test_some_errors_stop_the_run(web: Web, tmp_path: Path, status: int) -> None:
    web.answer = lambda _: Reply({"error": {"message": "no such thing"}}, status)
    with opened(web, tmp_path, parallel=4) as chat:
        assert f"(HTTP {status}, no such thing)" in complaint(chat, *map(str, range(100)))
    assert len(web.asked) <= 4


def test_a_server_that_fails_at_one_prompt(web: Web, tmp_path: Path) -> None:
    web.answer = lambda asked: Reply("", 500) if prompt_of(asked) == "8" else number_asked(asked)
    with opened(web, tmp_path) as chat:
        assert values(ask(chat, "7", "8", "9")) == [7, "the server reports an error (HTTP 500), 5 times", 9]
    assert len(web.asked) == remote_client.TRIES + 2


def test_several_at_a_time(web: Web, tmp_path: Path) -> None:
    together = Barrier(4, timeout=20)

    def answer(asked: Asked) -> Reply:
        try:
            together.wait()
        except BrokenBarrierError:
            return completion("they came one by one")
        return number_asked(asked)

    web.answer = answer
    with opened(web, tmp_path, parallel=4) as chat:
        assert values(ask(chat, *map(str, range(8)))) == [*range(8)], "in the order of the prompts"


def test_a_key_goes_over_no_open_line(web: Web, tmp_path: Path) -> None:
    key = tmp_path / "key.txt"
    key.write_text(KEY)
    with (
        pytest.raises(InputError, match=r"the key would be sent unencrypted to example\.org"),
        opened(web, tmp_path, endpoint="http://example.org/v1", key_file=key),
    ):
        pass
