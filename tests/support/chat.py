"""A language model behind an OpenAI-compatible endpoint, as a test says what it answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from support.web import Asked, Reply

MODEL = "tiny"


def completion(content: object, **changes: Any) -> Reply:
    """A whole answer. ``changes`` are of the top level, but ``finish_reason`` and ``refusal``."""
    message = {"role": "assistant", "content": content, "refusal": changes.pop("refusal", None)}
    choice = {"index": 0, "message": message, "finish_reason": changes.pop("finish_reason", "stop")}
    usage = {"prompt_tokens": 90, "completion_tokens": 10, "total_tokens": 100}
    body = {"id": "1", "object": "chat.completion", "created": 1_760_000_000, "model": MODEL, "choices": [choice]}
    return Reply({**body, "usage": usage, **changes})


def grades(why: str = "so it is", **given: object) -> Reply:
    return completion(json.dumps({"why": why, **given}))


def prompt_of(asked: Asked) -> str:
    assert asked.path.endswith("/chat/completions")
    (message,) = asked.json["messages"]
    assert message["role"] == "user"
    return message["content"]


def without_schemas(answer: Callable[[Asked], Reply]) -> Callable[[Asked], Reply]:
    """A server that refuses what it does not know."""

    def reply(asked: Asked) -> Reply:
        if "response_format" in asked.json:
            return Reply({"error": {"message": "unknown field response_format"}}, 400)
        return answer(asked)

    return reply
