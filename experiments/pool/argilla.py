"""Argilla: a dataset folder for ``argilla.Dataset.from_disk``, and the records that ``to_disk`` or ``to_json`` writes.

https://docs.argilla.io/latest/how_to_guides/import_export
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from experiments.pool.files import SUGGESTED, Form, Row, texts_of
from experiments.pool.grades import Annotation
from experiments.pool.rubric import GUIDES

HOLDS = "responses"
"""The member that tells a record from a task of another program."""


def write_files(rows: Sequence[Row], form: Form) -> dict[str, str]:
    """File name -> content: a record a unit with suggested grades, and the settings of their dataset."""
    records = []
    for row in rows:
        grades = {name: row.get(SUGGESTED + name, "") for name in form.dimensions}
        suggestions = {
            name: {"value": str(grade), "agent": "suggested"} for name, grade in grades.items() if grade != ""
        }
        records.append(
            {
                "id": f"{form.pool}-{row['number']}",
                "fields": {name: row[name] for name in ("topic", *texts_of(row))},
                "metadata": {"pool": form.pool, "number": row["number"]},
                "suggestions": suggestions,
                HOLDS: {},
            }
        )
    texts = {"records.json": records, ".argilla/settings.json": _settings(rows[0], form)}
    texts[".argilla/dataset.json"] = {"name": f"pool-{form.pool}"}
    return {f"argilla/{name}": json.dumps(of, ensure_ascii=False, indent=1) + "\n" for name, of in texts.items()}


def read_annotations(record: Mapping[str, Any], dimensions: Sequence[str], where: str) -> Iterator[Annotation]:
    """The grades in a record, of all users. Drafts, discarded ones and other questions are left out.

    Raises KeyError, TypeError, AttributeError or ValueError for a record of another form.
    """
    pool, number = record["metadata"]["pool"], record["metadata"]["number"]
    for name, responses in record[HOLDS].items():
        for response in responses if name in dimensions else ():
            if response.get("status") not in ("draft", "discarded"):
                yield Annotation(where, str(response["user_id"]), pool, number, name, str(response["value"]))


def _settings(row: Row, form: Form) -> dict[str, Any]:
    guide = GUIDES[form.unit]
    text = {"type": "text", "use_markdown": False}
    fields = [
        {"name": name, "title": name.replace("_", ", ").capitalize(), "required": name == "topic", "settings": text}
        for name in ("topic", *texts_of(row))
    ]
    questions = []
    for name in form.dimensions:
        options = [
            {"value": str(n), "text": f"{n}: {meaning}"} for n, meaning in enumerate(guide.rubric[name].meanings)
        ]
        choice = {"type": "label_selection", "options": options}
        title = {"name": name, "title": name.capitalize(), "description": guide.rubric[name].question}
        questions.append(title | {"required": True, "settings": choice})
    metadata = [
        {"name": name, "title": name, "settings": {"type": kind}}
        for name, kind in (("pool", "terms"), ("number", "integer"))
    ]
    return {
        "guidelines": "\n\n".join(guide.how),
        "fields": fields,
        "questions": questions,
        "metadata": metadata,
        "vectors": [],
        "allow_extra_metadata": False,
    }
