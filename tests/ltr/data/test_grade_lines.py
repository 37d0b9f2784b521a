"""The schemas of votes and graded pairs, beside the reader that follows them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from ltr.data.grade_lines import GRADED_PAIR, VOTE, Schema, read_grade_lines
from ltr.data.qrels import GRADE_LIMIT, read_pair_qrels
from ltr.errors import InputError

PAIR = "S1-A1__PREMISE__1,S1-A1__CONC__1"


@pytest.mark.parametrize("schema", [VOTE, GRADED_PAIR], ids=["vote", "graded pair"])
@pytest.mark.parametrize(
    "more",
    [
        *({"topic": 51}, {"topic": True}, {"topic": "5 1"}, {"topic": ""}, {"topic": None}, {"id": ""}, {"id": [PAIR]}),
        *({"grade": 0.5}, {"grade": -2}, {"grade": "2"}, {"grade": False}, {"grade": 2 * GRADE_LIMIT}, {"by": "me"}),
        *({"scale": [0, 2]}, {"grade": None}),
    ],
    ids=str,
)
def test_the_reader_takes_what_the_schema_allows(schema: Schema, more: dict[str, Any], tmp_path: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(schema)
    row = {"topic": "51", "id": PAIR, "grade": 1, **more}
    for fields in (row, *({key: row[key] for key in row if key != left} for left in schema["required"])):
        path = tmp_path / "x.jsonl"
        path.write_text(json.dumps(fields) + "\n", "utf-8")
        valid = jsonschema.Draft202012Validator(schema).is_valid(fields)
        try:
            read = [line.grade for line in read_grade_lines(path, schema)]
        except InputError:
            read = ["refused"]
        assert (read != ["refused"]) == valid
        assert read in (["refused"], [] if fields.get("grade") is None else [fields["grade"]])


@pytest.mark.parametrize(
    ("id_", "refused"), [(PAIR, ""), ("S1-A1", "not a pair"), ("a,b,c", "not a pair"), ("a,", "pair")]
)
def test_graded_pairs_are_read_from_json_lines(id_: str, refused: str, tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps({"topic": 51, "id": id_, "grade": 2}) + "\n")
    assert jsonschema.Draft202012Validator(GRADED_PAIR).is_valid({"topic": 51, "id": id_, "grade": 2}) == (not refused)
    if refused:
        with pytest.raises(InputError, match=refused):
            read_pair_qrels([("relevance", path)])
    else:
        assert read_pair_qrels([("relevance", path)]) == {"relevance": {"51": {id_: 2}}}
