"""Label Studio: a labelling interface with tasks to import, and the annotations that it exports as JSON.

https://labelstud.io/guide/task_format
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

from experiments.pool.files import SUGGESTED, TEXTS, Form, Row, texts_of
from experiments.pool.grades import Annotation
from experiments.pool.rubric import GUIDES

HOLDS = "annotations"
"""The member that tells an exported task from one of another program."""


def write_files(rows: Sequence[Row], form: Form) -> dict[str, str]:
    """File name -> content: the labelling interface, and a task a unit; suggested grades are predictions."""
    tasks = []
    for row in rows:
        data = {"pool": form.pool} | {name: cell for name, cell in row.items() if not name.startswith(SUGGESTED)}
        grades = {name: row.get(SUGGESTED + name, "") for name in form.dimensions}
        result = [_result(form, name, str(grade)) for name, grade in grades.items() if grade != ""]
        tasks.append(
            {"data": data} | ({"predictions": [{"model_version": "suggested", "result": result}]} if result else {})
        )
    text = json.dumps(tasks, ensure_ascii=False, indent=1) + "\n"
    return {"label-studio.json": text, "label-studio.xml": _interface(rows[0], form)}


def read_annotations(task: Mapping[str, Any], dimensions: Sequence[str], where: str) -> Iterator[Annotation]:
    """The grades in an exported task. Cancelled annotations and other fields are left out.

    Raises KeyError, TypeError, AttributeError or ValueError for a task of another form.
    """
    for annotation in task[HOLDS]:
        if annotation.get("was_cancelled"):
            continue
        person = annotation["completed_by"]
        by = (
            f"annotator-{person}"
            if isinstance(person, int)
            else str(person.get("email") or f"annotator-{person['id']}")
        )
        for result in annotation["result"]:
            if (name := result.get("from_name")) in dimensions:
                (grade,) = result["value"]["choices"]
                yield Annotation(where, by, task["data"]["pool"], task["data"]["number"], name, str(grade))


def _result(form: Form, dimension: str, grade: str) -> dict[str, Any]:
    where = {"from_name": dimension, "to_name": TEXTS[form.unit][-1], "type": "choices"}
    return where | {"value": {"choices": [grade]}}


def _interface(row: Row, form: Form) -> str:
    view = ElementTree.Element("View")
    ElementTree.SubElement(view, "Header", value="$topic")
    for name in texts_of(row):
        ElementTree.SubElement(view, "Header", value=name.replace("_", ", ").capitalize(), size="5")
        ElementTree.SubElement(view, "Text", name=name, value=f"${name}")
    for name in form.dimensions:
        criterion = GUIDES[form.unit].rubric[name]
        ElementTree.SubElement(view, "Header", value=f"{name.capitalize()}: {criterion.question}", size="4")
        choices = {"name": name, "toName": TEXTS[form.unit][-1], "choice": "single-radio", "required": "true"}
        box = ElementTree.SubElement(view, "Choices", choices)
        for grade, meaning in enumerate(criterion.meanings):
            ElementTree.SubElement(box, "Choice", value=f"{grade}: {meaning}", alias=str(grade))
    ElementTree.indent(view)
    return ElementTree.tostring(view, encoding="unicode") + "\n"
