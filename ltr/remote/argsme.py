"""args.me: arguments from debate portals.

Wachsmuth et al. 2017, "Building an Argument Search Engine for the Web", https://doi.org/10.18653/v1/W17-5106.
"""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlencode

from ltr.data.ids import is_name
from ltr.remote.answers import AnswerError, member, objects, parse_object, text
from ltr.remote.cache import Request
from ltr.remote.client import Client
from ltr.remote.hits import Hit

ADDRESS: Final = "https://www.args.me"

_CONTEXT = ("topic", "discussionTitle", "sourceDomain", "sourceId", "sourceTitle", "sourceUrl")


class ArgsMe:
    """Search by the engine of args.me, which needs no key."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def search(self, query: str, depth: int) -> list[Hit]:
        """The best arguments, best first. Raises InputError."""
        asked = urlencode({"query": query, "pageSize": depth, "format": "json"})
        return self._client.ask(Request(f"/api/v2/arguments?{asked}"), _arguments)[:depth]


def _arguments(answer: str) -> list[Hit]:
    listed = objects(parse_object(answer), "arguments", "the answer")
    hits = [_hit(argument, f"argument {place}") for place, argument in enumerate(listed, 1)]
    return [hit for hit in hits if hit.text]


def _hit(argument: dict[str, Any], what: str) -> Hit:
    """An argument in the form of args.me JSON. The title stays empty: all arguments of a debate have the same one."""
    name = member(argument, "id", str, what)
    if not is_name(name):
        raise AnswerError(f"'id' of {what} is not one word")
    context = member(argument, "context", dict, what) if argument.get("context") else {}
    premises = []
    for premise in objects(argument, "premises", what):
        stance = text(premise, "stance", what) or text(argument, "stance", what)
        premises.append({"text": text(premise, "text", f"a premise of {what}"), "stance": stance})
    fields = {
        "id": name,
        "conclusion": text(argument, "conclusion", what),
        "premises": premises,
        "context": {key: text(context, key, f"the context of {what}") for key in _CONTEXT if context.get(key)},
    }
    return Hit(name, "", " ".join(premise["text"] for premise in premises).strip(), fields)
