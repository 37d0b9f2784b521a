"""The commands of the page on public judgments run, on small files in exactly the published layouts."""

from __future__ import annotations

import csv
import io
import json
import tarfile
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from support.pages import commands, module_words

from ltr.cli.main import COMMANDS
from ltr.data.runs import read_run

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "public-judgments.md").read_text("utf-8")
SETS = dict(zip(["touche-2022"], PAGE.split("\n## ")[1:], strict=True))
TITLES = ["Should a town build a tram?", "Should cities keep their pools?"]
CLAIMS = ["The town should build a tram", "Cities should keep their pools"]
TEXTS = [
    ["A tram carries many more people than a bus.", "Towns with a tram have cleaner air."],
    ["Children learn to swim in pools of their cities.", "A pool is open in winter."],
]
DIMENSIONS = ["relevance", "quality", "coherence"]


def touche_2022(folder: Path) -> None:
    """Rows as in args_processed_04_01.csv, whose last three columns are Python literals."""
    table, qrels = io.StringIO(), ""
    rows = csv.writer(table)
    rows.writerow(["id", "conclusion", "premises", "context", "sentences"])
    for topic, (claim, texts) in enumerate(zip(CLAIMS, TEXTS, strict=True), 1):
        for number in range(4):
            id_ = f"S{topic}a-A{topic}{number}b"
            spoken = [f"{text} It is said {number} times." for text in texts]
            sentences = [{"sent_id": f"{id_}__PREMISE__{n}", "sent_text": text} for n, text in enumerate(spoken, 1)]
            sentences.append({"sent_id": f"{id_}__CONC__1", "sent_text": claim})
            premises = [{"text": " ".join(spoken), "stance": "PRO" if number % 2 else "CON", "annotations": []}]
            context = {
                "sourceId": f"S{topic}a",
                "sourceTitle": claim,
                "sourceUrl": "https://x.org",
                "mode": "discussion",
            }
            rows.writerow([id_, claim, premises, context, sentences])
            qrels += f"{topic} 0 {id_}__PREMISE__1,{id_}__CONC__1 {number % 3}\n"
            qrels += f"{topic} 0 {id_}__PREMISE__2,{id_}__PREMISE__1 {2 - number % 3}\n"
    content = table.getvalue().encode()
    with tarfile.open(folder / "args_processed_04_01.tar.gz", "w:gz") as archive:
        member = tarfile.TarInfo("args_processed_04_01.csv")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    topics = "".join(
        f"<topic>\n<number>{number}</number>\n<title>{title}</title>\n<description>A user asks.</description>\n"
        f"<narrative>Arguments.</narrative>\n</topic>\n"
        for number, title in enumerate(TITLES, 1)
    )
    (folder / "topics.xml").write_text(
        f"<?xml version='1.0' encoding='UTF-8'?>\n<topics>\n{topics}</topics>\n", "utf-8"
    )
    for dimension in DIMENSIONS:
        (folder / f"touche-task1-2022-{dimension}-dedup.qrels").write_text(qrels, "utf-8")


FILES = {"touche-2022": touche_2022}

MEASURES = {"touche-2022": "lab_nDCG@5", "touche-2020-v3": "nDCG@10"}


@pytest.mark.parametrize("name", SETS)
def test_three_commands_measure_the_model_that_ships(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "path" / "to" / name
    folder.mkdir(parents=True)
    FILES[name](folder)
    asked = commands(SETS[name])
    assert len(asked) == 3
    for command in asked:
        capsys.readouterr()
        _, _, called, *options = module_words(command)
        assert not import_module(COMMANDS[called][0]).main(
            [*options, "--json", "-"] if called == "evaluate" else options
        )
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    runs = [word for word in options if word.endswith("run.txt")]
    assert [{row.topic for row in read_run(Path(run))} for run in runs] == [{"1", "2"}] * 2
    rows = [row for row in found["runs"] if row["run"] in runs]
    assert len(rows) == 2
    for row in rows:
        for of in row["dimensions"].values():
            assert of["counts"]["judged"] == 2
            assert 0 < of["measures"][MEASURES[name]]["mean"] <= 1
    assert {len(row["dimensions"]) for row in rows} == {4 if name == "touche-2022" else 1}
    assert found["comparisons"]
