"""What training refuses, counts and warns of."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from support.refusals import refuses
from support.sample_model import sample_index
from support.topics import write_topics
from support.trained import FEW, trained_on_sample

import ltr
from features.core.feature import column_features, columns, reader_columns
from ltr.commands import train
from ltr.data.qrels import Qrels, read_pair_qrels, read_qrels, write_qrels
from ltr.data.runs import read_run
from ltr.data.topics import Topic, read_topics
from ltr.errors import InputError
from ltr.evaluation.inputs import QRELS, JudgmentFiles
from ltr.evaluation.measures import standard_measures
from ltr.evaluation.report import Plan
from ltr.evaluation.runs import evaluate_files
from ltr.learning.data import TrainingFiles
from ltr.learning.examples import kept_columns
from ltr.learning.fit import FitSettings
from ltr.learning.given import as_files
from ltr.learning.judgments import JudgedSet
from ltr.learning.settings import TrainingSettings
from ltr.ranking.task import find_task
from ltr.sample import SAMPLE
from ltr.settings import make
from models.base import DIMENSIONS, make_ranker
from models.blend import WEIGHTS
from models.learned import columns_of

ROOT = Path(__file__).resolve().parents[3]
RELEVANCE = read_qrels(SAMPLE / "qrels-train-relevance.qrels")
QUALITY = read_qrels(SAMPLE / "qrels-train-quality.qrels")
PAIRS = read_pair_qrels((name, SAMPLE / f"qrels-train-pairs-{name}.qrels") for name in DIMENSIONS)
TOPICS = read_topics(SAMPLE / "topics-train.xml")
FIRST = list(RELEVANCE)[:4]


def manifest_of(model: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((model / "manifest.json").read_text("utf-8"))
    return found


@pytest.fixture(scope="module")
def index() -> Path:
    return trained_on_sample().parent / "index"


def some(qrels: Qrels) -> Qrels:
    return {number: qrels[number] for number in FIRST}


def run(place: Path, index: Path, *options: str, **qrels: Qrels) -> dict[str, Any]:
    """Train on the topics of the given judgments, by the name of their option; the manifest."""
    given = []
    for name, grades in qrels.items():
        write_qrels(place / f"{name}.qrels", grades)
        option = {"relevance": "--qrels", "quality": "--quality-qrels"}.get(name, "--pair-qrels")
        dimension = f"{name.removeprefix('pairs_')}=" if option == "--pair-qrels" else ""
        given += [option, f"{dimension}{place / f'{name}.qrels'}"]
    numbers = {number for grades in qrels.values() for number in grades}
    write_topics(place / "t.xml", [topic for topic in TOPICS if topic.number in numbers] or TOPICS[:1])
    files = ["-i", str(SAMPLE), "--topics", str(place / "t.xml"), "-m", str(place / "model"), "--index", str(index)]
    assert train.main([*files, *given, *FEW, "--jobs", "1", "--trees", "3", *options]) == 0
    return manifest_of(place / "model") if (place / "model").exists() else {}


# ---- judgments ------------------------------------------------------------------------------------

PAIR = next(iter(PAIRS["quality"]["1"]))
FOREIGN = {"1": {"Sff-Aff__CONC__1,Sff-Aff__PREMISE__1": 1.0}}
NOTHING = "--sources: no source separates good pairs from bad"
REFUSED: dict[str, tuple[dict[str, Qrels], str, str]] = {
    "one topic": (
        {"relevance": {"1": RELEVANCE["1"]}},
        "",
        "the judged topics are too few, or too alike, to hold some out; add judgments",
    ),
    "pairs are judged": ({"relevance": {"1": {PAIR: 1.0}}}, "", "relevance.qrels: these judge pairs, not arguments"),
    "another corpus": ({"relevance": {"1": {"Sff-Aff": 1.0}}}, "", "relevance.qrels: no judged argument is in this"),
    "pairs of another corpus": (
        {"relevance": some(RELEVANCE), "pairs_coherence": FOREIGN},
        "",
        "pairs_coherence.qrels: no judged pair is in this corpus; use judgments that belong to it",
    ),
    "unknown topics": ({"quality": {"99": {"S1-A1": 1.0}}}, "", "quality.qrels: judgments for 1 topics that are in no"),
    "no graded pair": ({"relevance": some(RELEVANCE)}, "--sources graded", f"{NOTHING}; add a source of supervision"),
    "another dimension": (
        {"pairs_quality": some(PAIRS["quality"])},
        "--sources graded --dimension relevance",
        NOTHING,
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_judgments_that_teach_nothing_are_refused(case: str, tmp_path: Path, index: Path) -> None:
    qrels, options, said = REFUSED[case]
    refuses(lambda: run(tmp_path, index, *options.split(), **qrels), said)
    assert not (tmp_path / "model").exists()


def test_pairs_of_unknown_sentences_are_counted(
    tmp_path: Path, index: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graded = {number: dict(grades) for number, grades in some(PAIRS["quality"]).items()}
    number = sum(map(len, graded.values()))
    graded[FIRST[0]] |= {"S0-A0__PREMISE__1,S0-A0__PREMISE__2": 2.0, PAIR.split(",")[0] + ",S0-A0__PREMISE__1": 0.0}
    found = run(tmp_path, index, "--sources", "graded", pairs_quality=graded)
    said = capsys.readouterr().out
    assert re.search(rf"^  pairs, quality +{number + 2}\n    absent from the corpus +2$", said, re.M)
    assert found["labels"] == {"quality": {"graded": number, "weakly labelled": 0, "of them of judged arguments": 0}}
    assert found["rankers"].keys() == {"quality"}


# ---- from Python ----------------------------------------------------------------------------------


def test_training_from_python_gives_the_model_of_the_command(tmp_path: Path, index: Path) -> None:
    options: dict[str, Any] = {"trees": 10, "seeds": 1, "folds": 2, "jobs": 1, "index": index}
    found = ltr.train(**options, held_out=tmp_path / "run.txt")
    found.save(tmp_path / "model")
    files = {path.name: path.read_bytes() for path in trained_on_sample().iterdir()}
    assert {path.name: path.read_bytes() for path in (tmp_path / "model").iterdir()} == files
    assert repr(found).startswith("TrainedModel(task='pairs', trained on 8 topics with ")
    table, kinds = found.held_out["pairs, relevance"], manifest_of(trained_on_sample())["cross_validation"]["figures"]
    assert found.held_out.keys() == kinds.keys()
    for ranker, row in kinds["pairs, relevance"].items():
        wanted = [row["full"][end] for end in ("mean", "low", "high")] + [
            row["judged"]["mean"],
            row["condensed"]["mean"],
        ]
        names = ["full", "full_low", "full_high", "judged", "condensed"]
        assert table.loc[ranker, names].tolist() == pytest.approx(wanted, abs=5e-5)
    bm25 = table.loc["bm25"]
    assert bm25["difference"] == pytest.approx(table["full"]["blend"] - bm25["full"])
    assert bm25["difference_low"] < bm25["difference"] < bm25["difference_high"]
    assert table["p"].notna().to_dict() == {
        name: name in ("argues", "bm25", "bm25-tuned", "dirichlet", "length", "words") for name in table.index
    }
    # The run is whole: evaluation finds the figures of the table in it.
    run, qrels = read_run(tmp_path / "run.txt"), SAMPLE / "qrels-train-pairs-relevance.qrels"
    assert min(Counter(row.topic for row in run).values()) > 100
    assert ltr.evaluate(tmp_path / "run.txt", qrels).means.loc["run", "nDCG@5"] == pytest.approx(table["full"]["blend"])
    # What is in memory ranks as what is saved.
    loaded = ltr.Searcher(model=str(tmp_path / "model"), index=index).model
    assert loaded.manifest == found.loaded.manifest
    debates = ltr.Searcher(index=index)
    described = debates.describe(debates.propose([("1", "Should cities ban cars?")]))
    np.testing.assert_array_equal(found.loaded.blend.score(described), loaded.blend.score(described))


def test_options_from_python_are_those_of_the_command(tmp_path: Path, index: Path) -> None:
    votes = vote_file(tmp_path / "v.jsonl", PAIRS["relevance"])
    qrels = SAMPLE / "qrels-train-pairs-relevance.qrels"
    given: dict[str, Any] = {"topics": [SAMPLE / "topics-train.xml"], "index": index, "jobs": 1, "trees": 3, "folds": 2}
    given |= {"pair_qrels": {"relevance": qrels}, "votes": {"gpt:relevance": [votes]}, "drop": ["role", "position"]}
    found = ltr.train(SAMPLE, **given, sources=["graded", "votes"], objective=None)
    assert (found.facts["dropped"], found.facts["sources"]["weak"]) == (["position", "role"], False)
    assert found.facts["data"]["qrels"].keys() == {"pairs, relevance", "votes of gpt, relevance"}
    refused: dict[str, Any] = {"folds": 1, "trees": False, "jobs": True, "held_out": True, "encoder": False}
    refused |= {"seed": float("nan"), "blend": {"beauty": 1}, "qrels": {"1": 2}, "objective": "luck"}
    for name, value in refused.items():
        with pytest.raises(InputError, match=rf"^{name}: .* is not "):
            ltr.train(**{name: value})
    with pytest.raises(InputError, match=r"^tree: train has no such setting; did you mean trees or "):
        ltr.train(tree=3)
    with pytest.raises(InputError, match=r"^model: train has no such setting"):
        ltr.train(model="model")
    refuses(lambda: ltr.train(SAMPLE), "a corpus needs its topics")
    refuses(lambda: ltr.train(plugins=[tmp_path / "plug.py"]), "plug.py")
    refuses(lambda: ltr.train(plugins=str(tmp_path / "plug.py")), "plug.py: this plug-in cannot be read")


@pytest.mark.parametrize(("name", "other"), [("plugin", "plugins"), ("input", "corpus")])
def test_words_of_the_command_line_are_no_keywords(name: str, other: str) -> None:
    refuses(lambda: ltr.train(SAMPLE, **{name: "there"}), f"{name}: ", f"is a word of the command line; name {other}")


def test_topics_from_python_keep_their_objects() -> None:
    topics = (Topic("1", "Tea & coffee?", objects=("tea", "coffee")), Topic("2", "Are zoos bad?"))
    with as_files(make(TrainingSettings, {"topics": topics}, "train")) as settings:
        assert read_topics(*settings.topics) == [*topics]


def test_frames_and_dicts_train_as_their_files(tmp_path: Path, index: Path) -> None:
    given: dict[str, Any] = {"index": index, "jobs": 1, "trees": 3, "folds": 2, "seeds": 1}
    pairs = SAMPLE / "qrels-train-pairs-relevance.qrels"
    votes = tmp_path / "v.qrels"
    write_qrels(votes, PAIRS["quality"])
    of_files: dict[str, Any] = {"topics": SAMPLE / "topics-train.xml", "pair_qrels": {"relevance": pairs}}
    of_files |= {"votes": {"me:quality": votes}}
    rows = [(topic, id_, grade) for topic, of in PAIRS["relevance"].items() for id_, grade in of.items()]
    frame = pd.DataFrame(rows, columns=["qid", "docno", "grade"])
    titles = [(topic.number, topic.title) for topic in TOPICS]
    of_frames = {
        "topics": pd.DataFrame(titles, columns=["qid", "query"]),
        "pair_qrels": {"relevance": frame},
        "votes": {"me:quality": read_qrels(votes)},
    }
    of_dicts = {"topics": titles, "pair_qrels": {"relevance": PAIRS["relevance"]}, "votes": {"me:quality": [votes]}}
    found = [
        ltr.train(SAMPLE, **given, **of, blend={"relevance": 1, "quality": 2, "coherence": 0})
        for of in (of_files, of_frames, of_dicts)
    ]
    rankers = [one.loaded.manifest["files"] for one in found]
    assert rankers[0] == rankers[1] == rankers[2]
    assert found[0].result.model.weights["quality"] == 2
    refused: dict[str, tuple[str, Any]] = {
        "qrels": ("'good' is not a grade", {"1": {"S1-A1": "good"}}),
        "quality_qrels": ("nan is not a grade", {"1": {"S1-A1": float("nan")}}),
        "pair_qrels": ("True is not a grade", {"relevance": {"1": {PAIR: True}}}),
        "votes": ("is not a topic and an id", {"me:quality": {"1": {"a b": 1}}}),
        "topics": ("is not a number and a title", [("1", 2)]),
    }
    for name, (said, value) in refused.items():
        with pytest.raises(InputError, match=rf"^{name}: .*{said}"):
            ltr.train(SAMPLE, **{"topics": titles, name: value}, index=index)
    with pytest.raises(InputError, match="qrels: has no column docno; its columns are qid, grade"):
        ltr.train(SAMPLE, topics=titles, qrels=frame.drop(columns="docno"))


SHORT = """
import numpy as np
from features.core.feature import feature

@feature("argument", group="short", measured_in="count", range=(0, 9e9), description="length", lift=("min",))
def short(context):
    return np.array([float(len(text)) for text in context.arguments.text])
"""


def test_a_plugin_of_a_call_is_gone_after_it_and_in_its_manifest(tmp_path: Path, index: Path) -> None:
    (tmp_path / "short.py").write_text(SHORT, "utf-8")
    given: dict[str, Any] = {"index": index, "jobs": 1, "trees": 3, "folds": 2, "seeds": 1, "columns": 0}
    before = ltr.train(**given)
    beside = ltr.train(**given, plugins=tmp_path / "short.py")
    after = ltr.train(**given)
    assert before.loaded.manifest == after.loaded.manifest
    assert "plugins" not in before.loaded.manifest
    assert list(beside.loaded.manifest["plugins"]) == ["short"]
    beside.save(tmp_path / "beside")
    assert manifest_of(tmp_path / "beside") == beside.loaded.manifest
    before.save(tmp_path / "before")
    assert manifest_of(tmp_path / "before") == before.loaded.manifest
    refuses(lambda: ltr.Searcher(model=beside, index=index), "the model needs the plug-in 'short'")


def test_a_model_is_trained_again_from_its_manifest(tmp_path: Path, index: Path) -> None:
    place = ["--index", str(index), "--jobs", "1", "--quiet"]
    cases = {
        "trees": [*FEW, "--seed", "3", "--drop", "readability", "--grade-scale", "4", "--blend", "1,.5,0"],
        "linear": ["--objective", "linear", "--folds", "3", "--dimension", "quality"],
        "weak": ["--recipe", "weak", "--trees", "3", "--folds", "2"],
        "labels": ["--sources", "distant,weak", "--labels", "judged_relevance,noisy", "--trees", "3", "--folds", "2"],
    }
    for name, options in cases.items():
        assert train.main([*options, "-m", str(tmp_path / name), *place]) == 0
        assert train.main(["--as", str(tmp_path / name), "-m", str(tmp_path / f"{name}-again"), *place]) == 0
        first, again = manifest_of(tmp_path / name), manifest_of(tmp_path / f"{name}-again")
        assert first["digest"] == again["digest"], name
    other = train.main.read("--as", str(tmp_path / "linear"), "--folds", "2", "--blend", "1,1,1")
    assert (other.objective, other.folds, other.dimension) == ("linear", 2, None)
    read = partial(train.main.read, "--as")
    other = read(str(tmp_path / "trees"), "--objective", "linear")
    assert (other.objective, other.trees, other.seeds, other.seed, other.drop) == (
        "linear",
        None,
        None,
        3,
        ("readability",),
    )
    other = read(str(tmp_path / "labels"), "--recipe", "weak")
    assert (other.recipe, other.sources, other.trees) == ("weak", None, 3)
    other = read(str(tmp_path / "weak"), "--objective", "linear")
    assert (other.recipe, other.chosen) == (None, {"objective": "linear", "sources": ("distant", "weak")})
    other = read(str(tmp_path / "weak"), "--sources", "graded")
    assert (other.recipe, other.chosen) == (None, {"objective": "regression", "sources": ("graded",)})
    with pytest.raises(InputError, match="--recipe: weak sets objective itself"):
        train.main(["--as", str(tmp_path / "trees"), "--recipe", "weak", "--objective", "linear"])
    refuses(lambda: ltr.train(like=tmp_path), "this is not the manifest of a model; name the folder of a model")
    shipped = train.main.read("--as", str(ROOT / "models" / "pretrained" / "pairs"))
    assert (shipped.encoder, shipped.task, shipped.folds) == ("shipped", "pairs", 5)


def test_a_held_out_figure_is_one_figure_four_ways(tmp_path: Path) -> None:
    pairs, arguments = SAMPLE / "qrels-train-pairs-relevance.qrels", SAMPLE / "qrels-train-relevance.qrels"
    run = tmp_path / "held-out.txt"
    given: dict[str, Any] = {"topics": SAMPLE / "topics-train.xml", "pair_qrels": {"relevance": pairs}}
    trained = ltr.train(SAMPLE, **given, qrels=arguments, index=sample_index(), held_out=run, folds=2, trees=5, jobs=1)
    rows = [line.split() for line in run.read_text().splitlines()]
    for path, name in ((pairs, "pairs, relevance"), (arguments, "arguments, relevance")):
        table = trained.held_out[name]
        ours = table.loc["blend", ["full", "judged", "condensed"]].tolist()
        found = ltr.evaluate(run, path).means.loc["run"]
        assert [found[measure] for measure in ("nDCG@5", "judged@5", "condensed_nDCG@5")] == pytest.approx(ours)
        files = JudgmentFiles([path])
        found = evaluate_files([run], files, standard_measures(), Plan(tested=False))
        at_random = found.at_random[QRELS].means
        assert table.loc["random", "full"] == pytest.approx(at_random["nDCG@5"])
        assert table.loc["random", "condensed"] == pytest.approx(at_random["condensed_nDCG@5"])
        # In ten lines: a pair counts in either order, an argument where it comes first.
        grades: dict[str, dict[str, float]] = {}
        for topic, _, item, grade in map(str.split, path.read_text().splitlines()):
            grades.setdefault(topic, {})[",".join(sorted(item.split(",")))] = float(grade)
        ranked: dict[str, dict[str, float]] = {topic: {} for topic in grades}
        for topic, _, item, *_ in rows:
            parts = sorted(item.split(",")) if name.startswith("pairs") else item.split(",")
            for one in [",".join(parts)] if name.startswith("pairs") else [part.split("__")[0] for part in parts]:
                ranked[topic].setdefault(one, -len(ranked[topic]))
        discount, gains = 1 / np.log2(np.arange(2, 7)), []
        for topic, judged in grades.items():
            best = sorted((max(grade, 0) for grade in judged.values()), reverse=True)[:5]
            got = [max(judged.get(one, 0), 0) for one in list(ranked[topic])[:5]]
            gains.append(got @ discount[: len(got)] / (best @ discount[: len(best)]) if max(best) else 0)
        assert np.mean(gains) == pytest.approx(ours[0])
        whole = {topic: {one: max(round(2 * grade), 0) for one, grade in of.items()} for topic, of in grades.items()}
        theirs = ir_measures.calc_aggregate([ir_measures.nDCG @ 5, ir_measures.Judged @ 5], whole, ranked)
        assert [theirs[ir_measures.nDCG @ 5], theirs[ir_measures.Judged @ 5]] == pytest.approx(ours[:2])


def test_grades_that_are_never_0_are_warned_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    grades = read_qrels(SAMPLE / "qrels-train-pairs-relevance.qrels")
    raised = {topic: {id_: grade + 1 for id_, grade in of.items()} for topic, of in grades.items()}
    write_qrels(tmp_path / "q.qrels", raised)
    given = ["-i", str(SAMPLE), "--topics", str(SAMPLE / "topics-train.xml"), "--index", str(sample_index())]
    given += ["--pair-qrels", f"relevance={tmp_path / 'q.qrels'}", "-m", str(tmp_path / "m"), "--dry-run"]
    assert train.main(given) == 0
    assert "relevance: all grades are above 0" in capsys.readouterr().err


def test_votes_that_contradict_are_warned_of_before_training(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grades = read_qrels(SAMPLE / "qrels-train-pairs-relevance.qrels")
    turned = {topic: {id_: 2 - grade for id_, grade in of.items()} for topic, of in grades.items()}
    for name, qrels in (("good", grades), ("turned", turned)):
        write_qrels(tmp_path / f"{name}.qrels", qrels)
    given: list[str] = ["-i", str(SAMPLE), "--topics", str(SAMPLE / "topics-train.xml"), "--index", str(sample_index())]
    for name in ("good", "turned"):
        given += ["--votes", f"{name}:relevance={tmp_path / name}.qrels"]
    assert train.main([*given, "--explain-labels", "--quiet"]) == 0
    said = capsys.readouterr()
    assert said.err.count("\n") == 1
    assert "relevance (good -1.00/-, turned -1.00/-); explain the labels to see where" in said.err
    table = ltr.analyse_labels(
        SAMPLE,
        topics=SAMPLE / "topics-train.xml",
        votes={f"{name}:relevance": tmp_path / f"{name}.qrels" for name in ("good", "turned")},
        index=sample_index(),
    )
    row = table.loc["relevance", "good"]
    assert row["coverage"] == row["overlaps"] > row["conflicts"] > 0
    assert row["with_others"] == pytest.approx(-1)
    assert f"{row['conflicts']:.1%}" in said.out


# ---- sources --------------------------------------------------------------------------------------


def test_the_sample_teaches_from_all_sources_in_every_dimension() -> None:
    found = manifest_of(trained_on_sample())
    chosen = {"distant": True, "weak": True, "graded": True, "functions": []}
    assert found["sources"] == chosen | {"grades_alone": ["relevance"], "votes": True}
    assert found["blend"]["weights"] == pytest.approx(dict(WEIGHTS))
    assert list(found["rankers"]) == sorted(DIMENSIONS)
    for name in DIMENSIONS:
        counts = found["labels"][name]
        assert counts["graded"] == sum(map(len, PAIRS[name].values())) == 332
        assert (counts["weakly labelled"] > 0) == (name != "relevance"), "many grades train relevance alone"
        assert (counts["of them of judged arguments"] > 0) == (name == "quality")
    kinds = {f"pairs, {name}" for name in DIMENSIONS} | {"arguments, relevance", "arguments, quality"}
    assert found["data"]["qrels"].keys() == kinds
    assert set(found["cross_validation"]["figures"]) == kinds


def test_judgments_of_arguments_alone_are_enough(tmp_path: Path, index: Path) -> None:
    options = ["--sources", "distant,weak", "--blend", "1,2,0.5"]
    found = run(tmp_path, index, *options, quality=some(QUALITY), pairs_quality=some(PAIRS["quality"]))
    chosen = {"distant": True, "weak": True, "graded": False, "votes": False, "functions": []}
    assert found["sources"] == chosen | {"grades_alone": []}
    assert {counts["graded"] for counts in found["labels"].values()} == {0}
    assert found["rankers"].keys() == set(DIMENSIONS), "weak labels speak in every dimension"
    assert found["blend"]["weights"] == {"relevance": 1, "quality": 2, "coherence": 0.5, "words": 0.75, "argues": 0.5}
    assert list(found["cross_validation"]["figures"]) == ["arguments, quality", "pairs, quality"], "they still measure"


def test_the_weak_recipe_learns_from_no_grade_and_from_all_topics(tmp_path: Path, index: Path) -> None:
    found = run(tmp_path, index, "--recipe", "weak", relevance=some(RELEVANCE), pairs_quality=some(PAIRS["quality"]))
    used = {name for name, value in found["sources"].items() if value is True}
    assert (found["recipe"], used, found["parameters"]["objective"]) == ("weak", {"distant", "weak"}, "regression")
    assert {counts["graded"] for counts in found["labels"].values()} == {0}
    assert "pairs, quality" in found["cross_validation"]["figures"], "grades still measure"
    for other in ("--sources=weak", "--objective=both"):
        with pytest.raises(InputError, match=r"recipe: weak sets \w+ itself; leave one of them out"):
            train.main.read("--recipe", "weak", other)


def test_functions_columns_and_the_objective_are_a_choice(tmp_path: Path, index: Path) -> None:
    options = ["--labels", "judged_relevance,noisy", "--columns", "4", "--objective", "lambdarank"]
    found = run(tmp_path, index, *options, "--drop", "readability", "--drop", "distance", relevance=some(RELEVANCE))
    assert found["sources"]["functions"] == ["judged_relevance", "noisy"]
    assert list(found["rankers"]) == ["relevance"], "debris alone tells no quality"
    assert found["dropped"] == ["distance", "readability"]
    assert len(columns_of(found["rankers"]["relevance"]["inputs"])) == 4
    assert set(make_ranker("words").columns) <= set(found["features"]), "what the baseline in the blend reads, too"
    assert found["parameters"]["objective"] == "lambdarank"
    assert found["parameters"]["columns"] == 4


# ---- votes ----------------------------------------------------------------------------------------


def vote_file(path: Path, grades: Qrels) -> Path:
    rows = [
        {"topic": topic, "id": id_, "grade": grade, "by": "gpt", "why": "..."}
        for topic, of in grades.items()
        for id_, grade in of.items()
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def on_sample(place: Path, index: Path, *options: str) -> int:
    write_topics(place / "t.xml", TOPICS)
    files = ["-i", str(SAMPLE), "--topics", str(place / "t.xml"), "-m", str(place / "model"), "--index", str(index)]
    return train.main([*files, *FEW, "--jobs", "1", "--trees", "3", *options])


def test_votes_alone_train_and_the_figures_say_so(
    tmp_path: Path, index: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    votes = vote_file(tmp_path / "gpt.jsonl", PAIRS["relevance"])
    assert on_sample(tmp_path, index, "--votes", f"gpt:relevance={votes}") == 0
    said, found = capsys.readouterr().out, manifest_of(tmp_path / "model")
    assert re.search(r"^  votes of gpt, relevance +332\n    absent from the corpus +0$", said, re.M)
    assert found["labels"]["relevance"]["voted on in files"] == 332
    assert found["data"]["qrels"]["votes of gpt, relevance"].keys() == {"gpt.jsonl"}
    table = found["cross_validation"]["figures"]["pairs (votes), relevance"]
    assert {"blend", "bm25", "random"} <= table.keys()
    assert "held out: nDCG@5 of pairs (votes), relevance, 8 topics" in said
    assert "(votes: nobody judged these items." in said
    card = (tmp_path / "model" / "MODEL_CARD.md").read_text("utf-8")
    assert "* votes of gpt, relevance: gpt.jsonl\n" in card


def test_without_any_judgment_labelling_functions_train(
    tmp_path: Path, index: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert on_sample(tmp_path, index) == 0
    said, found = capsys.readouterr().out, manifest_of(tmp_path / "model")
    assert said.startswith("judgments\n  none: labelling functions alone train\n")
    assert found["data"]["qrels"] == {}
    assert list(found["rankers"]) == sorted(DIMENSIONS)
    assert set(found["cross_validation"]["figures"]) == {f"pairs (votes), {name}" for name in DIMENSIONS}
    assert on_sample(tmp_path, index, "--dry-run") == 0
    assert "none: labelling functions alone train" in capsys.readouterr().out


def test_explain_labels_shows_vote_files_with_texts(
    tmp_path: Path, index: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    right = PAIRS["relevance"]
    topic, pair, grade = next((t, id_, grade) for t, of in right.items() for id_, grade in of.items() if grade != 1)
    wrong = {t: dict(of) for t, of in right.items()} | {topic: dict(right[topic]) | {pair: 2.0 - grade}}
    lazy = {t: dict.fromkeys(of, 1.0) for t, of in right.items()}
    given = [("right", right), ("wrong", wrong), ("lazy", lazy)]
    options = [f"--votes={name}:relevance={vote_file(tmp_path / name, votes)}" for name, votes in given]
    graded = f"--pair-qrels=relevance={SAMPLE / 'qrels-train-pairs-relevance.qrels'}"
    assert on_sample(tmp_path, index, *options, graded, "--explain-labels") == 0
    out = capsys.readouterr().out
    rows = dict(re.findall(r"^  (right|wrong|lazy) .* (\d+)%$", out, re.M))
    assert int(rows["right"]) >= int(rows["wrong"]) > int(rows["lazy"]) == 0
    assert "right, relevance: no vote differs from a grade or from the other votes" in out
    text = out[out.index("wrong, relevance: the 1 votes furthest from trusted grades") :].splitlines()
    assert text[1] == f"  topic {topic}, {pair}: vote {2 - grade:g}, trusted grade {grade:g}"
    assert re.match(r"    \w+", text[2])
    assert "debate_matches" in out
    with pytest.raises(InputError, match="--held-out: does not go with explain_labels"):
        on_sample(tmp_path, index, "--explain-labels", "--held-out", str(tmp_path / "run"))
    refuses(lambda: ltr.analyse_labels(held_out=tmp_path / "run"), "held_out: labels are analysed without a training")
    assert on_sample(tmp_path, index, *options, graded, "--explain-labels", "--sources", "graded,votes") == 0
    only = capsys.readouterr().out
    assert set(re.findall(r"^  (\w+) .*%$", only, re.M)) == {"right", "wrong", "lazy"}
    assert re.findall(r"^votes on (\w+)$", only, re.M) == ["relevance"]


def test_votes_that_cannot_be_are_refused(tmp_path: Path, index: Path) -> None:
    votes = vote_file(tmp_path / "v", PAIRS["relevance"])
    foreign = vote_file(tmp_path / "f", FOREIGN)
    other = vote_file(tmp_path / "o", {"99": {PAIR: 1.0}})
    cases = {
        f"--votes gpt={votes}": "is not NAME:DIMENSION=FILE",
        f"--votes a,b:relevance={votes}": "is not NAME:DIMENSION=FILE",
        f"--votes gpt:beauty={votes}": "one of relevance, quality, coherence",
        f"--votes noisy:relevance={votes}": "votes noisy:relevance: a labelling function has this name",
        f"--votes gpt:relevance={foreign}": "no item of these votes is in this corpus; use votes that belong to it",
        f"--votes gpt:relevance={other}": "judgments for 1 topics that are in no topics file (99)",
        f"--votes gpt:relevance={votes} --task arguments": "these vote on pairs; the task arguments ranks arguments",
        f"--votes gpt:coherence={votes} --task arguments": "the task arguments has no dimension coherence",
        "--sources votes": "no source separates good pairs from bad",
    }
    for options, said in cases.items():
        refuses(partial(on_sample, tmp_path, index, *options.split()), said)
    refuses(lambda: train.main(["-i", str(SAMPLE)]), "--topics: a corpus needs its topics; name a file of them, and ")


# ---- parts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("option", ["--trees", "--seeds"])
def test_an_option_of_trees_is_refused_beside_a_linear_ranker_even_at_its_default(option: str) -> None:
    value = {"--trees": "200", "--seeds": "1"}[option]
    with pytest.raises(InputError, match=f"^{option[2:]}: does not apply to the objective linear; leave it out"):
        FitSettings.of(train.main.read("--objective", "linear", option, value), find_task("pairs"))


def test_which_files_judge_what() -> None:
    arguments = {name: [SAMPLE / f"qrels-train-{name}.qrels"] for name in ("relevance", "quality")}
    pairs = [(name, SAMPLE / f"qrels-train-pairs-{name}.qrels") for name in DIMENSIONS]
    a, b, c = Path("a"), Path("b"), Path("c")
    cases: dict[str, tuple[dict[str, list[Path]], list[tuple[str, Path]]]] = {
        "": (arguments, pairs),
        "--qrels a --qrels b": ({"relevance": [a, b]}, []),
        "--quality-qrels c --qrels a": ({"relevance": [a], "quality": [c]}, []),
        "--pair-qrels quality=c --pair-qrels quality=a": ({}, [("quality", c), ("quality", a)]),
    }
    for options, expected in cases.items():
        files = TrainingFiles.of(train.main.read(*options.split()), find_task("pairs"))
        assert ({name: [*of] for name, of in files.arguments.items()}, [*files.pairs]) == expected
    by_judged = TrainingFiles([], {"quality": [a]}, [("quality", b), ("quality", c)]).by_judged()
    assert by_judged == {JudgedSet("arguments", "quality"): [a], JudgedSet("pairs", "quality"): [b, c]}
    votes = TrainingFiles.of(train.main.read(*"--votes gpt:relevance=a".split()), find_task("pairs"))
    assert (votes.arguments, votes.pairs, votes.votes) == ({}, (), (("gpt", "relevance", a),))
    assert votes.by_judged() == {JudgedSet("", "relevance", "gpt"): [a]}
    nothing = TrainingFiles.of(train.main.read(*"-i x --topics b".split()), find_task("pairs"))
    assert nothing.by_judged() == {}, "the judgments of the sample are for the sample"


def test_columns_features_and_groups_may_be_dropped() -> None:
    every = column_features()
    head = kept_columns([], head=True)
    assert {every[column].group for column in head} == {"semantic"}
    for column in [*head, *reader_columns()]:  # no ranker learns from what the reader says
        del every[column]
    assert kept_columns([]) == list(every)
    assert set(every) - set(kept_columns(["argument_terms"])) == {"argument_terms_min", "argument_terms_max"}
    assert set(every) - set(kept_columns(["argument_terms_min"])) == {"argument_terms_min"}
    dropped = set(every) - set(kept_columns(["role", "position"]))
    assert {every[column].group for column in dropped} == {"role", "position"}
    assert kept_columns([], "argument") == columns("argument")
    groups = sorted({feature.group for feature in column_features().values()})
    known = ", ".join(groups)
    said = f"drop: no feature group, feature or column 'nonsense'; groups are: {known}"
    refuses(lambda: kept_columns(["nonsense"]), said)
    refuses(lambda: kept_columns(groups), "drop: no feature is left; drop fewer")
