from __future__ import annotations

import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest
from support.processes import python
from support.topics import write_topics
from support.trained import trained_on_sample

from ltr.cli.main import COMMANDS
from ltr.commands import predict
from ltr.corpora.argument import Argument
from ltr.corpora.source import open_corpus
from ltr.data.ids import argument_of
from ltr.data.runs import RunRow, read_run, validate_run
from ltr.data.topics import Topic, read_topics
from ltr.sample import SAMPLE
from ltr.searcher import Searcher

HEAVY = "numpy pandas scipy sklearn lightgbm spacy tantivy loky filelock textstat ir_measures".split()
TOPICS = read_topics(SAMPLE / "topics.xml")

Predict = Callable[..., Path]


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample in a folder of its own, as somebody's corpus."""
    folder = tmp_path_factory.mktemp("corpus")
    for name in ("args_processed_sample.csv", "topics.xml"):
        shutil.copy(SAMPLE / name, folder / name)
    return folder


@pytest.fixture(scope="session")
def arguments(corpus: Path) -> dict[str, Argument]:
    return {argument.id: argument for argument in open_corpus(str(corpus))}


@pytest.fixture(scope="session")
def model() -> Path:
    return trained_on_sample()


@pytest.fixture(scope="session")
def run(corpus: Path, model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run of all topics by the trained model."""
    out = tmp_path_factory.mktemp("run")
    assert predict.main(["-i", str(corpus), "-o", str(out), "-m", str(model), "--jobs", "1", "--quiet"]) == 0
    return out / "run.txt"


@pytest.fixture
def one_topic(tmp_path: Path) -> Path:
    write_topics(tmp_path / "one.xml", TOPICS[:1])
    return tmp_path / "one.xml"


@pytest.fixture
def predicted(corpus: Path, one_topic: Path, tmp_path: Path) -> Predict:
    """Predict one topic with the given options; the run's path."""

    def call(*options: str) -> Path:
        out = tmp_path / "out"
        given = options if "--topics" in options else ("--topics", str(one_topic), *options)
        assert predict.main(["-i", str(corpus), "-o", str(out), "--jobs", "1", "--quiet", *given]) == 0
        return out / "run.txt"

    return call


def by_topic(rows: list[RunRow]) -> dict[str, list[RunRow]]:
    topics: dict[str, list[RunRow]] = defaultdict(list)
    for row in rows:
        topics[row.topic].append(row)
    return topics


# ---- the run --------------------------------------------------------------------------------------


def test_the_run_is_valid_and_of_the_right_size(run: Path) -> None:
    rows = read_run(run)
    validate_run(rows, depth=1000, where=run)
    assert list(by_topic(rows)) == [topic.number for topic in TOPICS]
    assert min(map(len, by_topic(rows).values())) >= 100
    assert {row.tag for row in rows} == {"riposte"}


def test_pairs_are_sentences_of_the_corpus_with_their_stance(run: Path, arguments: dict[str, Argument]) -> None:
    texts = {sentence.id for argument in arguments.values() for sentence in argument.sentences}
    stances = Counter[str]()
    for row in read_run(run):
        first, second = row.pair.split(",")
        assert {first, second} <= texts
        sides = {arguments[argument_of(sentence)].stance for sentence in (first, second)}
        assert row.stance == (sides.pop() if len(sides) == 1 and sides != {""} else "Q0")
        stances[row.stance] += 1
    assert stances["PRO"] > 0
    assert stances["CON"] > 0


# ---- options --------------------------------------------------------------------------------------


def test_the_shipped_model_answers_without_m(predicted: Predict, capsys: pytest.CaptureFixture[str]) -> None:
    path = predicted()
    rows = read_run(path)
    validate_run(rows)
    assert len(rows) >= 100
    assert {row.tag for row in rows} == {"riposte"}
    written, ranked = capsys.readouterr().out.splitlines()
    assert written == f"{path}: {len(rows):,} pairs for 1 of 1 topics"
    assert re.fullmatch(r"ranked by the model that ships \(trained on \d+ topics with [\d,]+ graded and .*\)", ranked)


DIMENSION_OPTIONS = {name: ("--dimension", name) for name in ("relevance", "quality", "coherence", "all")}


@pytest.mark.parametrize(
    ("dimension", "weights"), [("relevance", "1,0,0"), ("quality", "0,1,0"), ("coherence", "0,0,1")]
)
def test_a_dimension_is_a_blend_of_one(
    dimension: str, weights: str, model: Path, corpus: Path, predicted: Predict
) -> None:
    alone = read_run(predicted("-m", str(model), *DIMENSION_OPTIONS[dimension]))
    blended = predicted("-m", str(model), "--blend", weights)
    assert read_run(blended) != alone, "the baselines in the blend keep their weights"
    searcher = Searcher(corpus, model=model, jobs=1).with_weights({dimension: 1, "words": 0, "argues": 0})
    assert searcher.rank(TOPICS[:1]).rows() == alone


@pytest.mark.parametrize("depth", [1, 7, 150])
def test_depth_cuts_the_same_list(depth: int, run: Path, predicted: Predict, model: Path) -> None:
    whole = [row for row in read_run(run) if row.topic == TOPICS[0].number]
    assert read_run(predicted("-m", str(model), "--depth", str(depth))) == whole[:depth]


def test_a_topic_without_a_match_is_said_and_the_rest_written(
    predicted: Predict, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    topics = [Topic("77", "Zyzzyva quokka?"), TOPICS[0], Topic("78", "Should we?")]
    write_topics(tmp_path / "odd.xml", topics)
    rows = read_run(predicted("-m", "bm25", "--topics", str(tmp_path / "odd.xml")))
    assert {row.topic for row in rows} == {TOPICS[0].number}
    said = capsys.readouterr()
    assert said.out.endswith("for 1 of 3 topics\nranked by the baseline bm25\n")
    assert [line[:17] for line in said.err.splitlines()] == ["warning: topic 77", "warning: topic 78"]


# ---- start ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name, (module, _) in COMMANDS.items() if module.startswith("ltr.")])
def test_help_is_printed_without_heavy_imports(name: str) -> None:
    code = (
        "import atexit, sys\nfrom ltr.cli.main import main\n"
        f"atexit.register(lambda: print([name for name in {HEAVY} if name in sys.modules]))\nmain()"
    )
    done = python("-c", code, name, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"usage: riposte {name} ")
    assert done.stdout.endswith("\n[]\n")


@pytest.mark.parametrize("name", ["train", "predict", "evaluate", "search"])
def test_the_main_commands_are_modules_too(name: str) -> None:
    assert python("-m", f"ltr.{name}", "--help").stdout.startswith(f"usage: riposte {name} ")
