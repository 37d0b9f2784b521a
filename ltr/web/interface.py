"""The JSON interface in OpenAPI: schemas of answers are those of their classes, with the docstrings as descriptions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import ConfigDict, TypeAdapter, with_config

from ltr import __version__
from ltr.answers.answer import Answer, Result, Snippet
from ltr.answers.points import Point
from ltr.web.answerer import COUNT, LARGEST, LONGEST, MOST
from models.defaults import BLENDS

Schema = dict[str, Any]

_REF = "#/components/schemas/{model}"
_TEXT: Schema = {"type": "string"}
_NUMBERS: Schema = {"type": "object", "additionalProperties": {"type": "number"}}
_BLEND = (
    "a weight for each dimension of the task, and then, where they change, for each baseline in the blend, in the "
    f"order of /health, each 0 or from 0.001 to 1000; or one of {', '.join(BLENDS)}; default: the model's weights"
)
_QUESTION: Schema = {"type": "string", "minLength": 1, "maxLength": LONGEST}
_SCHEMAS: dict[str, tuple[str, Schema]] = {
    "task": ("name of a task, see /health; default: the first one", _TEXT),
    "q": ("the question", _QUESTION),
    "k": ("number of results per side", {"type": "integer", "minimum": 1, "maximum": MOST, "default": COUNT}),
    "blend": (_BLEND, {**_TEXT, "examples": ["1,.35,.4", "readable"]}),
    "as_typed": ("1: correct no misspelt words", {"enum": ["0", "1"], "default": "0"}),
    "agree": ("a conclusion that says what is asked; may be repeated", _TEXT),
    "oppose": ("a conclusion that says the opposite of what is asked; may be repeated", _TEXT),
    "topic": ("number of the topic in the run, one word", {**_QUESTION, "default": "1"}),
    "id": ("id of the argument", _TEXT),
}
_PATHS = {
    "/health": ("State of the server, and its tasks", "", "Health"),
    "/api/search": ("The best results of each side", "task q k blend as_typed agree oppose", "Answer"),
    "/api/reasons": (
        "Contribution of each feature family to the scores that a search with the same parameters returns",
        "task q k blend as_typed agree oppose",
        "Reasons",
    ),
    "/api/run": ("The whole ranking, up to 1,000 items, as a TREC run", "task q blend as_typed topic", ""),
    "/api/argument": (
        f"An argument or a document with its sentences, up to {LARGEST:,} characters",
        "task id",
        "Argument",
    ),
}
PARAMETERS = {path: names.split() for path, (_, names, _) in _PATHS.items()}
"""Path -> the names of its parameters."""


def interface() -> Schema:
    """The document at /api/openapi.json."""
    info = {
        "title": "Riposte",
        "version": __version__,
        "summary": "Search in a corpus of arguments",
        "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
    }
    paths = {path: {"get": _operation(path, summary, schema)} for path, (summary, _, schema) in _PATHS.items()}
    return {"openapi": "3.1.0", "info": info, "paths": paths, "components": {"schemas": _schemas()}}


def _operation(path: str, summary: str, schema: str) -> Schema:
    text, names = {"text/plain": {"schema": _TEXT}}, PARAMETERS[path]
    failed = {"description": "what is wrong, in one line; text alone where too many requests wait"}
    responses = {
        "200": {"description": "the answer", "content": _json(schema) if schema else text},
        "default": {**failed, "content": _json("Error") | text},
    }
    parameters = [
        {"name": name, "in": "query", "required": name in ("q", "id"), "description": about, "schema": field}
        for name in names
        for about, field in [_SCHEMAS[name]]
    ]
    return {
        "operationId": path.rpartition("/")[2],
        "summary": summary,
        "parameters": parameters,
        "responses": responses,
    }


def _json(schema: str) -> Schema:
    return {"application/json": {"schema": {"$ref": _REF.format(model=schema)}}}


def _schemas() -> dict[str, Schema]:
    written = ConfigDict(
        use_attribute_docstrings=True, extra="forbid", json_schema_serialization_defaults_required=True
    )
    for cls in (Answer, Result, Snippet, Point):
        with_config(written)(cls)
    of_answer = TypeAdapter(Answer).json_schema(mode="serialization", ref_template=_REF)
    schemas, answer = of_answer["$defs"], of_answer["properties"]
    result = schemas["Result"]["properties"]
    result["scores"] = result.pop("grades")
    names = dict.fromkeys(("task", "topic", "unit", "corpus", "model", "trained"), _TEXT)
    group = _object(side=_TEXT, heading=_TEXT)
    for name in ("toward", "expected"):
        answer.pop(name)
    answer |= {
        **names,
        "weights": _NUMBERS,
        "words": _array(_TEXT, "words of the texts that the question has, in any form"),
        "groups": _array(group, "sides in the order to show them"),
        "expected_relevance": {"type": ["number", "null"], "description": "mean expected grade of the five best"},
        "sides_known": {**_TEXT, "description": "how many results have a side"},
        "sides": {"enum": ["question", "conclusion"], "description": "what the stances of results are toward"},
    }
    sentence = _object(id=_TEXT, role={"enum": ["premise", "conclusion"]}, text=_TEXT)
    task = _object(arguments={"type": "integer"}, weights=_NUMBERS, corpus=_TEXT, model=_TEXT, trained=_TEXT)
    return {
        **schemas,
        "Result": _object(id=_TEXT, side=_TEXT, **result),
        "Answer": _object(("sides", "headings", "sides_known", "ask"), **answer),
        "Reasons": _object(
            question=_TEXT,
            families=_array(_object(dimension=_TEXT, family=_TEXT), "by dimension, or by baseline in the blend"),
            units={"type": "object", "additionalProperties": _array({"type": "number"}, "contribution of each family")},
        ),
        "Argument": _object(
            id=_TEXT, stance={"type": ["string", "null"]}, debate=_TEXT, url=_TEXT, sentences=_array(sentence)
        ),
        "Health": _object(
            status={"const": "ok"}, version=_TEXT, tasks={"type": "object", "additionalProperties": task}
        ),
        "Error": _object(error={**_TEXT, "description": "what is wrong, in one line"}),
    }


def _object(optional: Sequence[str] = (), /, **properties: Schema) -> Schema:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "required": required, "additionalProperties": False, "properties": properties}


def _array(items: Schema, description: str = "") -> Schema:
    return {"type": "array", "items": items, **({"description": description} if description else {})}
