from __future__ import annotations

import fcntl
import io
import json
import os
import pty
import re
import shlex
import struct
import subprocess
import sys
import termios
import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.corpora import QUIET, Row, write_corpus
from support.processes import printed as printed_by
from support.refusals import refuses
from support.sample_model import sample_index, sample_model
from support.served import ALONE

from ltr.answers.answer import Result, Snippet
from ltr.answers.points import Point
from ltr.cli.terminal import WIDE, Look, show, wants_colour
from ltr.commands import predict, search
from ltr.commands._searcher import open_searcher
from ltr.data.runs import RunRow, read_run
from ltr.data.topics import read_topics
from ltr.errors import InputError
from ltr.escapes import clean
from ltr.model_folder.choice import load_model
from ltr.ranking.confidence import LEAST
from ltr.ranking.task import find_task
from ltr.sample import SAMPLE
from models.base import DIMENSIONS

ROOT = Path(__file__).resolve().parents[3]
TOPICS = read_topics(SAMPLE / "topics.xml")
TITLE = TOPICS[0].title

Search = Callable[..., str]


@pytest.fixture(scope="session")
def place() -> Path:
    """The index of the sample, kept out of the project."""
    return sample_index()


def with_model(options: tuple[str, ...]) -> list[str]:
    """The options, with the small model of the sample unless they name one."""
    return list(options) if "-m" in options else [*options, "-m", str(sample_model())]


@pytest.fixture(scope="session")
def run(place: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[RunRow]]:
    """What ltr.predict makes of the sample's topics, by title."""
    out = tmp_path_factory.mktemp("predicted")
    common = ["-i", str(SAMPLE), "-o", str(out), "--index", str(place), "--jobs", "1", "--quiet"]
    assert predict.main(with_model(tuple(common))) == 0
    rows = read_run(out / "run.txt")
    return {topic.title: [row for row in rows if row.topic == topic.number] for topic in TOPICS}


@pytest.fixture
def found(place: Path, capsys: pytest.CaptureFixture[str]) -> Search:
    """Search the sample in this process; what is printed."""

    def call(*options: str) -> str:
        stance = () if "--stance" in options else ("--stance", "conclusion")
        assert search.main([*with_model((*options, *stance)), "--index", str(place), "--jobs", "1", "--quiet"]) == 0
        return capsys.readouterr().out

    return call


# ---- the command ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_question_is_answered_twice_alike(place: Path, found: Search) -> None:
    own = ("--index", str(place), "-m", str(sample_model()), "--json", "-")
    one = printed_by("-m", "ltr.search", TITLE, *own, PYTHONHASHSEED="1")
    # This process has another seed, and an index that is there.
    assert one == found(TITLE, "--json", "-", "--stance", "question")
    document = json.loads(found(TITLE, "--json", "-"))
    names = "question spelled corpus model expected_relevance note sides_known sides points results"
    assert list(document) == names.split()
    assert document["question"] == TITLE
    assert Path(document["corpus"]).parent == SAMPLE
    assert Counter(result["stance"] for result in document["results"]) == {"PRO": 5, "CON": 5}


@pytest.mark.parametrize("title", [topic.title for topic in TOPICS])
def test_the_order_is_that_of_predict(title: str, found: Search, run: dict[str, list[RunRow]]) -> None:
    every = json.loads(found(title, "--json", "-", "-n", "1000", "--all"))["results"]
    strong = {as_row(result)[1] for result in every if not result["weak"]}
    low = {as_row(result)[1] for result in every if result["scores"]["relevance"] < LEAST}
    assert {pair in low for pair in {as_row(result)[1] for result in every} - strong} <= {True}
    # What the debates on the subject have beside it comes after what is worth showing by itself.
    rows = sorted(run[title], key=lambda row: 2 if row.pair not in strong else row.pair in low)
    added = {as_row(result)[1] for result in every} - {row.pair for row in rows}
    # Topic and tag are the run's own; everything else must be the same, score and rank included, except where pairs
    # of the subject join that predict does not rank: the values of some columns are relative to the other candidates.
    assert (title != ALONE) == bool(added)
    if added:
        scores = {as_row(result)[1]: result["score"] for result in every if as_row(result)[1] not in added}
        predicted = {row.pair: row.score for row in rows}
        assert {*strong} - added <= scores.keys() <= predicted.keys(), "of what is off the matter only the first"
        moved = np.array([abs(scores[pair] - predicted[pair]) for pair in scores])
        assert (moved > 0.03).mean() < 0.15, "a few values cross a split of a tree"
        assert moved.max() < 0.1
        ranked = [predicted[pair] for result in every if (pair := as_row(result)[1]) not in added]
        assert ranked == pytest.approx(sorted(ranked, reverse=True), abs=0.15)
        return
    every = json.loads(found(title, "--json", "-", "-n", "30", "--all"))["results"]
    wanted = [row for side in ("PRO", "CON") for row in [r for r in rows if r.stance == side][:30]]
    assert [as_row(result) for result in every] == [row[1:5] for row in sorted(wanted, key=lambda row: row.rank)]
    assert len(every) == 60


def test_sides_that_a_person_saved_count_in_other_words(found: Search, tmp_path: Path) -> None:
    def sides(title: str, *options: str) -> dict[str, str]:
        results = json.loads(found(title, "--json", "-", "-n", "9", "--stance", "question", *options))["results"]
        return {as_row(result)[1]: result["stance"] for result in results if not result["weak"]}

    title, other = "Should zoos be closed?", "Should zoos stay open?"
    pair = next(pair for pair, side in sides(title).items() if side == "PRO" and pair in sides(other))
    (tmp_path / "sides.qrels").write_text(f"should-zoos-be-closed 0 {pair} CON\n")
    moved = "--sides", str(tmp_path / "sides.qrels")
    assert (sides(title, *moved)[pair], sides(other, *moved)[pair]) == ("CON", "PRO")
    (tmp_path / "sides.qrels").write_text(f"should-zoos-be-closed 0 {pair} UP\n")
    refuses(lambda: search.main([title, *moved]), "line 1", "'UP' is not a side")


def as_row(result: dict[str, Any]) -> tuple[str, str, int, float]:
    pair = ",".join(sentence["id"] for sentence in result["sentences"])
    return result["stance"], pair, result["rank"], result["score"]


def test_the_text_and_a_json_file(found: Search, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = found(TITLE, "-n", "2", "--weak", "--details", "--json", str(tmp_path / "found.json"))
    assert (tmp_path / "found.json").read_text() == found(TITLE, "-n", "2", "--json", "-")
    lines = text.splitlines()
    assert lines[0] == TITLE
    assert lines.index("PRO") < lines.index("CON")
    flat = " ".join(text.split())
    for result in json.loads((tmp_path / "found.json").read_text())["results"]:
        grades = ", ".join(f"{name} {result['scores'][name]:.2f}" for name in DIMENSIONS)
        others = ", ".join(f"{name} {result['scores'][name]:.2f}" for name in ("words", "argues"))
        assert f"{grades} of 2, {others}" in flat
        assert f"rank {result['rank']}: {result['sentences'][0]['id']}, {result['sentences'][1]['id']}" in flat
        for sentence in result["sentences"]:
            assert sentence["shown"] in " ".join(sentence["text"].split())
            assert sentence["shown"] in flat
            assert sentence["url"] in flat.replace(" ", "")
            assert sentence["url"].startswith("https://")
    assert "without a stance" not in text
    above = text.partition("\n\nPRO\n")[0].split()
    assert " ".join(above).endswith(search.OF_CONCLUSION), "the header says what PRO means"


MODEL = load_model(find_task("pairs"), progress=QUIET)
SHIPPED = "the model that ships"
BASELINES = "".join(f", {weight:g} {name}" for name, weight in MODEL.blend.weights.items() if name not in DIMENSIONS)


@pytest.mark.parametrize(
    ("options", "head"),
    [
        ([], f"Searched: the sample (215 arguments; -i names another corpus). Ranked by: {SHIPPED}."),
        (
            ["-i", str(SAMPLE), "--dimension", "quality"],
            f"Searched: {SAMPLE} (215 arguments). Ranked by: {SHIPPED}, weights 1 quality.",
        ),
        (["--blend", "1,.5,0"], f"Ranked by: {SHIPPED}, weights 1 relevance, 0.5 quality{BASELINES}."),
        (["--details"], f"Ranked by: {MODEL.description}."),
        (["-m", "bm25"], "Ranked by: the baseline bm25."),
    ],
)
def test_the_header_names_corpus_and_model(options: list[str], head: str, place: Path) -> None:
    asked = search.main.read(TITLE, *options, "--index", str(place))
    assert search.searched(asked, open_searcher(asked, QUIET)).endswith(head)


def test_three_sides_stand_beside_each_other_where_there_is_room() -> None:
    """FIRST, SECOND and NEUTRAL are columns from 150 on; NO stays below."""
    one = {"rank": 1, "score": 1.0, "sentences": []}
    document = {
        "question": "Tea or coffee?",
        "headings": {"FIRST": "for tea", "SECOND": "for coffee"},
        "results": [{**one, "stance": stance} for stance in ("FIRST", "NEUTRAL", "NO")],
    }
    heads = ["for tea", "for coffee", "for neither", "without a stance"]
    for width, lines in ((149, 3), (150, 2), (WIDE - 1, 4)):
        shown = [line for line in show(document, [], Look(width)).splitlines() if any(head in line for head in heads)]
        assert len(shown) == lines
        assert shown[-1] == "without a stance"


# ---- other corpora --------------------------------------------------------------------------------

SAID = ["Animals suffer \x1b[31min zoos\x1b[0m\x07!", "Zoos are \x1b[31mprisons\x1b[0m\x07, 動物園は悪い。"]
ODD: list[Row] = [
    ("S1-A1", "Zoos should close", "PRO", SAID),
    ("S1-A2", "Zoos should stay", "", ["Zoos teach children about animals.", "Nobody else keeps rare animals safe."]),
    ("S1-A3", "Tax the rich", "CON", ["Taxes are high enough already.", "Money flees the country."]),
    ("S1-A4", "Zoos should close", "PRO", SAID[::-1]),
]


@pytest.fixture(scope="session")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("odd"), ODD)


def test_only_what_matches_is_shown_and_no_copies(odd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        search.main(["Are zoos bad?", "-i", str(odd), "-m", "bm25", "--json", "-", "--stance", "conclusion", "--quiet"])
        == 0
    )
    results = json.loads(capsys.readouterr().out)["results"]
    # A3 shares no word with the question, though the list is filled up with it; A4 says what A1 says.
    used = [{sentence["argument"] for sentence in result["sentences"]} for result in results]
    assert {"S1-A2"} in used
    assert len(used) == len(set(map(frozenset, used))) == 2
    assert set.union(*used) <= {"S1-A1", "S1-A2", "S1-A4"}
    by_stance = {result["stance"]: result for result in results}
    assert set(by_stance) == {"PRO", "Q0"}
    assert {sentence["stance"] for sentence in by_stance["Q0"]["sentences"]} == {None}


def test_a_terminal_gets_colours_and_no_escapes_of_the_corpus(odd: Path) -> None:
    command = [sys.executable, "-m", "ltr.search", "Are zoos bad?", "-i", str(odd), "-m", "bm25", "--quiet"]
    command += ["--stance", "conclusion"]
    environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "LINES")}
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    with subprocess.Popen(
        command, cwd=ROOT, env={**environment, "TERM": "xterm"}, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        raw = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            raw += part
    os.close(ours)
    assert process.returncode == 0
    text = raw.decode()
    assert "\x1b[1;32mPRO" in text
    assert "\x1b[1;31mCON" in text
    assert "\x07" not in text
    assert "\x1b[31m" not in text  # bare red is the corpus's; our own is bold
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert "\x1b" not in plain
    assert "Zoos are prisons\N{REPLACEMENT CHARACTER}, 動物園は悪い。" in plain
    heads = [line.split() for line in plain.splitlines() if "PRO" in line and "CON" in line]
    assert ["PRO", "CON"] in heads  # 120 columns: side by side
    assert "without a stance" in plain


# ---- what a user can correct -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ([""], "question: there is no word to search for in it; say what it is about"),
        ([" \t?! "], "question: there is no word to search for in it; say what it is about"),
        (["Should we do it?"], "question: there is no word to search for in it; say what it is about"),
        (["zoos " * 401], "question: has 2,004 characters; ask in at most 2,000"),
        (["xylophone"], "no pair shares a word with the question"),
        (["--json", "found.json"], "--json: one question is written to it; name the question"),
        (["zoos", "close"], "usage: unrecognized arguments: close; see --help"),
        (["zoos", "-n", "0"], "'0' is not a whole number from 1"),
        (["zoos", "-m", "nothing"], "nothing: there is no such model"),
        (["zoos", "-i", "/nowhere"], "/nowhere: no such file or directory"),
        (["zoos", "--json", "/nowhere/found.json"], "no file can be written as '/nowhere/found.json'"),
    ],
)
def test_bad_input(options: list[str], line: str, place: Path) -> None:
    baseline = [] if "-m" in options else ["-m", "bm25"]
    refuses(lambda: search.main([*options, *baseline, "--index", str(place), "--quiet"]), line)


@pytest.mark.parametrize("task", ["pairs", "arguments", "comparative"])
def test_no_result_is_reported_in_any_task(task: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="shares a word with the question"):  # every shipped feature gets no rows
        search.main(["xylophones or vuvuzelas?", "--task", task, "--index", str(tmp_path / "index"), "--quiet"])


def test_bytes_that_are_no_text_do_no_harm(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")  # a terminal that knows no more
    monkeypatch.setattr(sys, "stdout", out)
    question = os.fsdecode(b"zoos \xff \x1b[31m na\xc3\xafve")
    assert search.main([question, "-m", "bm25", "--index", str(place), "-n", "1", "--quiet"]) == 0
    out.flush()
    assert out.buffer.getvalue().startswith(b"zoos ? na?ve\nSearched: the sample (215")  # type: ignore[attr-defined]


# ---- many questions ---------------------------------------------------------------------------------


def test_questions_of_standard_input_are_answered_in_turn(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ["--index", str(place), "--quiet", "-m", "bm25", "-n", "1"]
    alone = []
    for question in ("Should zoos be closed?", "Are cars bad?"):
        search.main([question, *options])
        alone.append(capsys.readouterr().out)
    monkeypatch.setattr(sys, "stdin", io.StringIO("Should zoos be closed?\n\nxylophone\nAre cars bad?"))
    assert search.main(options) == 0
    said = capsys.readouterr()
    again = re.sub(r"Searched: .*?bm25\.\n", "", alone[1], flags=re.DOTALL)
    assert said.out == alone[0] + again, "what was searched is said once"
    first, second = said.err.splitlines()
    assert first.startswith("error: question: there is no word to search for in it")
    assert "no pair shares a word with the question" in second


def test_questions_of_standard_input_as_json_lines(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("Should zoos be closed?\nxylophone\n\nAre cars bad?"))
    assert search.main(["--index", str(place), "--quiet", "-m", "bm25", "--json", "-"]) == 0
    said = capsys.readouterr()
    first, unknown, empty, last = map(json.loads, said.out.splitlines())
    assert (first["question"], last["question"], said.err) == ("Should zoos be closed?", "Are cars bad?", "")
    assert [bool(one["results"]) for one in (first, last)] == [True, True]
    remedy = "ask in other words, or another corpus"
    error = "no pair shares a word with the question"
    assert unknown == {"question": "xylophone", "error": error, "remedy": remedy}
    assert empty["error"].startswith("there is no word")


def test_misspelt_words_are_corrected_unless_the_question_is_meant_as_typed(found: Search) -> None:
    text = found("Should zooos be closd?", "-n", "1")
    assert text.startswith("Should zoos be closed?\n")
    right = json.loads(found("Should zoos be closed?", "--json", "-"))
    assert json.loads(found("Should zooos be closd?", "--json", "-")) == right | {"spelled": "Should zooos be closd?"}
    assert json.loads(found("zooos closed", "--json", "-", "--as-typed"))["question"] == "zooos closed"


def test_a_person_is_asked_and_leaves_by_an_empty_line(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = io.StringIO("Are cars bad?\n\nShould zoos be closed?\n")
    monkeypatch.setattr(typed, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdin", typed)
    assert search.main(["--index", str(place), "--quiet", "-m", "bm25"]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("> Are cars bad?\n")
    assert "zoos be closed" not in said.out
    assert said.err == "A question a line; an empty line or Ctrl-D ends.\n"


def test_sides_of_the_question_are_shown_and_the_corpus_s_own_kept(found: Search) -> None:
    document = json.loads(found(TITLE, "--json", "-", "--stance", "question"))
    assert document["sides"] == "question"
    assert {result["stance"] for result in document["results"]} <= {"PRO", "CON", "Q0"}
    assert any(r["stance"] != sentence["stance"] for r in document["results"] for sentence in r["sentences"])
    lines = found(TITLE, "--stance", "question").splitlines()
    assert lines.index("For") < lines.index("Against")
    assert "PRO" not in lines


# ---- the layout -----------------------------------------------------------------------------------


def sentence(text: str, argument: str = "S1-A1", conclusion: str = "Zoos should close", place: int = 2) -> Snippet:
    id_ = f"{argument}__PREMISE__{place}"
    return Snippet(id_, text, text, "", "premise", place, 7, argument, conclusion, "PRO", "All about zoos")


def result(rank: int, stance: str, *texts: str) -> Result:
    grades = {"relevance": 1.5} if rank == 1 else {}
    return Result(rank, stance, 1.5 - rank / 4, (sentence(texts[0]), sentence(texts[-1], place=3)), grades)


def printed(question: str, results: list[Result], width: int, **options: Any) -> str:
    own = [{**asdict(one), "scores": one.grades} for one in results]
    document = {"question": question, "sides": "conclusion", "results": own}
    return show(document, [SEARCHED, search.OF_CONCLUSION], Look(width, **options))


def cells(line: str) -> int:
    """Columns that a terminal gives to the line, by the Unicode database."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in line)
    return len(line) + wide - sum(unicodedata.category(c) in ("Mn", "Me", "Cf") for c in line)


SEARCHED = "Searched: everything. Ranked by: nobody."

TEXTS = {
    "plain": "Animals in zoos are kept from everything that their kind lives for, and nobody asks them. " * 3,
    "long word": "a" * 300,
    "url": "See https://example.org/" + "very-long/" * 30,
    "wide": "動物園は閉鎖されるべきだ。" * 20,
    "combining": "e\u0301" * 150,
    "empty": "",
}


@pytest.mark.parametrize("width", [5, 20, 60, 99, 100, 101, 160])
@pytest.mark.parametrize("text", TEXTS)
def test_no_line_is_wider_than_the_terminal(text: str, width: int) -> None:
    results = [result(1, "PRO", TEXTS[text]), result(2, "CON", TEXTS["plain"], TEXTS[text])]
    results += [result(3, "Q0", TEXTS[text]), result(4, "PRO", "x")]
    shown = printed(TEXTS[text] or "?", results, width)
    assert max(map(cells, shown.splitlines())) <= max(width, 20)
    assert SEARCHED in " ".join(shown.split())
    squeezed = "".join(shown.split())
    if width < WIDE:  # in two columns the lines of two texts alternate
        assert squeezed.count("".join(TEXTS[text].split())) >= 5
    else:
        assert Counter(squeezed)["x"] >= 2


def test_two_columns_from_100() -> None:
    sides = (("PRO", "Left."), ("CON", "Right."), ("CON", "Below."), ("Q0", "None."))
    results = [result(rank, side, text) for rank, (side, text) in enumerate(sides, 1)]
    stacked = printed("Zoos?", results, WIDE - 1).splitlines()
    heads = [line for line in stacked if line and not line.startswith(" ")]
    order = [
        "PRO",
        "1. Left. Left.",
        "CON",
        "1. Right. Right.",
        "2. Below. Below.",
        "without a stance",
        "1. None. None.",
    ]
    assert " ".join(heads[: -len(order)]) == f"Zoos? {SEARCHED} {search.OF_CONCLUSION}"
    assert heads[-len(order) :] == order
    lines = printed("Zoos?", results, WIDE).splitlines()
    assert ["PRO", "CON"] in [line.split() for line in lines]
    row = next(line for line in lines if "Left." in line)
    assert row.split() == ["1.", "Left.", "Left.", "1.", "Right.", "Right."]
    assert row.startswith("1. Left.")
    (below,) = [line for line in lines if "Below." in line]
    assert below.index("2.") == row.index("1. Right.") > WIDE // 2 - 5
    assert "without a stance" in lines


def test_weaker_results_are_folded_and_points_stand_above_their_results() -> None:
    results = [result(rank, "PRO", f"Text {rank}.") for rank in (1, 2, 3, 4)]
    results = [replace(one, weak=one.rank == 4, point={1: 0, 2: 1, 3: 0}.get(one.rank)) for one in results]
    points = [Point(0, "PRO", "Zoos are cruel", "", 3, key=True), Point(1, "PRO", "Zoos cost", "", 1, key=True)]
    document = {
        "question": "Zoos?",
        "points": [asdict(point) for point in points],
        "results": [{**asdict(one), "scores": one.grades} for one in results],
    }
    lines = show(document, [], Look(60)).splitlines()
    assert lines[lines.index("PRO") + 2 :][:3] == ["* Zoos are cruel (3 arguments)", "* Zoos cost", ""]
    heads = [line for line in lines if line[:1].isdigit() or line.endswith(":")]
    weaker = "1 weaker result: --weak shows them"
    texts = [f"{place}. Text {rank}. Text {rank}." for place, rank in ((1, 1), (2, 3), (3, 2), (4, 4))]
    assert heads == ["Zoos are cruel:", *texts[:3], weaker], "places count what is shown"
    assert texts[3] in show(document, [], Look(60, weak=True)).splitlines()


@pytest.mark.parametrize("width", [20, 80, 100, 160])
def test_an_address_stands_whole_on_its_own_line(width: int) -> None:
    long, other = ("https://example.org/" + name * 30 for name in ("very-long/", "other/"))
    results = [result(1, "PRO", "Left."), result(2, "CON", "Right."), result(3, "Q0", "Below.")]
    urls = [long, long, other]
    results = [replace(one, sentences=tuple(replace(s, url=url) for s in one.sentences))
               for one, url in zip(results, urls, strict=True)]  # fmt: skip
    lines = list(map(str.strip, printed("Zoos?", results, width).splitlines()))
    assert [lines.count(url) for url in (long, other)] == [2 if width < WIDE else 1, 1]
    assert ("PRO 1, CON 1:" in lines) is (width >= WIDE), "one address for both columns"


def test_remarks_can_be_copied_into_a_shell() -> None:
    document = {"question": "Zoos?", "ask": "Zoos are cruel", "results": []}
    said = 'Is saying "Zoos are cruel" the same as answering yes? If so, add: --agree "Zoos are cruel".'
    assert f'{said} If it is the opposite: --oppose "Zoos are cruel".' in show(document, [], Look(200))
    odd = show(document | {"ask": "A $(ban)'s \x1b[' cost"}, [], Look(200)).partition("add: --agree ")[2]
    assert shlex.split(odd.partition(". If")[0]) == ["A $(ban)'s ost"], "what a terminal would do is not shown"


def test_nothing_and_a_side_without_key_points_are_said_in_one_line() -> None:
    results = [result(1, "PRO", "One."), result(2, "PRO", "Two."), result(3, "Q0", "Three.")]
    document: dict[str, Any] = {"question": "Zoos?", "note": "Nothing.", "points": []}
    weak = [{**asdict(one), "weak": True} for one in results]
    lines = show(document | {"results": weak}, [], Look(80)).splitlines()
    assert lines == ["Zoos?", "Nothing. (3 texts share some words: --weak)"]
    assert "Nothing." in show(document | {"results": weak}, [], Look(80, weak=True)).splitlines()
    points = [asdict(Point(0, "PRO", "One", "", 2, key=False)), asdict(Point(1, "", "Three", "", 1, key=False))]
    own = [{**asdict(one), "point": int(one.rank == 3)} for one in results]
    shown = show(document | {"results": own, "points": points}, [], Look(80)).splitlines()
    assert shown.count("No key points: no text states its point in one sentence.") == 1
    assert shown[shown.index("PRO") + 2].startswith("No key points")


def test_an_empty_side_is_said_and_absent_stances_are_not() -> None:
    assert "CON\n\nnone\n" in printed("Zoos?", [result(1, "PRO", "Text.")], 60)
    unknown = printed("Zoos?", [result(1, "Q0", "Text.")], 160)
    assert unknown.endswith("\n\nwithout a stance\n\n1. Text. Text.\n   on: Zoos should close, in: All about zoos\n")
    assert "none" not in unknown.split()


def test_colours_only_on_demand_and_never_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "CLICOLOR_FORCE"):
        monkeypatch.setenv(name, "1")  # forces no escapes on a file
    results = [result(1, "PRO", "Left."), result(2, "CON", "Right.")]
    for width in (60, 120):
        plain, coloured = printed("Zoos?", results, width), printed("Zoos?", results, width, colour=True)
        assert "\x1b" not in plain
        assert {"\x1b[1;32m", "\x1b[1;31m", "\x1b[2m"} <= set(re.findall(r"\x1b\[[0-9;]+m", coloured))
        bare = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
        assert [line.rstrip() for line in bare.split("\n")] == plain.split("\n")
        assert {"PRO", "CON"} <= set(plain.split())


def test_when_colours_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    forced = {"FORCE_COLOR": "1", "CLICOLOR_FORCE": "1"}
    wanted = [(True, {})]
    for terminal, environment in [*wanted, (False, {}), (False, forced), *((True, {"NO_COLOR": set_}) for set_ in "1 "),
                                  (True, {"NO_COLOR": ""}), (True, {"TERM": "dumb"})]:  # fmt: skip
        out = io.StringIO()
        monkeypatch.setattr(out, "isatty", lambda terminal=terminal: terminal)
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(os, "environ", environment)
        assert wants_colour() is ((terminal, environment) in wanted)


CLEANED = {
    "\x1b[2J\x1b[1;1Hgone": "gone",
    "\x1b]0;title\x07text": "text",
    "\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\": "link",
    "\x9b31mred": "red",
    "\x1b\x1b[31m[31mtwice": "�[31mtwice",
    "\x1b]0;never ended": "�]0;never ended",
    "don\x92t\x00": "don�t�",
    "a\tb\r\nc\u2028d\xa0e": "a b c d e",
    "\u202eright to left\u202c \u2066x\u2069": "right to left x",
    "soft\xadware zero\u200bwidth": "software zerowidth",
    "می\u200cخواهم 👨\u200d👩": "می\u200cخواهم 👨\u200d👩",
}


def test_clean() -> None:
    assert {text: clean(text) for text in CLEANED} == CLEANED


@given(st.text(st.characters() | st.sampled_from("\x1b\x9b\x9d[]m;0\x07\\\u202e")), st.sampled_from([20, 60, 100]))
def test_nothing_gets_through_to_the_terminal(text: str, width: int) -> None:
    shown = printed(text, [result(1, "PRO", text), result(2, "CON", text), result(3, "Q0", text)], width)
    assert not [c for c in shown if unicodedata.category(c) in ("Cc", "Cs") and c != "\n"]
    shown.encode("utf-8")
