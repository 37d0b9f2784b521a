"""Booklets for people: which pairs are drawn, what is printed, and what their grades say, also of simulated people."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from support.pages import commands, module_words
from support.report import Outline
from support.simulated_people import PEOPLE, Person, grades_by, reader, trials

from experiments.agreement import coefficients
from experiments.booklet.card import number
from experiments.booklet.command import main
from experiments.booklet.selection import TARGETS, design_weights, draw_pairs, read_levels
from experiments.booklet.study import Correction, Dimension, correction_tables, near_levels, run_table
from experiments.pool.files import ShownPair, read_key
from experiments.pool.grades import cells_of, read_grades, sheet_text
from experiments.pool.selection import OFFICIAL_TEST, PooledPair
from ltr.commands import predict
from ltr.data.ids import pair_key
from ltr.data.qrels import Qrels, read_pair_qrels, read_qrels
from ltr.data.runs import RunRow
from ltr.data.topics import Topic, write_topics
from ltr.errors import InputError
from ltr.evaluation.evaluator import evaluate
from ltr.sample import SAMPLE
from models.base import DIMENSIONS

ROOT = Path(__file__).resolve().parents[2]
QRELS = [word for name in DIMENSIONS for word in ("--pair-qrels", f"{name}={SAMPLE}/qrels-test-pairs-{name}.qrels")]
OUT = ["-i", str(SAMPLE), "--topics", str(SAMPLE / "topics.xml"), *QRELS, "--pairs", "16", "-o", "booklet"]
BACK = ["--grades", "ann.csv", "--grades", "bob.txt", "--key", "booklet/key.tsv", *QRELS, "-o", "back"]
FILES = {"booklet.html", "booklet.pdf", "pairs.html", "sheet.csv", "key.tsv"}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a booklet of the sample, 16 pairs of 4 topics."""
    monkeypatch.chdir(tmp_path)
    assert main(OUT) == 0
    return tmp_path


def fill(path: str, grade: str = "{0},{0},{0}", name: str | None = None, first: int = 1) -> None:
    """A sheet of 16 pairs whose grades go round 0, 1, 2."""
    lines = [f"# pool {name},,,"] if name else []
    lines += ["number,relevance,quality,coherence"] if "," in grade else []
    separator = "," if "," in grade else " "
    lines += [f"{n}{separator}{grade.format(n % 3)}" for n in range(first, 17)]
    Path(path).write_text("\n".join(lines) + "\n", "utf-8")


# ---- which pairs ----------------------------------------------------------------------------------


def test_grades_and_topics_are_spread() -> None:
    levels = read_levels(reader())
    for seed in range(3):
        drawn = draw_pairs(levels, 100, 4, seed)
        assert len({(item.topic, pair_key(item.pair)) for item in drawn}) == 100
        assert set(Counter(item.topic for item in drawn).values()) == {4}
        assert not {item.topic for item in drawn} & OFFICIAL_TEST
        for place in range(3):
            counts = Counter(levels[item.topic][item.pair][place] for item in drawn)
            assert min(counts[level] for level in range(3)) >= 11, "each grade is drawn for in a ninth of the cases"
    assert draw_pairs(levels, 100, 4, 0) == draw_pairs(levels, 100, 4, 0) != draw_pairs(levels, 100, 4, 1)
    assert len({item.topic for item in draw_pairs(levels, 100, 2)}) == 50


def test_targets_have_each_grade_of_each_dimension_once() -> None:
    assert sorted(TARGETS) == [(place, level) for place in range(3) for level in range(3)]
    assert all(a[0] != b[0] and a[1] != b[1] for a, b in pairwise(TARGETS))


def test_a_target_waits_for_a_topic_that_has_it() -> None:
    levels = {"61": {"a,b": (2, 2, 2), "c,d": (2, 2, 2)}, "62": {"e,f": (0, 0, 0)}}
    assert {item.pair for item in draw_pairs(levels, 3, 2)} == {"a,b", "c,d", "e,f"}
    with pytest.raises(InputError, match=r"--pairs: 2 pairs can be drawn, 1 per topic, not 3; ask for fewer, or raise"):
        draw_pairs(levels, 3, 1)


def test_design_weights_by_hand() -> None:
    # Pairs with a first grade of 0: 2, of 1: 2; second 0: 3, 1: 1; third 0: 4. Chances by 1/2 + 1/3 + 1/4 and so on.
    levels = {"61": {"a": (0, 0, 0), "b": (0, 1, 0), "c": (1, 0, 0)}, "62": {"d": (1, 0, 0)}}
    assert design_weights(levels) == pytest.approx({(0, 0, 0): 12 / 13, (0, 1, 0): 4 / 7, (1, 0, 0): 12 / 13})


# ---- what is printed ------------------------------------------------------------------------------


def test_nothing_shows_the_reader_or_ids(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = {path.name for path in (place / "booklet").iterdir()}
    assert found == FILES
    key, name = read_key(place / "booklet" / "key.tsv")
    assert (len(key), len({item.topic for item in key.values()})) == (16, 4)
    html = (place / "booklet" / "booklet.html").read_text("utf-8")
    for file in ("booklet.html", "pairs.html", "sheet.csv"):
        text = (place / "booklet" / file).read_text("utf-8")
        assert "__PREMISE__" not in text
        assert "anchor" not in text
        assert name in text
    tags = [tag for tag, _ in Outline(html).elements]
    assert (tags.count("section"), tags.count("i")) == (16, 16 * 9)
    assert "@page" in html
    assert "counter(page)" in html
    assert html.count("<script") == 2
    assert (place / "booklet" / "sheet.csv").read_text() == sheet_text(16, name)
    before = {path.name: path.read_bytes() for path in (place / "booklet").iterdir()}
    assert main(OUT) == 0, "the same booklet again"
    assert before == {path.name: path.read_bytes() for path in (place / "booklet").iterdir()}, "for every grader"
    with pytest.raises(InputError, match=r"key.tsv: another pool is there"):
        main([*OUT, "--seed", "1"])


def test_the_pdf_prints_every_text(tmp_path: Path) -> None:
    pdf = pytest.importorskip("experiments.booklet.pdf", reason="the extra booklet is not installed")
    long = "A sentence that goes on and on, with “quotes”, ž, Ω and Ж. " * 20
    shown = [ShownPair(n, "Should we?", long[:1400] if n % 2 else "Short.", "Word" * 100) for n in range(1, 31)]
    assert pdf.write_pdf(tmp_path / "a.pdf", shown, "0123456789ab", "Tick.") == set()
    assert pdf.write_pdf(tmp_path / "b.pdf", [ShownPair(1, "Why?", "日本", "x")], "0123456789ab", "Tick.") == set(
        "日本"
    )
    content = (tmp_path / "a.pdf").read_bytes()
    assert content.startswith(b"%PDF-")
    assert [path.name for path in tmp_path.iterdir() if path.suffix != ".pdf"] == []
    assert len(re.findall(rb"/Type /Page\b", content)) > 5
    assert b"/FontFile2" in content, "the font is in the file"
    with pytest.raises(InputError, match=r"c.pdf: cannot be written \(.*\); name another directory"):
        pdf.write_pdf(tmp_path / "none" / "c.pdf", shown, "0123456789ab", "Tick.")
    if shutil.which("pdftotext"):
        import subprocess

        text = subprocess.run(["pdftotext", tmp_path / "a.pdf", "-"], capture_output=True, text=True, check=True).stdout
        assert [int(n) for n in re.findall(r"^\f?(\d+)\. Should we\?", text, re.MULTILINE)] == list(range(1, 31))
        assert "“quotes”, ž, Ω and Ж" in " ".join(text.split())
        assert re.search(r"page 1 of \d+", text)


def test_without_the_package_the_pdf_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(__import__("sys").modules, "fpdf", None)
    monkeypatch.delitem(__import__("sys").modules, "experiments.booklet.pdf", raising=False)
    assert main(OUT) == 0
    assert (
        "booklet.pdf is left out: pip install 'riposte-ltr[booklet]', or print booklet.html" in capsys.readouterr().out
    )
    assert {path.name for path in Path("booklet").iterdir()} == FILES - {"booklet.pdf"}


def test_official_test_topics_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_topics(tmp_path / "topics.xml", [Topic("50", "Should everyone get a basic income?")])
    with pytest.raises(InputError, match=r"topics.xml topic 1: number 50 is that of an official test topic"):
        main([*OUT[:2], "--topics", "topics.xml", *QRELS, "-o", "booklet"])


# ---- what comes back ------------------------------------------------------------------------------


def test_cells() -> None:
    assert cells_of('"7";1; ;2') == cells_of("7\t1\t\t2") == ["7", "1", "", "2"]
    assert cells_of("7 1 - 2") == ["7", "1", "-", "2"]
    assert cells_of('"# pool 12ab";;;') == cells_of("# pool 12ab") == ["# pool 12ab"]
    assert [number(value) for value in (0.5, -0.25, 0.999, 1.5)] == [".50", "-.25", "1.00", "1.50"]


def test_grades_come_back(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("krippendorff", reason="the extra agreement is not installed")
    _, name = read_key(place / "booklet" / "key.tsv")
    fill("ann.csv", "{0},,{0}", name)
    Path("ann.csv").write_text(Path("ann.csv").read_text().replace("1,1,,1", "1;1;2;1").replace("5,2,,2", "5,2,1,2"))
    fill("bob.txt", "{0} {0} {0}", first=3)
    Path("bob.txt").write_text(Path("bob.txt").read_text() + "2 1 - 1\n")
    shutil.copy("bob.txt", "cem.txt")
    assert main([*BACK, "--grades", "cem.txt", "--json", "back.json", "--draws", "50"]) == 0
    shown = capsys.readouterr().out
    # Ann: 16 of relevance and coherence, 2 of quality; Bob and Cem: 14 of each, and 2 of another pair.
    assert "ann: 34 of 48 grades\nbob: 44 of 48 grades\ncem: 44 of 48 grades\n" in shown
    found = json.loads(Path("back.json").read_text())
    assert found["missing"] == 3 * 48 - 34 - 2 * 44
    assert set(found["dimensions"]) == set(DIMENSIONS)
    alike = found["dimensions"]["relevance"]["agreement"][-1]
    assert (alike["graders"], alike["units"], alike["equal"][0]) == ("bob / cem", 15, 1)
    rows = [row["graders"] for row in found["dimensions"]["relevance"]["reader"]]
    assert rows == ["ann / mean without ann", "bob / mean without bob", "cem / mean without cem"] + [
        f"{person} / reader" for person in ("ann", "bob", "cem", "mean of people")
    ]
    assert "alpha" in found["dimensions"]["quality"]
    card = Path("back/data-card.md").read_text("utf-8")
    assert "3 people graded 16 pairs of 4 topics" in card
    assert "22 of 144 grades are missing" in card
    assert all(line.count("|") == 5 for line in card.splitlines() if line.startswith("|"))
    read = read_pair_qrels([("relevance", SAMPLE / "qrels-test-pairs-relevance.qrels")])["relevance"]
    corrected = read_qrels(Path("back/corrected-relevance.qrels"))
    levels = [row["people"][0] for row in found["dimensions"]["relevance"]["levels"]]
    for topic, grades in read.items():
        expected = {pair: np.interp(grade, range(3), levels) for pair, grade in grades.items()}
        assert corrected[topic] == pytest.approx(expected)
    assert len(read_qrels(Path("back/ann-quality.qrels"))) == 2


@pytest.mark.parametrize("package", [True, False])
def test_two_people_and_alpha(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, package: bool
) -> None:
    if not package:
        monkeypatch.setattr(coefficients, "krippendorff", None)
    else:
        pytest.importorskip("krippendorff", reason="the extra agreement is not installed")
    fill("ann.csv")
    fill("bob.txt")
    capsys.readouterr()
    assert main([*BACK, "--draws", "20"]) == 0
    shown = capsys.readouterr().out
    assert ("Krippendorff's alpha is left out: pip install" in shown) != package
    assert "mean without" not in shown
    assert ("alpha, ordinal | 1.00" in Path("back/data-card.md").read_text()) == package


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("# pool 0123456789ab,,,\n1,1,1,1\n", "ann.csv line 1: the grades are of another pool; name the key.tsv"),
        (
            "number,relevance,quality,coherence\n1,3,1,1\n",
            "ann.csv line 2: grade '3' of number 1 is not valid; write 0,",
        ),
        ("1;1;1\n", "ann.csv line 1: has 3 columns, not 4; write it as `number r q c`"),
        ("1,1,1,1\n1,2,2,2\n", "ann.csv line 2: number 1 has grades in line 1 already; keep one line"),
        ("17,1,1,1\n", "ann.csv line 1: number '17' is not in the key; use 1 to 16"),
        ("1,,,\n2,,,\n", "ann.csv: holds no grades"),
        ("1,1,,\n2,1,,\n", "--grades: fewer than two people graded quality; name the grades of two or more"),
    ],
)
def test_bad_sheets(place: Path, lines: str, said: str) -> None:
    Path("ann.csv").write_text(lines)
    fill("bob.txt", "{0} {0} {0}")
    with pytest.raises(InputError) as caught:
        main(BACK)
    assert said in str(caught.value)
    assert not Path("back").exists()


def test_a_spreadsheet_file_is_no_sheet(place: Path) -> None:
    Path("ann.csv").write_bytes(b"PK\x03\x04\xff\xfe")
    fill("bob.txt")
    with pytest.raises(InputError, match=r"ann.csv: cannot be read \(not utf-8\); .* sheet saved as CSV in UTF-8"):
        main(BACK)


def test_a_pass_of_a_pool_lacks_nothing(tmp_path: Path) -> None:
    file = tmp_path / "ann.txt"
    file.write_text("\n1 1 - 1\n")
    with pytest.raises(InputError, match=r"line 2: grade '-' of number 1 is not valid; write 0, 1 or 2$"):
        read_grades(file, {1: None}, "0123456789ab")
    file.write_text("# pool 0123456789ab,,,\nnumber,relevance,quality,coherence\n1,1,0,1\n,,,\n")
    assert read_grades(file, {1: None}, "0123456789ab") == {1: (1, 0, 1)}, "a pool may have a sheet, too"


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["-o", "x"], "name -i to print a booklet, or --grades and --key to read grades"),
        ([*OUT, "--key", "k"], "name -i to print a booklet, or --grades and --key to read grades"),
        (["--grades", "a", "--grades", "b", "-o", "x"], "reading grades needs the key of the booklet"),
        (["--grades", "a", "--key", "k", "-o", "x"], "one person agrees with no one; name --grades of two or more"),
        ([*OUT, "--run", "run.txt"], "--run is measured when grades are read"),
        ([*OUT[:4], "-o", "x"], "the reader's grades of relevance are not named; --pair-qrels relevance=FILE"),
        ([*OUT, "--pairs", "100"], "--pairs: 16 pairs can be drawn, 4 per topic, not 100"),
        ([*BACK[:2], *BACK[:2], *BACK[4:]], "ann.csv: is named twice"),
        ([*BACK[:2], "--grades", "sub/ann.txt", *BACK[4:]], "another grader is called ann, too; rename the file"),
        ([*BACK[:2], "--grades", "reader.csv", *BACK[4:]], "another grader is called reader, too; rename the file"),
        ([*BACK, "--json", "ann.csv"], "would replace one of the files it is made from"),
        ([*BACK, "--run", "run.txt"], "has no topic in common with the qrels"),
    ],
)
def test_bad_usage(place: Path, argv: list[str], said: str) -> None:
    for name in ("ann.csv", "bob.txt", "reader.csv"):
        fill(name)
    Path("sub").mkdir()
    shutil.copy("ann.csv", "sub/ann.txt")
    Path("run.txt").write_text("99 Q0 a__CONC__1,b__CONC__1 1 1 t\n")
    with pytest.raises(InputError) as caught:
        main(argv)
    assert said in str(caught.value)


def test_other_grades_of_the_reader_are_refused(place: Path) -> None:
    fill("ann.csv")
    fill("bob.txt")
    other = [word for name in DIMENSIONS for word in ("--pair-qrels", f"{name}=few.qrels")]
    Path("few.qrels").write_text("2 0 a__CONC__1,b__CONC__1 1\n")
    with pytest.raises(
        InputError, match=r"key.tsv: pair 1 has no grade of the reader in each dimension; name the --pair"
    ):
        main([*BACK[:6], *other, "-o", "back"])
    Path("few.qrels").write_text("2 0 a__CONC__1,b__CONC__1 3\n")
    with pytest.raises(InputError, match=r"topic 2: the relevance 3 of a__CONC__1,b__CONC__1 is not from 0 to 2"):
        main([*BACK[:6], *other, "-o", "back"])


# ---- corrections ----------------------------------------------------------------------------------


def test_a_correction_by_hand() -> None:
    # All weights are alike but for the pair that is rare in quality. Ann and Bob give 0: 0 and 1; 2: 2 and 2, 1 and 0.
    graded = {name: Qrels({"61": {"a,b": 0.0, "c,d": 2.0, "e,f": 2.0}}, "pair") for name in DIMENSIONS}
    key = {n: PooledPair("61", pair, True) for n, pair in enumerate(("b,a", "c,d", "e,f"), 1)}
    nan = float("nan")
    sheets = {"ann": {1: (0, nan, 0), 2: (2, 0, 0), 3: (1, 0, 0)}, "bob": {1: (1, 1, 1), 2: (2, 1, 1), 3: (0, 1, 1)}}
    dimension = Dimension("relevance", sheets, key, graded)
    correction = dimension.correction(10, 0)
    assert correction.levels[0].tolist() == [0.5, 1, 1.25], "the booklet has no 1, which stays"
    assert correction.units.tolist() == [1, 0, 2]
    assert dimension.missing == 0
    assert Dimension("quality", sheets, key, graded).missing == 1
    (mean,) = correction_tables(dimension, correction)[1].rows
    assert mean["corrected"].value == pytest.approx((0.5 + 1.25 * 2) / 3)
    halves = Qrels({"61": {"a,b": 0.5, "c,d": 1.5}}, "pair")
    assert correction.qrels(halves) == {"61": {"a,b": 0.75, "c,d": 1.125}}
    assert near_levels(np.array([0.5, 2])).tolist() == [[0.5, 0.5, 0], [0, 0, 1]]


def test_runs_are_measured_by_corrected_grades() -> None:
    read = Qrels({"61": {"a,b": 2.0, "c,d": 1.0, "e,f": 0.0}, "62": {"a,b": 1.0, "c,d": 0.0}}, "pair")
    key = {1: PooledPair("61", "a,b", True), 2: PooledPair("62", "a,b", True)}
    sheet = {1: (1, 1, 1), 2: (2, 2, 2)}
    dimension = Dimension("relevance", {"ann": sheet, "bob": sheet}, key, dict.fromkeys(DIMENSIONS, read))
    lines = [("61", "d,c"), ("61", "a,b"), ("61", "x,y"), ("62", "c,d")]
    rows = [RunRow(topic, "Q0", pair, rank, 9.0 - rank, "t") for rank, (topic, pair) in enumerate(lines)]
    levels = np.array([[0.2, 0.8, 1.5], [0.2, 0.8, 1.5]])
    (row,) = run_table({"run": rows}, dimension, Correction(levels, np.ones(3)), 0).rows
    corrected = Correction(levels, np.ones(3)).qrels(read)
    assert corrected["61"] == pytest.approx({"a,b": 1.5, "c,d": 0.8, "e,f": 0.2})
    assert row["nDCG@5 as read"].value == pytest.approx(evaluate(rows, read, ["nDCG@5"]).means["nDCG@5"])
    assert row["nDCG@5 corrected"].value == pytest.approx(evaluate(rows, corrected, ["nDCG@5"]).means["nDCG@5"])
    assert row["judged@5"] == pytest.approx((2 / 3 + 1) / 2)


# ---- simulated people -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["two hasty", "three, strict", "five, one lazy"])
def test_the_known_reliability_is_found(name: str) -> None:
    """The mean over booklets is near the known value, and most intervals have it."""
    seeds = range(12)
    found = [trial for seed in seeds for trial in trials(PEOPLE[name], seed, draws=100)]
    for figure in {trial.figure for trial in found}:
        of = [trial for trial in found if trial.figure == figure]
        off = np.mean([trial.found.value - trial.known for trial in of])
        assert abs(off) < 0.05, (figure, off)
        covered = np.mean([trial.covered for trial in of])
        assert covered > 0.7, (figure, covered)


def test_a_lazy_grader_stands_out() -> None:
    people, read = PEOPLE["five, one lazy"], reader()
    key = dict(enumerate(draw_pairs(read_levels(read), 100, 4), 1))
    sheets = grades_by(people, key, np.random.default_rng(3))
    rows = next(t.rows for t in Dimension("quality", sheets, key, read).tables(20, 0) if t.key == "reader")
    kappas = {row["graders"]: row["quadratic kappa"].value for row in rows if "mean without" in row["graders"]}
    assert min(kappas, key=kappas.__getitem__) == "p4 / mean without p4"


def test_the_correction_is_that_of_all_pairs_though_the_draw_prefers_rare_ones() -> None:
    """People who find a pair of quality 0 irrelevant: such pairs are frequent in booklets and rare in the whole set."""
    read = reader()
    levels = read_levels(read)
    truth = {level: [] for level in range(3)}
    for pairs in levels.values():
        for relevance, quality, _ in pairs.values():
            truth[relevance].append(0 if quality == 0 else relevance)
    found, plain = [], []
    for seed in range(40):
        key = dict(enumerate(draw_pairs(levels, 100, 4, seed), 1))
        sheet = {}
        for n, item in key.items():
            relevance, quality, coherence = levels[item.topic][item.pair]
            sheet[n] = (0.0 if quality == 0 else float(relevance), float(quality), float(coherence))
        dimension = Dimension("relevance", {"ann": sheet, "bob": sheet}, key, read)
        found.append(dimension.correction(1, 0).levels[0])
        dimension.weights = np.ones(len(dimension.weights))
        plain.append(dimension.correction(1, 0).levels[0])
    known = np.array([np.mean(truth[level]) for level in range(3)])
    error, without = (np.abs(np.mean(values, axis=0) - known).sum() for values in (found, plain))
    assert error < 0.04
    assert error < without / 2


def test_people_of_one_kind_are_covered_when_others_of_the_kind_are_meant() -> None:
    """Three people drawn from many: the interval over people has the mean of the many more often than not."""
    read, rng = reader(), np.random.default_rng(1)
    levels = read_levels(read)
    covered = []
    for seed in range(20):
        key = dict(enumerate(draw_pairs(levels, 100, 4, seed), 1))
        people = [Person(bias, 0.1) for bias in rng.uniform(-0.6, 0.2, 3)]
        dimension = Dimension("relevance", grades_by(people, key, rng), key, read)
        row = correction_tables(dimension, dimension.correction(200, seed))[0].rows[2]["people"]
        # From 2: one less with a chance of -bias (on average .3 * .75), then any grade with a chance of .1.
        known = 0.9 * (2 - np.mean([max(0, -bias) for bias in np.linspace(-0.6, 0.2, 2001)])) + 0.1
        covered.append(row.low <= known <= row.high)
    assert np.mean(covered) > 0.7


# ---- the page -------------------------------------------------------------------------------------


def test_the_commands_of_the_page_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs" / "booklet.md").read_text("utf-8")
    printing, reading = (module_words(command)[3:] for command in commands(page) if "pip" not in command)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "path" / "to").mkdir(parents=True)
    (tmp_path / "path" / "to" / "corpus").symlink_to(SAMPLE)
    (tmp_path / "graded").symlink_to(ROOT / "ltr" / "supervision" / "graded")
    for name in DIMENSIONS:
        shutil.copy(SAMPLE / f"qrels-test-pairs-{name}.qrels", tmp_path)
    printing = [re.sub(r"(?<==).*pairs-2021-(\w+)", r"qrels-test-pairs-\1", word) for word in printing]
    reading = [re.sub(r"(?<==).*pairs-2021-(\w+)", r"qrels-test-pairs-\1", word) for word in reading]
    shutil.copy(SAMPLE / "topics.xml", tmp_path / "topics-2021.xml")
    assert main([*printing, "--pairs", "16"]) == 0
    for name in ("ann.csv", "bob.csv", "cem.csv"):
        fill(name)
    assert predict.main(["-i", str(SAMPLE), "-m", "bm25", "-o", "bm25", "--quiet"]) == 0
    assert predict.main(["-i", str(SAMPLE), "-m", "length", "-o", "mine", "--quiet"]) == 0
    assert main([*reading, "--draws", "20"]) == 0
    assert "nDCG@5 corrected" in capsys.readouterr().out
