"""Pairs out to graders and grades back: what is chosen, what a grader may see, and every mistake on the way back."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.pages import commands, module_words
from support.refusals import refuses
from support.topics import write_topics

from experiments.pool.command import main
from experiments.pool.files import read_key
from experiments.pool.selection import select_pairs
from ltr.commands import predict
from ltr.data.ids import pair_key
from ltr.data.qrels import read_qrels
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.sample import SAMPLE
from models.base import DIMENSIONS

HOSTILE = "</script><script>alert(1)</script>\t<b>bold</b>\n\x1b[31m"


def sentence(argument: str, number: int) -> str:
    return f"{argument}__PREMISE__{number}"


def pair(argument: str, one: int, two: int) -> str:
    return f"{sentence(argument, one)},{sentence(argument, two)}"


def write_corpus(folder: Path, arguments: dict[str, list[str]]) -> None:
    with (folder / "args_processed.csv").open("w", newline="", encoding="utf-8") as out:
        rows = csv.writer(out)
        rows.writerow(["id", "conclusion", "premises", "context", "sentences"])
        for name, texts in arguments.items():
            sentences = [{"sent_id": sentence(name, n), "sent_text": text} for n, text in enumerate(texts, 1)]
            premises = [{"text": " ".join(texts), "stance": "PRO", "annotations": []}]
            rows.writerow([name, "", repr(premises), repr({"sourceTitle": "t", "sourceUrl": "u"}), repr(sentences)])


def write_run(path: Path, rankings: dict[str, list[str]]) -> None:
    ranked = [(topic, *place) for topic, pairs in rankings.items() for place in enumerate(pairs, 1)]
    path.write_text("".join(f"{topic} Q0 {found} {rank} {100 - rank} t\n" for topic, rank, found in ranked))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two topics; run a and run b share one pair, once in the other order; a pair of each topic is graded."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "corpus"
    folder.mkdir()
    write_corpus(
        folder, {"S1-A1": [f"One text {n}." for n in range(1, 8)], "S2-A2": [HOSTILE, "Two.", "Three.", "Four."]}
    )
    write_topics(folder / "topics.xml", [Topic("51", "Is <i>one</i> good?"), Topic("52", "Is two good?")])
    a = {"51": [pair("S1-A1", 1, 2), pair("S1-A1", 3, 4), pair("S1-A1", 5, 6)], "52": [pair("S2-A2", 1, 2)]}
    b = {"51": [pair("S1-A1", 2, 1), pair("S1-A1", 1, 7)], "52": [pair("S2-A2", 3, 4)]}
    write_run(tmp_path / "a.txt", a)
    write_run(tmp_path / "b.txt", b)
    for name in DIMENSIONS:
        graded = f"51 0 {pair('S1-A1', 4, 3)} 2\n51 0 {pair('S1-A1', 1, 3)} 1\n52 0 {pair('S2-A2', 4, 2)} 0.5\n"
        (tmp_path / f"{name}.qrels").write_text(graded)
    return tmp_path


OUT = ["-i", "corpus", "--run", "a.txt", "--run", "b.txt", "-o", "pool", "--depth", "2"]
QRELS = [word for name in DIMENSIONS for word in ("--pair-qrels", f"{name}={name}.qrels")]
BACK = ["--key", "pool/key.tsv", "-o", "back"]


def pooled(path: Path) -> dict[str, list[tuple[str, bool]]]:
    found: dict[str, list[tuple[str, bool]]] = {}
    for item in read_key(path)[0].values():
        found.setdefault(item.topic, []).append((item.pair, item.anchor))
    return found


# ---- out ------------------------------------------------------------------------------------------


def test_ungraded_pairs_of_the_top_and_anchors(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*OUT, *QRELS, "--anchors", "1"]) == 0
    found = pooled(place / "pool" / "key.tsv")
    # Topic 51, top 2 of each: 1-2 (both runs), 3-4 (graded as 4-3), 1-7. Anchors: 4-3 and 1-3 are there to choose from.
    new = {name for name, anchor in found["51"] if not anchor}
    assert new == {pair("S1-A1", 1, 2), pair("S1-A1", 1, 7)}, "the first run's order is shown"
    (anchor,) = [name for name, anchor in found["51"] if anchor]
    assert anchor in {pair("S1-A1", 4, 3), pair("S1-A1", 1, 3)}, "in the order in which it was graded"
    assert sorted(found["52"]) == [
        (pair("S2-A2", 1, 2), False),
        (pair("S2-A2", 3, 4), False),
        (pair("S2-A2", 4, 2), True),
    ]
    out = capsys.readouterr().out
    for line in ("pairs in the top 2 of 2 runs 5", "graded before 1", "pairs to grade 4", "anchors mixed in 2"):
        assert line in " ".join(out.split()), line


def test_a_grader_sees_texts_alone(place: Path) -> None:
    main([*OUT, *QRELS, "--dimension", "quality"])
    rows = [row.split("\t") for row in (place / "pool" / "pairs.tsv").read_text("utf-8").splitlines()]
    assert rows[0] == ["item", "topic", "first", "second", "quality"]
    assert [row[0].split("-")[1] for row in rows[1:]] == [str(n) for n in range(1, len(rows))]
    assert {len(row) for row in rows} == {5}, "tabs and line breaks of texts are folded"
    assert {row[4] for row in rows[1:]} == {""}
    text = (place / "pool" / "pairs.tsv").read_text("utf-8")
    assert "</script><script>alert(1)</script> <b>bold</b>" in text
    assert not any(word in text for word in ("__PREMISE__", "a.txt", "anchor", "\x1b"))
    assert ["One text 1.", "One text 2."] in [row[2:4] for row in rows]
    assert "51" not in {row[1] for row in rows}
    assert "quality: Is it well said, whatever the question?" in (place / "pool" / "criteria.txt").read_text("utf-8")


def test_same_input_same_bytes_and_the_seed_draws_the_order(tmp_path: Path) -> None:
    runs = [{"1": [f"x{n},y{n}" for n in range(40)]}]
    chosen = [select_pairs(runs, {}, ["1"], depth=10, deeper=5, seed=seed)[0] for seed in (0, 0, 1)]
    assert chosen[0] == chosen[1] != chosen[2]
    top = {f"x{n},y{n}" for n in range(10)}
    for found in chosen:
        assert top < {item.pair for item in found}
        assert len(found) == 15
    assert [item.pair for item in chosen[0] if item.pair in top] != sorted(top), "not in the run's order"


@given(st.lists(st.lists(st.integers(0, 12), max_size=20), max_size=3), st.integers(1, 6), st.integers(0, 4))
def test_every_pair_is_chosen_once_and_all_of_the_top(runs: list[list[int]], depth: int, deeper: int) -> None:
    orders = [[f"a{n},b{n}" if place % 2 else f"b{n},a{n}" for place, n in enumerate(run)] for run in runs]
    chosen, counts = select_pairs([{"1": order} for order in orders], {}, ["1"], depth=depth, deeper=deeper, seed=3)
    keys = [pair_key(item.pair) for item in chosen]
    assert len(keys) == len(set(keys)) == counts["top"] + counts["deeper"]
    top = {key for order in orders for key in list(dict.fromkeys(map(pair_key, order)))[:depth]}
    assert (top <= set(keys), counts["top"]) == (True, len(top))
    assert counts["deeper"] <= deeper


def test_official_test_topics_stay_ungraded(place: Path) -> None:
    write_topics(
        place / "corpus" / "topics.xml",
        [Topic("51", "Is one good?"), Topic("50", "Should everyone get a basic income?")],
    )
    with pytest.raises(InputError, match=r"topic 50: this is the number of an official .*--allow-topics 50"):
        main(OUT)
    write_run(place / "a.txt", {"50": [pair("S1-A1", 1, 2)]})
    assert main([*OUT[:4], "-o", "pool", "--allow-topics", "50"]) == 0


def test_the_sample_is_known_by_its_titles(tmp_path: Path) -> None:
    (name, *_) = read_qrels(SAMPLE / "qrels-test-pairs-relevance.qrels")["2"]
    write_run(tmp_path / "run.txt", {"2": [name]})
    assert main(["-i", str(SAMPLE), "--run", str(tmp_path / "run.txt"), "-o", str(tmp_path / "pool")]) == 0


def test_nothing_to_grade_writes_nothing(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(place / "a.txt", {"51": [pair("S1-A1", 3, 4)]})
    assert main([*OUT[:4], "-o", "pool", *QRELS]) == 0
    assert "every pair is graded" in capsys.readouterr().out
    assert not (place / "pool").exists()


def test_a_pool_that_waits_for_grades_is_not_overwritten(place: Path) -> None:
    main([*OUT, *QRELS])
    before = (place / "pool" / "key.tsv").read_bytes()
    assert main([*OUT, *QRELS]) == 0, "the same pool again is harmless"
    refuses(lambda: main([*OUT, *QRELS, "--seed", "1"]), "pool/pairs.tsv: another pool is there, or grades are in it")
    assert (place / "pool" / "key.tsv").read_bytes() == before
    (place / "pool" / "pairs.tsv").write_text("filled in")
    refuses(lambda: main([*OUT, *QRELS]), "pool/pairs.tsv: another pool is there, or grades are in it")


@pytest.mark.parametrize(
    ("run", "said"),
    [
        ("53 Q0 a__CONC__1,b__CONC__1 1 1 t\n", r"a.txt: topic 53 is in no topics file; name the file that has it"),
        ("51 Q0 S1-A1 1 1 t\n", r"a.txt line 1: 'S1-A1' is not a pair"),
        (
            "51 Q0 x__PREMISE__1,y__PREMISE__1 1 1 t\n",
            r"a.txt: topic 51: the corpus corpus has no sentence x__PREMISE__1",
        ),
    ],
)
def test_bad_runs(place: Path, run: str, said: str) -> None:
    (place / "a.txt").write_text(run)
    with pytest.raises(InputError, match=said):
        main(OUT)
    assert not (place / "pool").exists()


# ---- back -----------------------------------------------------------------------------------------


@pytest.fixture
def graded(place: Path) -> dict[str, str]:
    """The pool with both anchors of topic 51, by pair: its name."""
    main([*OUT, *QRELS])
    return {item.pair: name for name, item in read_key(place / "pool" / "key.tsv")[0].items()}


HEAD = "item\trelevance\tquality\tcoherence\n"


def write_grades(path: Path, items: dict[str, str], grades: dict[str, str], other: str = "1 1 1") -> None:
    lines = (f"{item} {grades.get(pair, other)}\n".replace(" ", "\t") for pair, item in items.items())
    path.write_text(HEAD + "".join(lines))


def test_the_mean_of_the_graders_becomes_qrels(
    place: Path, graded: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    write_grades(place / "one.tsv", graded, {pair("S1-A1", 1, 2): "2 1 0", pair("S1-A1", 4, 3): "2 2 2"})
    write_grades(place / "two.tsv", {pair("S1-A1", 1, 2): graded[pair("S1-A1", 1, 2)]}, {}, other="1 1 1")
    assert main(["--grades", "one.tsv", "--grades", "two.tsv", *BACK]) == 0
    found = {name: read_qrels(place / "back" / f"pairs-{name}.qrels") for name in DIMENSIONS}
    assert [found[name]["51"][pair("S1-A1", 1, 2)] for name in DIMENSIONS] == [1.5, 1, 0.5]
    assert {topic: len(grades) for topic, grades in found["quality"].items()} == {"51": 2, "52": 2}, "no anchors"
    out = " ".join(capsys.readouterr().out.split())
    assert out.startswith("pairs graded 4 anchors graded again 3 of these, graded more than once 1 graders 2 ")
    # Anchors in relevance: 2 -> 2, 1 -> 1 and .5 -> 1: mean difference .5 / 3.
    assert main(["--agreement", "relevance.qrels", "back/votes-relevance.jsonl", "--json", "drift.json"]) == 0
    (drift,) = json.loads(Path("drift.json").read_text())["agreement"]
    assert (drift["items"], drift["difference"][0]) == (3, pytest.approx(0.5 / 3))


def test_a_spreadsheet_may_save_the_table_as_csv(place: Path, graded: dict[str, str]) -> None:
    rows = [row.split("\t") for row in (place / "pool" / "pairs.tsv").read_text("utf-8").splitlines()]
    for delimiter in ",;":
        with (place / "one.csv").open("w", newline="", encoding="utf-8-sig") as out:
            table = csv.writer(out, delimiter=delimiter)
            table.writerow([*rows[0][:4], "coherence", "notes", "relevance"])
            table.writerows([*row[:4], "2", 'a "note"', " 0 "] for row in rows[1:])
        assert main(["--grades", "one.csv", *BACK[:2], "-o", f"back{delimiter}"]) == 0
        written = {path.name: set(read_qrels(path)["51"].values()) for path in place.glob(f"back{delimiter}/pairs-*")}
        assert written == {"pairs-relevance.qrels": {0}, "pairs-coherence.qrels": {2}}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda lines: lines[:-2], r"the grades: 2 of 7 items have no grades in coherence and quality and relevance: "),
        (lambda lines: [*lines, lines[1]], r"one.tsv line 9: item \w+-1 has an earlier line already"),
        (lambda lines: [*lines, "0-1\t1\t1\t1"], r"one.tsv line 9: item '0-1' is not in this pool"),
        (
            lambda lines: [lines[0], f"{lines[1]}3"],
            r"one.tsv line 2: grade '13' of item \w+-1 is not valid; write 0, 1",
        ),
        (lambda lines: [lines[0], lines[1].replace("1\t1\t1", "1\t1\t.5")], r"one.tsv line 2: grade '.5' of item"),
        (lambda lines: [*lines[:-1], lines[-1][:-1]], r"1 of 7 items have no grades in coherence and quality and rel"),
        (lambda lines: [lines[0], *(line.split("\t")[0] for line in lines[1:])], r"one.tsv: holds no grades"),
        (lambda lines: lines[1:], r"one.tsv: has no columns item and relevance or quality or coherence"),
    ],
)
def test_bad_grades(place: Path, graded: dict[str, str], change, said: str) -> None:
    write_grades(place / "one.tsv", graded, {})
    (place / "one.tsv").write_text("\n".join(change((place / "one.tsv").read_text().splitlines())) + "\n")
    with pytest.raises(InputError, match=said):
        main(["--grades", "one.tsv", *BACK])
    assert not (place / "back").exists()


def test_a_key_that_was_changed_is_refused(place: Path, graded: dict[str, str]) -> None:
    key, other = (place / "pool" / "key.tsv").read_text(), place / "key.tsv"
    head, first, *rest = key.splitlines(keepends=True)
    write_grades(place / "one.tsv", graded, {})
    for text, said in (
        ("", "key.tsv: is empty"),
        (first, "key.tsv: is not the key of a pool"),
        (head, "key.tsv: is not a whole key of pairs"),
        (head + "".join(rest), "key.tsv: is not a whole key of pairs"),
        (key.replace("no\n", "maybe\n", 1), "key.tsv line .: is not `item topic pair anchor` of pair "),
    ):
        other.write_text(text)
        with pytest.raises(InputError, match=said):
            main(["--grades", "one.tsv", "--key", "key.tsv", "-o", "back"])


def test_what_is_read_is_not_replaced(place: Path, graded: dict[str, str]) -> None:
    write_grades(place / "pairs-relevance.qrels", graded, {})
    with pytest.raises(InputError, match="would replace one of the files it is made from"):
        main(["--grades", "ann=pairs-relevance.qrels", "--key", "pool/key.tsv", "-o", "."])


# ---- arguments and documents ----------------------------------------------------------------------

ARGUMENTS = ["-i", "corpus", "--task", "arguments", "--run", "args.txt", "-o", "pool"]


def votes(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_arguments_in_one_dimension(place: Path) -> None:
    write_run(place / "args.txt", {"51": ["S1-A1", "S2-A2"], "52": ["S2-A2"]})
    (place / "graded.qrels").write_text("51 0 S2-A2 -2\n")
    assert main([*ARGUMENTS, "--dimension", "relevance", "--qrels", "graded.qrels"]) == 0
    rows = [row.split("\t") for row in (place / "pool" / "arguments.tsv").read_text("utf-8").splitlines()]
    assert rows[0] == ["item", "topic", "conclusion", "text", "relevance"]
    assert "One text 1. One text 2. One text 3." in "".join(row[3] for row in rows)
    key = (place / "pool" / "key.tsv").read_text().splitlines()
    assert key[0].split("\t") == ["item", "topic", "argument", "anchor"]
    graded = {tuple(line.split("\t")[1:]): line.split("\t")[0] for line in key[1:]}
    assert set(graded) == {("51", "S1-A1", "no"), ("51", "S2-A2", "yes"), ("52", "S2-A2", "no")}
    lines = (f"{item}\t{'1' if line[2] == 'yes' else '2'}\n" for line, item in graded.items())
    (place / "ann.tsv").write_text("item\trelevance\n" + "".join(lines))
    assert main(["--grades", "ann.tsv", *BACK]) == 0
    assert read_qrels(place / "back" / "arguments-relevance.qrels") == {"51": {"S1-A1": 2}, "52": {"S2-A2": 2}}
    assert not list(place.glob("back/*quality*"))
    assert {row["by"] for row in votes(place / "back" / "votes-relevance.jsonl")} == {"ann"}


def test_documents_of_the_result_lists_of_topics(place: Path) -> None:
    listed = [("51", "d1", "First text."), ("51", "d2", "Second text."), ("52", "d1", "Text for another topic.")]
    rows = [{"topic": topic, "id": id_, "text": text} for topic, id_, text in listed]
    (place / "lists.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    write_topics(place / "topics.xml", [Topic("51", "One or two?"), Topic("52", "Two or three?")])
    write_run(place / "docs.txt", {"51": ["d1", "d2"], "52": ["d1"]})
    assert main(["-i", "lists.jsonl", "--task", "comparative", "--run", "docs.txt", "-o", "pool"]) == 0
    shown = {tuple(row.split("\t")[1:3]) for row in (place / "pool" / "documents.tsv").read_text().splitlines()[1:]}
    assert shown == {
        ("One or two?", "First text."), ("One or two?", "Second text."), ("Two or three?", "Text for another topic."),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        ([*ARGUMENTS, *QRELS], r"--pair-qrels: these are not grades of arguments; name them with --qrels"),
        ([*OUT, "--qrels", "relevance.qrels"], r"--qrels: these are not grades of pairs; name them with --pair-qrels"),
        ([*ARGUMENTS, "--qrels", "relevance.qrels"], r"relevance.qrels: these are grades of pairs, not of arguments"),
        (
            [*ARGUMENTS, "--dimension", "coherence"],
            r"--dimension: arguments are not graded in coherence; name relevance",
        ),
        (["-o", "x"], "name one of --run, --grades and --agreement"),
        ([*OUT, "--grades", "g.tsv"], "name one of --run, --grades and --agreement"),
        (["--run", "a.txt", "-o", "x"], "a pool needs a corpus"),
        (OUT[:-4], "an output folder is missing"),
        (["--grades", "g.tsv", "-o", "x"], "grades need a key"),
        (["--grades", "g", *BACK, "--next", "3"], r"usage: --next does not go with --grades"),
        ([*OUT, "--next", "3", "--deeper", "1"], r"usage: --next chooses, and --deeper draws"),
    ],
)
def test_options_that_do_not_fit(place: Path, argv: list[str], said: str) -> None:
    write_run(place / "args.txt", {"51": ["S1-A1"]})
    (place / "big.qrels").write_text(f"51 0 {pair('S1-A1', 1, 2)} 3\n")
    (place / "args.qrels").write_text("51 0 S1-A1 1\n")
    with pytest.raises(InputError, match=said):
        main(argv)


# ---- graders, what is next --------------------------------------------------


def test_next_are_those_that_the_runs_rank_highest(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Of the ungraded: 51 1-2 is first twice (2), 52 1-2 and 52 3-4 first once (1), 51 1-7 second (.63), 51 5-6 third.
    argv = [*OUT, *QRELS, "--anchors", "0", "--depth", "3", "--next"]
    assert main([*argv, "1"]) == 0
    assert pooled(place / "pool" / "key.tsv") == {"51": [(pair("S1-A1", 1, 2), False)]}
    assert "ungraded, left for later 4" in " ".join(capsys.readouterr().out.split())
    assert main([*argv, "2", "-o", "two"]) == 0
    assert pooled(place / "two" / "key.tsv")["52"] == [(pair("S2-A2", 1, 2), False)], "a tie: by id"
    assert main([*argv, "9", "-o", "all"]) == 0
    assert sum(map(len, pooled(place / "all" / "key.tsv").values())) == 5


def test_graders_have_names(place: Path, graded: dict[str, str]) -> None:
    write_grades(place / "one.tsv", graded, {}, other="2 1 0")
    write_grades(place / "two.tsv", graded, {}, other="1 1 0")
    assert main(["--grades", "one.tsv", "--grades", "bob=two.tsv", *BACK]) == 0
    rows = votes(place / "back" / "votes-relevance.jsonl")
    assert list(rows[0]) == ["topic", "id", "grade", "scale", "by", "anchor"]
    assert {(row["by"], row["grade"]) for row in rows} == {("one", 2), ("bob", 1)}
    assert len(rows) == 2 * len(graded)
    assert set(read_qrels(place / "back" / "bob-relevance.qrels")["51"].values()) == {1}
    for name, said in (
        ("votes", "'votes' cannot name a grader; name it"),
        ("a b", r"not \[NAME=\]FILE, with a name of"),
    ):
        with pytest.raises(InputError, match=said):
            main(["--grades", "one.tsv", "--grades", f"{name}=two.tsv", *BACK])


def test_parts_of_a_reading_by_dimension(place: Path, graded: dict[str, str]) -> None:
    for name, columns in (("r", "relevance"), ("qc", "quality\tcoherence")):
        lines = [item + len(columns.split()) * "\t1" for item in graded.values()]
        (place / f"{name}.tsv").write_text("\n".join([f"item\t{columns}", *lines]))
    assert main(["--grades", "r.tsv", "--grades", "qc.tsv", *BACK]) == 0
    assert {path.name for path in (place / "back").glob("pairs-*")} == {f"pairs-{name}.qrels" for name in DIMENSIONS}


# ---- the page -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_commands_of_the_page_print_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "pool.md").read_text("utf-8")
    predicted, pooled_by, back, *of_arguments = commands(page)
    monkeypatch.chdir(tmp_path)
    shutil.copytree(SAMPLE, tmp_path / "ltr" / "sample")
    assert predict.main(module_words(predicted)[3:]) == 0
    capsys.readouterr()
    assert main(module_words(pooled_by)[3:]) == 0
    shown = capsys.readouterr().out
    assert shown == page.partition("```text\n")[2].partition("```")[0]
    (new,) = [int(line.split()[-1]) for line in shown.splitlines() if line.startswith("pairs to grade")]
    key = read_key(tmp_path / "out" / "pool" / "key.tsv")[0]
    for name in ("ann.tsv", "bob.csv"):
        delimiter = "\t" if name.endswith(".tsv") else ","
        rows = [("item", *DIMENSIONS), *((item, "1", "1", "1") for item in key)]
        (tmp_path / name).write_text("".join(f"{delimiter.join(row)}\n" for row in rows))
    assert main(module_words(back)[3:]) == 0
    for name in DIMENSIONS:
        assert sum(map(len, read_qrels(tmp_path / "out" / "graded" / f"pairs-{name}.qrels").values())) == new
    ranked, pooled_arguments, back, compared = of_arguments
    assert predict.main(module_words(ranked)[3:]) == main(module_words(pooled_arguments)[3:]) == 0
    count = len(read_key(tmp_path / "out" / "arguments" / "key.tsv")[0])
    assert count == 40, "ten for each of four topics"
    key = read_key(tmp_path / "out" / "arguments" / "key.tsv")[0]
    lines = (f"{item}\t{place % 3}\n" for place, item in enumerate(key))
    (tmp_path / "mine.tsv").write_text("item\trelevance\n" + "".join(lines))
    assert main(module_words(back)[3:]) == main(module_words(compared)[3:]) == 0
    assert "people / arguments-relevance  40" in capsys.readouterr().out
