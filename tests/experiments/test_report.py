"""The report as a file: what it says, what it holds, and what it refuses. `test_report_browser` looks at it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from support.report import (
    CURVE,
    HOSTILE,
    STUDY,
    TAG,
    TITLE,
    Outline,
    blob,
    data,
    material,
    options,
    outline,
    sample_report,
)

from experiments.html_page import SHARED, TEMPLATES
from experiments.report.boards import all_boards, read_runs
from experiments.report.command import main
from experiments.report.page import ablation, curve
from ltr.data.qrels import read_qrels
from ltr.data.runs import RunRow, write_run
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.index.reader import Index
from ltr.tasks.base import find_task

ROOT = Path(__file__).resolve().parents[2]
PARTS: Any = TEMPLATES.get_template("report/parts.html").module


# ---- the page -------------------------------------------------------------------------------------


def test_every_section_is_there_and_named() -> None:
    sections = {a["id"]: a["aria-labelledby"] for a in outline().of("section")}
    assert list(sections) == ["leaderboard", "topics", "ablation", "learning", "explorer"]
    ids = [a["id"] for _, a in outline().elements if "id" in a]
    assert len(ids) == len(set(ids))
    assert {*sections.values()} <= set(ids)
    assert {a["href"] for a in outline().of("a")} == {f"#{name}" for name in [*sections, "main"]}
    for tag in ("main", "header", "nav", "footer"):
        assert len(outline().of(tag)) == 1


def test_tables_and_charts_say_what_they_are() -> None:
    tables = outline().of("table")
    assert len(tables) == len(outline().of("caption")) == 7
    assert all(a.get("scope") in ("col", "row") for a in outline().of("th"))
    charts = outline().of("svg")
    # Two leaderboards and three of pairs, each with full and condensed figures, as the curve; and the ablation.
    assert len(charts) == len(outline().of("title")) - 1 == len(outline().of("desc")) == 13
    ids = {a["id"] for _, a in outline().elements if "id" in a}
    assert all(set((a["aria-labelledby"] or "").split()) <= ids for a in charts)
    labelled = {a["for"] for a in outline().of("label")}
    assert {a["id"] for tag in ("select", "input") for a in outline().of(tag)} == labelled


def test_nothing_is_fetched_and_only_our_code_runs() -> None:
    text = sample_report().read_text("utf-8")
    for tag, attributes in outline().elements:
        assert not attributes.keys() & {"src", "srcset", "style", "action"}, tag
        assert not any(name.startswith("on") for name in attributes), tag
    assert {a["href"] for a in outline().of("link")} == {"data:,"}
    assert set(re.findall(r"https?://[^\s\"'<]+", text)) == {"http://www.w3.org/2000/svg"}
    assert "innerHTML" not in text
    (policy,) = (a["content"] or "" for a in outline().of("meta") if a.get("http-equiv"))
    assert policy.startswith("default-src 'none';")
    runs = [t for a, t in zip(outline().of("script"), outline().texts["script"], strict=True) if "type" not in a]
    for kind, (only,) in (("script", runs), ("style", outline().texts["style"])):
        digest = base64.b64encode(hashlib.sha256(only.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy


def test_words_of_users_are_text() -> None:
    assert not {"img", "b", "i", "u"} & outline().texts.keys()
    assert TAG in outline().texts["section"][0]
    assert "<b>lexical</b>" in "".join(outline().texts["th"])
    assert data()["topics"][0]["title"] == TITLE
    assert outline().texts["section"][2].rstrip().endswith("topics: 31"), "of the settings, only the short ones"
    assert f"1 topic that {TAG} lacks (scored 0)" in outline().texts["section"][0]


def test_colours_can_be_read() -> None:
    css = (SHARED / "base.css").read_text()
    colours = {n: p for n, *p in re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", css)}

    def shine(colour: str) -> float:  # WCAG 2.2, relative luminance
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    pairs = [(f, b) for f in ("ink", "soft", "accent", "con") for b in ("paper", "card")]
    pairs += [("ink", "mark"), ("pro", "pro-back"), ("con", "con-back"), ("none", "none-back")]
    for front, back in pairs:
        for theme in (0, 1):
            dark, light = sorted((shine(colours[front][theme]), shine(colours[back][theme])))
            assert (light + 0.05) / (dark + 0.05) >= 4.5, (front, back, theme)


# ---- what it holds --------------------------------------------------------------------------------


def test_pairs_are_those_of_the_runs_with_their_texts() -> None:
    found = blob(0)
    index = Index(material() / "index")
    sentences = [(name, role, text) for name, _, lines in found["arguments"] for role, text in lines]
    other = found["runs"][TAG]
    pairs = [[sentences[start] for start, _ in unit] for unit in other["units"]]
    assert [role for _, role, _ in pairs[0]] == ["PREMISE__2", "PREMISE__1"], "in the order of the run"
    assert [text for _, _, text in pairs[1]] == [None, None], "that argument is nowhere"
    assert (other["stance"], other["score"]) == ("PQ", [9.0, 8.0])
    assert [why[:5] for why in other["why"]] == ["For: ", ""], "a side has a reason"
    known = {index.sentence_id(row): index.text(row) for row in range(index.sentences)}
    assert all(text == known[f"{name}__{role}"] for name, role, text in sentences if text is not None)
    assert any(HOSTILE in (text or "") for _, _, text in sentences)
    assert list(found["runs"]) == ["riposte", "bm25", TAG]
    assert len(found["runs"]["riposte"]["units"]) > 100
    assert blob(1)["runs"][TAG]["units"] == []


def test_the_grades_of_pairs_are_there() -> None:
    number, found = data()["topics"][0]["number"], blob(0)
    sentences = [f"{name}__{role}" for name, _, lines in found["arguments"] for role, _ in lines]
    for dimension in ("relevance", "quality"):
        graded = read_qrels(material() / f"pairs-{dimension}.qrels")[number]
        shown = set()
        for run in found["runs"].values():
            for unit, grade in zip(run["units"], run["grades"][dimension], strict=True):
                ends = tuple(sentences[start] for start, _ in unit)
                expected = graded.get(",".join(ends), graded.get(",".join(ends[::-1])))
                assert grade == expected
                shown.add(expected)
        assert len(shown - {None}) > 1
    assert not [grade for run in blob(1)["runs"].values() for of in run["grades"].values() for grade in of if grade]


def test_figures_of_a_leaderboard() -> None:
    p, q, r = "x__PREMISE__1", "x__CONC__1", "y__PREMISE__1"
    rows = {
        "good": [RunRow("1", "Q0", f"{p},{q}", 1, 2.0, "t"), RunRow("1", "Q0", f"{p},{r}", 2, 1.0, "t")],
        "late": [RunRow("1", "Q0", f"{r},{p}", 1, 2.0, "t"), RunRow("1", "Q0", f"{q},{p}", 2, 1.0, "t")],
    }
    (found,) = all_boards(rows, {"some": {"1": {f"{p},{q}": 1.0, f"{p},{r}": 0.0}}}, {})
    assert (found["set"], found["level"], found["topics"], found["against"]) == ("some", "pair", 1, "good")
    first, random, second = found["rows"]
    assert (first["run"], first["tests"]["nDCG@5"], first["condensed_nDCG@5"]["mean"]) == ("good", None, 1.0)
    assert random["run"] == "random order of good"
    # The only relevant pair at rank 2: 1 / log2(3) = 0.63093, and 0.36907 behind.
    assert second["condensed_nDCG@5"]["mean"] == pytest.approx(0.63093, abs=1e-5)
    test = second["tests"]["condensed_nDCG@5"]
    assert (test["mean"], test["p"]) == (pytest.approx(-0.36907, abs=1e-5), 1)
    assert found["values"]["nDCG@5"].keys() == {"good", "late"}
    assert found["values"]["nDCG@5"]["late"] == {"1": pytest.approx(0.63093, abs=1e-5)}
    pairs = {"relevance": {"1": {f"{p},{q}": 1.5}}, "quality": {"1": {f"{p},{r}": 2.0}}}
    boards = all_boards(rows, {}, pairs)
    assert [one["set"] for one in boards] == ["pairs, relevance", "pairs, quality", "pairs, mean of the dimensions"]
    # Each run has one of the two first, the other second: 1 and 0.63093.
    assert {row["run"]: row["nDCG@5"]["mean"] for row in boards[2]["rows"]}["late"] == pytest.approx(0.815465)


def test_an_ablation_is_coloured_by_the_corrected_test() -> None:
    def variant(name: str, **figures: float) -> dict[str, Any]:
        interval = {"difference": -0.2, "difference_low": -0.3, "difference_high": -0.1}
        return STUDY["variants"][-1] | {"name": name} | interval | figures

    # Both intervals leave 0 out; after the correction one difference is left.
    variants = [variant("chance", p=0.03, p_holm=0.3), variant("proof", p=0.001, p_holm=0.02)]
    page = ablation(STUDY | {"variants": variants})
    looks = re.findall(r'class="(.*?)dot"', page)
    assert looks == ["", "ours "]


def test_p_values_of_pairs_are_corrected_over_their_dimensions() -> None:
    pair, other = "x__PREMISE__1,x__CONC__1", "x__PREMISE__1,y__PREMISE__1"
    topics = [str(number) for number in range(6)]
    orders = {"dirichlet": (other, pair), "ours": (pair, other)}
    runs = {run: [RunRow(t, "Q0", p, n, 3.0 - n, run) for t in topics for n, p in enumerate(ranked, 1)]
            for run, ranked in orders.items()}  # fmt: skip
    grades = {topic: {pair: 1.0, other: 0.0} for topic in topics}

    def p_values(pairs: dict[str, Any]) -> list[float]:
        rows = [row for board in all_boards(runs, {}, pairs)[:2] for row in board["rows"]]
        return [row["tests"]["nDCG@5"]["p"] for row in rows if row["run"] == "ours"]

    # Six topics that all gain the same: 2 of 64 patterns of signs are as far from 0.
    assert p_values({"relevance": grades}) == pytest.approx([2 / 64])
    # A second dimension, of five topics: 2 of 32; each is corrected for the other. Their mean has the same differences.
    fewer = {topic: of for topic, of in grades.items() if topic != "0"}
    assert p_values({"relevance": grades, "quality": fewer}) == pytest.approx([4 / 64, 4 / 64])


def test_runs_of_one_tag_are_known_by_their_path(tmp_path: Path) -> None:
    for name, tag in (("a", "same"), ("b", "same"), ("c", "own")):
        write_run(tmp_path / name, [RunRow("1", "Q0", "x__CONC__1,y__CONC__1", 1, 1.0, tag)])
    found = read_runs([tmp_path / name for name in "abc"], [Topic("1", "t")], find_task("pairs"))
    assert list(found) == [str(tmp_path / "a"), str(tmp_path / "b"), "own"]


# ---- tables and charts ----------------------------------------------------------------------------


def test_a_table_and_a_chart_of_intervals() -> None:
    cells = [["<a>", "0.500", "good"], ["b", "\u22120.250", "1st"]]
    found = PARTS.table("Some <table>", ["run", "figure", "word"], cells)
    assert "<caption>Some &lt;table&gt;</caption>" in found
    assert '<th scope="row">&lt;a&gt;</th><td class="number">0.500</td><td>good</td>' in found
    rows = [("a", {"mean": 0.5, "low": 0.0, "high": 1.0}, True), ("b", {"mean": 0.25, "low": 0.25, "high": 0.5}, False)]
    found = PARTS.chart("t", "s", rows)
    # Across, 0 to 1 is 2% to 98%: 2 + 96 * .5 = 50, 2 + 96 * .25 = 26. A row takes 40 px.
    assert '<line class="ours span" x1="2.00%" x2="98.00%" y1="30" y2="30"/>' in found
    assert '<circle class="ours dot" cx="50.00%" cy="30" r="5"/>' in found
    assert '<line class="span" x1="26.00%" x2="50.00%" y1="70" y2="70"/>' in found
    assert "0.250 [0.250,\u00a00.500]" in found
    found = PARTS.chart("t", "s", [("a", {"mean": -0.5, "low": -1.0, "high": -0.2}, True)], zero=True)
    assert found.count('class="zero" x1="98.00%"') == 1  # 0 is the right end
    assert "\u22120.500 [\u22121.000,\u00a0\u22120.200]" in found


def test_a_learning_curve_names_its_points_and_the_baselines() -> None:
    found = curve(CURVE)
    chart = re.findall(r'<text class="name"[^>]*>([^<]*)', found)
    assert chart == 2 * [row[0] for row in re.findall(r'<tr><th scope="row">([^<]*)(<)', found)]
    assert chart[-1] == "bm25"
    assert found.count('class="ours dot"') == 2 * 2
    assert found.count('class="dot"') == 2, "what learns nothing is grey"


# ---- what may be left out, and what is refused ------------------------------------------------------


MISTAKES = {
    "no output": (["-i", "x"], "the following arguments are required: -o/--output, --run"),
    "no such run": (["--run", "absent.txt"], "absent.txt: cannot be read"),
    "a run of other topics": (["--run", "far.txt"], "far.txt: has no topic in common"),
    "a run of documents": (["--run", "documents.txt"], "documents.txt line 1: 'a' is not a pair"),
    "a run twice": (["--run", "other.txt", "--run", "../work/./other.txt"], "other.txt: is named twice among the runs"),
    "judgments of more topics": (["--qrels", "more.qrels"], "judgments for 1 topics that are in no topics file (77)"),
    "pairs of other topics": (["--pair-qrels", "quality=far.pairs"], "far.pairs: judgments for 1 topics"),
    "pairs that are none": (["--pair-qrels", "quality=one.qrels"], "one.qrels line 1: 'a' is one id, not a pair"),
    "judgments twice": (["--qrels", "one.qrels", "--qrels", "qrels-one.qrels"], "second file of judgments named one"),
    "a study that is absent": (["--ablation", "nowhere"], "results.json: cannot be read"),
    "a study that is not JSON": (["--curve", "broken.json"], "broken.json: is not what the study writes"),
    "a study without its parts": (["--curve", "bare.json"], "is not what the study writes (KeyError: 'measure')"),
    "a study of words": (["--curve", "words.json"], "words.json: is not what the study writes"),
    "no such depth": (["--depth", "0"], "'0' is not a whole number from 1 to 1000"),
}


@pytest.fixture
def wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with files that are wrong in one way each."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    shutil.copy(material() / "other.txt", work)
    number = data()["topics"][0]["number"]
    files = {
        "far.txt": "99 Q0 a__CONC__1,b__CONC__1 1 1 t\n",
        "documents.txt": f"{number} Q0 a 1 1 t\n",
        "far.pairs": "99 0 a,b 1\n",
        "more.qrels": f"{number} 0 a 1\n77 0 a 1\n",
        "one.qrels": f"{number} 0 a 1\n",
        "qrels-one.qrels": f"{number} 0 a 1\n",
        "broken.json": "{",
        "bare.json": "{}",
        "words.json": json.dumps(CURVE).replace("0.25", '"low"'),
    }
    for name, text in files.items():
        Path(name).write_text(text)
    return tmp_path / "out"


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_one_line(mistake: str, wrong: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv, said = MISTAKES[mistake]
    with pytest.raises(InputError) as caught:
        main(argv if "-i" in argv else options(*argv, out=wrong / "report.html"))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not wrong.exists()
    assert capsys.readouterr().out == ""


def test_a_report_needs_a_file_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    run = shutil.copy(material() / "other.txt", tmp_path / "run.txt")
    for out, said in (
        (tmp_path, "this is a directory"),
        (tmp_path / "file" / "r.html", "cannot be written"),
        (run, "the output would replace one of the files it is made from"),
    ):
        with pytest.raises(InputError, match=said):
            main(options("--run", str(run), out=out))
    assert (tmp_path / "file").read_text() == "mine"


def test_a_report_of_runs_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "new" / "folder" / "report.html"
    assert main(options("--run", str(material() / "other.txt"), out=out)) == 0
    assert re.fullmatch(rf"{re.escape(str(out))}: 0\.\d MB, 2 topics, 1 run\n", capsys.readouterr().out)
    said = Outline(out.read_text("utf-8")).texts["section"]
    assert "There are no judgments" in said[0]
    assert "riposte ablation -i DIR" in said[2]
    assert "riposte learning-curve -i DIR" in said[3]
