"""Pools for Label Studio and Argilla: what they are given, what they give back, and files that they read and write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.environments import python_with, run

from experiments.pool import argilla, label_studio
from experiments.pool.exchange import FORMATS, read_exchange
from experiments.pool.files import Form
from experiments.pool.grades import Sheet, sheets_of
from ltr.errors import InputError

FORM = Form("0123456789ab", "pair", ("relevance", "quality"))
ROWS = [
    {"number": 1, "topic": "T <1>?", "first": "a & b", "second": "ü", "suggested_relevance": 2},
    {"number": 2, "topic": "T <1>?", "first": "c", "second": "d", "suggested_relevance": ""},
]
KEY = {1: None, 2: None}


def graded(sheets: list[Sheet]) -> dict[str, dict[int, list[float]]]:
    """Grader -> number -> relevance and quality."""
    return {sheet.by: {number: list(of[:2]) for number, of in sheet.grades.items()} for sheet in sheets}


def read(path: Path, content: object) -> list[Sheet]:
    path.write_text(json.dumps(content), "utf-8")
    return sheets_of(read_exchange(path, FORM.dimensions), KEY, FORM.pool)


def choice(name: str, grade: str) -> dict[str, Any]:
    return {"from_name": name, "to_name": "second", "type": "choices", "value": {"choices": [grade]}}


# ---- what they are given --------------------------------------------------------------------------


def test_label_studio_tasks_and_interface() -> None:
    files = label_studio.write_files(ROWS, FORM)
    first, second = json.loads(files["label-studio.json"])
    assert first["data"] == {"pool": FORM.pool, "number": 1, "topic": "T <1>?", "first": "a & b", "second": "ü"}
    assert first["predictions"] == [{"model_version": "suggested", "result": [choice("relevance", "2")]}]
    assert "predictions" not in second, "nothing is suggested"
    view = ElementTree.fromstring(files["label-studio.xml"])
    assert [box.get("name") for box in view.findall("Choices")] == ["relevance", "quality"]
    assert [option.get("alias") for option in view.findall("Choices/Choice")] == [*"012012"]
    assert {text.get("value") for text in view.findall("Text")} == {"$first", "$second"}


def test_argilla_records_and_settings() -> None:
    files = {name: json.loads(text) for name, text in argilla.write_files(ROWS, FORM).items()}
    first, second = files["argilla/records.json"]
    assert first["fields"] == {"topic": "T <1>?", "first": "a & b", "second": "ü"}
    assert (first["id"], first["metadata"]) == ("0123456789ab-1", {"pool": FORM.pool, "number": 1})
    assert (first["suggestions"], second["suggestions"]) == ({"relevance": {"value": "2", "agent": "suggested"}}, {})
    settings = files["argilla/.argilla/settings.json"]
    assert [question["name"] for question in settings["questions"]] == ["relevance", "quality"]
    assert [field["name"] for field in settings["fields"]] == ["topic", "first", "second"]


# ---- what they give back --------------------------------------------------------------------------


def label_studio_task(number: object, *annotations: dict[str, Any], pool: str = FORM.pool) -> dict[str, Any]:
    return {"id": 7, "data": {"pool": pool, "number": number}, "annotations": list(annotations)}


def annotation(by: object, relevance: str, **more: object) -> dict[str, Any]:
    comment = {"from_name": "why", "type": "textarea", "value": {"text": ["so"]}}
    return {"completed_by": by, "result": [choice("relevance", relevance), comment], **more}


def test_annotations_of_label_studio(tmp_path: Path) -> None:
    ann = {"id": 3, "email": "ann@example.org"}
    tasks = [
        label_studio_task(1, annotation(ann, "2"), annotation(5, "0")),
        label_studio_task(2, annotation(ann, "1"), annotation({"id": 6}, "0", was_cancelled=True)),
    ]
    found = read(tmp_path / "export.json", tasks)
    nan = pytest.approx(float("nan"), nan_ok=True)
    assert graded(found) == {"ann@example.org": {1: [2, nan], 2: [1, nan]}, "annotator-5": {1: [0, nan]}}


def test_responses_of_argilla(tmp_path: Path) -> None:
    def record(number: int, **responses: list[dict[str, str]]) -> dict[str, Any]:
        return {"metadata": {"pool": FORM.pool, "number": number}, "responses": responses}

    records = [
        record(1, relevance=[{"value": "2", "user_id": "u1"}, {"value": "1", "user_id": "u2"}], other=[{"value": "x"}]),
        record(2, quality=[{"value": "0", "user_id": "u1"}, {"value": "1", "user_id": "u2", "status": "draft"}]),
    ]
    nan = pytest.approx(float("nan"), nan_ok=True)
    assert graded(read(tmp_path / "records.json", records)) == {"u1": {1: [2, nan], 2: [nan, 0]}, "u2": {1: [1, nan]}}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({}, "export.json: is not a list of tasks"),
        ([[]], "export.json task 1: has neither 'annotations' nor 'responses'"),
        ([label_studio_task(1, {"result": []})], r"task 1: is not as Label Studio exports it \(KeyError"),
        ([label_studio_task("1", annotation(1, "1"))], "number is not a whole number"),
        ([label_studio_task(3, annotation(1, "1"))], "task 1: number 3 is not in the key; use 1 to 2"),
        ([label_studio_task(1, annotation(1, "3"))], "task 1: grade '3' of number 1 is not valid; write 0, 1 or 2"),
        ([label_studio_task(1, annotation(1, "1"), pool="ab")], "task 1: the grades are of another pool"),
        (
            [label_studio_task(1, annotation(1, "1"), annotation(1, "2"))],
            "task 1: annotator-1 gives number 1 two grades in relevance; keep one",
        ),
        ([{"responses": {"relevance": 5}, "metadata": {"pool": "", "number": 1}}], "is not as Argilla exports it"),
    ],
)
def test_bad_exports(tmp_path: Path, content: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read(tmp_path / "export.json", content)


def test_no_json(tmp_path: Path) -> None:
    (tmp_path / "export.json").write_text("[" * 100_000)
    with pytest.raises(InputError, match=r"export.json: is not JSON; name a JSON export of label-studio or argilla"):
        list(read_exchange(tmp_path / "export.json", FORM.dimensions))


NAMES = "annotations responses metadata data pool number result completed_by relevance value choices from_name".split()
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5),
)


@given(st.lists(st.dictionaries(st.sampled_from(NAMES), VALUES), min_size=1, max_size=3))
def test_whatever_is_read_ends_in_grades_or_one_message(tmp_path_factory: pytest.TempPathFactory, tasks: list) -> None:
    said = ""
    try:
        read(tmp_path_factory.getbasetemp() / "wild.json", tasks)
    except InputError as error:
        said = str(error)
    assert "\n" not in said


# ---- their own packages ---------------------------------------------------------------------------

LABEL_STUDIO = """
import json, sys
from label_studio_sdk.converter import Converter
from label_studio_sdk.label_interface import LabelInterface
from label_studio_sdk.label_interface.objects import AnnotationValue, PredictionValue, TaskValue

folder = sys.argv[1]
interface = LabelInterface(open(f"{folder}/label-studio.xml", encoding="utf-8").read())
interface.validate()
exported = []
for number, task in enumerate(json.load(open(f"{folder}/label-studio.json", encoding="utf-8"))):
    assert interface.validate_task({"data": task["data"]})
    for prediction in task.get("predictions", []):
        assert not interface.validate_prediction(prediction, return_errors=True)
        PredictionValue(**prediction)
    result = [interface.get_control(name).label(str(number))._dict() for name in ("relevance", "quality")]
    annotation = AnnotationValue(completed_by=4, result=result).model_dump()
    assert interface.validate_annotation(annotation), annotation
    exported.append({"id": number, **TaskValue(data=task["data"]).model_dump(), "annotations": [annotation]})
json.dump(exported, open(f"{folder}/labelled.json", "w"))
Converter(interface.config, folder).convert_to_json(f"{folder}/labelled.json", folder, is_dir=False)
"""

ARGILLA = """
import json, sys, uuid
from pathlib import Path
from unittest.mock import MagicMock
import argilla as rg
from argilla.records._io import JsonIO

rg.Argilla._default_client = MagicMock()  # a server, which files do not need
folder = Path(sys.argv[1]) / "argilla"
settings = rg.Settings.from_json(folder / ".argilla/settings.json")
settings.validate()
assert [question.name for question in settings.questions] == ["relevance", "quality"]
assert settings.questions[0].labels == ["0", "1", "2"], settings.questions[0].labels
rg.Dataset._load_dataset_model(folder / ".argilla/dataset.json")
records = JsonIO._records_from_json(folder / "records.json")
assert records[0].suggestions["relevance"].value == "2"
for number, record in enumerate(records):
    for name in ("relevance", "quality"):
        record.responses.add(rg.Response(name, str(number), user_id=uuid.UUID(int=4), status="submitted"))
JsonIO.to_json(records, folder.parent / "result.json")
"""


@pytest.mark.system
@pytest.mark.parametrize(
    ("program", "packages", "script"),
    [("label-studio", ["label-studio-sdk==2.*"], LABEL_STUDIO), ("argilla", ["argilla==2.*", "requests"], ARGILLA)],
    ids=["label-studio", "argilla"],
)
def test_their_packages_read_and_write(tmp_path: Path, program: str, packages: list[str], script: str) -> None:
    python = python_with(*packages)
    for name, text in FORMATS[program].write_files(ROWS, FORM).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    run(python, "-c", script, tmp_path)
    (sheet,) = sheets_of(read_exchange(tmp_path / "result.json", FORM.dimensions), KEY, FORM.pool)
    assert graded([sheet]) == {sheet.by: {1: [0, 0], 2: [1, 1]}}
    assert sheet.by in ("annotator-4", "00000000-0000-0000-0000-000000000004")
