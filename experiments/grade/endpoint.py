"""Options of commands that ask a language model."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from ltr.cli.options import Container, add_file, add_number

if TYPE_CHECKING:
    from ltr.remote.chat import ChatOptions

KEY_VARIABLE = "RIPOSTE_API_KEY"
FIXED = {"model", "messages", "response_format", "stream", "n"}
"""Fields of a request that no setting replaces."""


def setting(text: str) -> tuple[str, Any]:
    """An argparse ``type``: NAME=JSON, a field of every request; null leaves it out."""
    name, _, value = text.partition("=")
    try:
        if not name or name in FIXED:
            raise ValueError
        return name, json.loads(value, parse_constant=_refuse)
    except (ValueError, RecursionError):
        what = 'is not NAME=JSON, as in temperature=0.7 or reasoning_effort="low"'
        raise argparse.ArgumentTypeError(f"{text[:80]!r} {what}") from None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def add_endpoint_options(parser: Container, max_tokens: int) -> None:
    """``--endpoint``, ``--model`` and how they are asked; answers have ``max_tokens`` tokens by default."""
    address = "base address of an OpenAI-compatible endpoint, as in http://localhost:8080/v1"
    parser.add_argument("--endpoint", metavar="URL", help=address)
    parser.add_argument("--model", metavar="NAME", help="model, as the endpoint calls it")
    served = "name of the model in answers, where the server uses another one"
    parser.add_argument("--served-as", default="", metavar="NAME", help=served)
    add_file(parser, "--key-file", "file with the API key and nothing else (default: the variable below)")
    variable = "environment variable with the API key (default: %(default)s)"
    parser.add_argument("--key-variable", default=KEY_VARIABLE, metavar="NAME", help=variable)
    add_number(parser, "--max-tokens", "tokens of an answer", max_tokens, 1)
    more = "another field of every request, such as temperature (default: 0); null leaves it out; may repeat"
    parser.add_argument(
        "--set", dest="fields", type=setting, action="append", default=[], metavar="NAME=JSON", help=more
    )
    add_number(parser, "--parallel", "requests at a time", 1, 1, 256)
    add_number(parser, "--timeout", "seconds without a byte; a whole answer may take four times as long", 120, 1, 3600)
    add_number(parser, "--budget-requests", "largest number of requests in this run", 100_000)
    add_number(parser, "--budget-tokens", "largest number of tokens in this run (default: no limit)", None)
    cache = "folder for cached answers (default: in the user's cache, or in RIPOSTE_CACHE)"
    parser.add_argument("--cache", type=Path, metavar="DIR", help=cache)


def request_settings(options: argparse.Namespace) -> dict[str, Any]:
    """Fields of every request."""
    fields = {"temperature": 0, "max_tokens": options.max_tokens, "seed": options.seed} | dict(options.fields)
    return {name: value for name, value in fields.items() if value is not None}


def chat_options(options: argparse.Namespace) -> ChatOptions:
    """The endpoint, its model, and how both are asked."""
    from ltr.remote.chat import ChatOptions  # noqa: PLC0415 the command's --help needs no HTTP

    names = "endpoint model served_as key_file key_variable parallel timeout budget_requests budget_tokens cache"
    given = {name: getattr(options, name) for name in names.split()}
    return ChatOptions(**given, settings=request_settings(options))
