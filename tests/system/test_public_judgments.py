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
SETS = dict(zip(["touche-2022", "touche-2020-v3"], PAGE.split("\n## ")[1:], strict=True))
TITLES = ["Should a town build a tram?", "Should cities keep their pools?"]
CLAIMS = ["The town should build a tram", "Cities should keep their pools"]
TEXTS = [
    [
        "A tram carries many more people than a bus. Towns with a tram have cleaner air.",
        "Rails cost millions for every mile. No small town can pay for them.",
        "Shops close while streets are dug up. A tram is years in the making.",
        "Old people prefer a tram, as it is easy to board. Its stops are level with the floor.",
    ],
    [
        "Children learn to swim in the pools of their cities. Those who cannot swim drown.",
        "Heating water burns gas by the ton. Cities should spend less on energy.",
        "Most visitors come from the suburbs. Their villages should pay a share.",
        "Lessons in winter need a roof. Private clubs are too dear for most families.",
    ],
]
DIMENSIONS = ["relevance", "quality", "coherence"]


def touche_2022(folder: Path) -> None:
    """Rows as in args_processed_04_01.csv, whose last three columns are Python literals."""
    table, qrels = io.StringIO(), ""
    rows = csv.writer(table)
    rows.writerow(["id", "conclusion", "premises", "context", "sentences"])
    for topic, (claim, texts) in enumerate(zip(CLAIMS, TEXTS, strict=True), 1):
        for number, text in enumerate(texts):
            id_ = f"S{topic}a-A{topic}{number}b"
            spoken = [f"{sentence.strip('.')}." for sentence in text.split(". ")]
            sentences = [{"sent_id": f"{id_}__PREMISE__{n}", "sent_text": said} for n, said in enumerate(spoken, 1)]
            sentences.append({"sent_id": f"{id_}__CONC__1", "sent_text": claim})
            premises = [{"text": text, "stance": "PRO" if number % 2 else "CON", "annotations": []}]
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


def touche_2020_v3(folder: Path) -> None:
    """JSON lines with ``_id``, and a table of judgments with a head."""
    corpus, judged = [], ["query-id\tcorpus-id\tscore"]
    for topic, (claim, texts) in enumerate(zip(CLAIMS, TEXTS, strict=True), 1):
        for number, text in enumerate(texts):
            id_ = f"c{topic}7482ba-2019-04-18T13:32:05Z-0000{number}-000"
            metadata = {"stance": "PRO" if number % 2 else "CON", "url": "https://x.org"}
            corpus.append({"_id": id_, "title": claim, "text": text, "metadata": metadata})
            judged.append(f"{topic}\t{id_}\t{number % 3}")
    queries = [
        {"_id": str(number), "text": title, "metadata": {"description": "A user asks.", "narrative": "Arguments."}}
        for number, title in enumerate(TITLES, 1)
    ]
    for name, rows in (("corpus", corpus), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (folder / "qrels").mkdir()
    (folder / "qrels" / "test.tsv").write_text("\n".join(judged) + "\n", "utf-8")


FILES = {"touche-2022": touche_2022, "touche-2020-v3": touche_2020_v3}

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
    rows = [row.get("dimensions", {"": row}) for row in found["runs"] if row["run"] in runs]
    assert [len(row) for row in rows] == [4 if name == "touche-2022" else 1] * 2  # three dimensions and their mean
    for of in (of for row in rows for of in row.values()):
        assert of["counts"]["judged"] == 2
        assert 0 < of["measures"][MEASURES[name]]["mean"] <= 1
    assert found["comparisons"]
