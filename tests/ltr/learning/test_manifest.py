"""What training tells of itself."""

from __future__ import annotations

import hashlib
import json
import platform
import re
from dataclasses import asdict, replace
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest
from support.planted import planted, trained

from features.core.text import Analyzer
from ltr.evaluation.evaluator import DOUBTFUL, DOUBTFUL_NOTE, figures_of
from ltr.learning.data import TrainingFiles
from ltr.learning.fit import FitSettings, TrainingResult
from ltr.learning.held_out import intervals
from ltr.learning.judgments import JudgedSet, Judgments
from ltr.learning.labels import Sources
from ltr.learning.manifest import manifest
from ltr.learning.result import TrainedModel
from ltr.ranking.task import find_task
from ltr.retrieval.base import CandidateConfig
from models.base import DIMENSIONS
from models.blend import WEIGHTS
from models.lambdamart import Parameters

EVERY = {f"pairs, {name}": (96, 96) for name in DIMENSIONS}
INDEX: Any = SimpleNamespace(analyzer=Analyzer(), corpus_fingerprint="f" * 64, arguments=5, sentences=17)


@pytest.fixture(scope="module")
def learned() -> tuple[Judgments, TrainingResult]:
    table, judgments = planted(4)
    return judgments, trained(table, judgments)


def said_of(result: TrainingResult, covered: Any = EVERY, counts: Any = MappingProxyType({}), **facts: Any) -> str:
    """What is printed of a training."""
    task, known = facts.pop("task", find_task("pairs")), facts.pop("facts", {})
    return str(TrainedModel(task, result, known, None, covered, counts, **facts))


def test_summary_says_what_was_used_and_what_to_expect(learned: tuple[Judgments, TrainingResult]):
    _, result = learned
    # 4 topics of 12 arguments, two pairs each.
    covered = {"arguments, relevance": (48, 40), "arguments, quality": (48, 48)}
    covered |= {f"pairs, {name}": (96, 90) for name in DIMENSIONS}
    said = said_of(result, covered, {"trained on": 4, "without judgments": 1_234})
    lines = said.splitlines()
    assert lines[0] == "judgments"
    rows = [(line[:44].rstrip(), line[44:].strip()) for line in lines[1:11]]
    assert rows[:4] == [
        ("  arguments, relevance", "48"),
        ("    absent from the corpus", "8"),
        ("  arguments, quality", "48"),
        ("    absent from the corpus", "0"),
    ]
    assert rows[4:6] == [("  pairs, relevance", "96"), ("    absent from the corpus", "6")]
    assert re.search(r"^  without judgments +1,234$", said, re.M)
    for name in DIMENSIONS:
        block = said[said.index(f"labels of {name}") :]
        assert int(re.findall(r"graded +(\d+)", block)[0]) == result.labels[name].counts["graded"] == 96
        assert f"held out: nDCG@5 of pairs, {name}, 4 topics" in lines
    figures = intervals(result.boards[JudgedSet("pairs", "relevance")])["random"]
    row = next(
        line for line in lines[lines.index("held out: nDCG@5 of pairs, relevance, 4 topics") :] if "random" in line
    )
    assert row.split("  ")[1] == "random"
    assert str(figures["full"]) in row
    assert str(figures["condensed"]) in row
    assert lines[-2] == "blend: " + ", ".join(f"{weight:g} {name}" for name, weight in WEIGHTS.items())
    board = result.boards[JudgedSet("pairs", "relevance")]
    rivals = sorted(board.figures.keys() - {"blend", "relevance", "random"})  # of equal ones the first
    best = max(rivals, key=lambda name: board.means.loc[name, "full"])
    means = [board.means.loc[name, "full"] for name in ("blend", best)]
    start = re.escape(f"  blend - {best}, the best baseline: {means[0] - means[1]:+.3f} [")
    # Signs of 4 topics: 2 / 2 ** 4 at least, times the 6 baselines that are rivals.
    assert re.search(rf"^{start}\S+ \S+\], p \S+ \(with so few topics at least 0\.750\), no evidence of", said, re.M)
    assert "candidates of the first stage" not in said
    missed = {
        judged: replace(of, facts={**of.facts, "relevant": 1_000, "missed": 7}) for judged, of in result.boards.items()
    }
    named = {judged: {**of.figures, "numbers-first": of.figures[best]} for judged, of in missed.items()}
    long = {judged: replace(of, figures=named[judged]) for judged, of in missed.items()}
    said = said_of(replace(result, boards=long))
    assert "  (7 of 1,000 relevant pairs are not among the candidates of the first stage)" in said.splitlines()
    assert re.search(r"^  numbers-first \d", said, re.M), "names and figures do not touch"


def test_the_recipe_is_said_in_a_line(learned: tuple[Judgments, TrainingResult]):
    _, result = learned
    counts = {"graded": 3, "weakly labelled": 2, "of them of judged arguments": 0}
    few = {"relevance": counts | {"weakly labelled": 0}, "quality": counts, "coherence": counts}
    labels = {name: replace(of, counts=few[name]) for name, of in result.labels.items()}
    parameters = result.model.rankers["relevance"].parameters  # type: ignore[attr-defined]

    def line(labels: Any, **facts: Any) -> str:
        return said_of(replace(result, labels=labels), **facts).splitlines()[-1]

    how = f"recipe: {parameters.objective}, {parameters.columns or 'all'} columns a ranker; "
    taught = f"{how}relevance from grades alone; quality, coherence from grades and votes"
    assert line(labels) == line(labels, task=find_task("arguments")) == taught
    votes = {name: replace(of, counts=counts | {"graded": 0}) for name, of in result.labels.items()}
    assert line(votes).endswith("coherence from votes alone (nothing is graded)")
    said = said_of(result, facts={"recipe": "weak"}).splitlines()[-1]
    assert said.startswith(f"recipe: weak: {parameters.objective}, ")


def test_condensed_figures_of_lists_that_few_judged_are_marked(learned: tuple[Judgments, TrainingResult]):
    _, result = learned
    assert DOUBTFUL not in said_of(result), "all pairs are graded"
    board = result.boards[JudgedSet("pairs", "relevance")]
    few = board.values
    few["length", "judged"] *= 0.49
    said = said_of(replace(result, boards={JudgedSet("pairs", "relevance"): replace(board, figures=figures_of(few))}))
    assert [line.split()[0] for line in said.splitlines() if line.endswith(DOUBTFUL)] == ["length"]
    assert DOUBTFUL_NOTE in said.splitlines()


def test_the_manifest_holds_what_was_done(learned: tuple[Judgments, TrainingResult], tmp_path: Path):
    _, result = learned
    for name in ("t.xml", "a.qrels", "b.qrels"):
        (tmp_path / name).write_text(name)
    pairs = [("quality", tmp_path / name) for name in ("a.qrels", "b.qrels")]
    sources, parameters = Sources(weak=False), Parameters(trees=7)
    files, task = TrainingFiles([tmp_path / "t.xml"], pairs=pairs), find_task("arguments")
    found = manifest(task, INDEX, FitSettings(parameters, sources), files, result)
    assert json.loads(json.dumps(found)) == json.loads(json.dumps(found, sort_keys=True))
    digests = {name: hashlib.sha256(name.encode()).hexdigest() for name in ("t.xml", "a.qrels", "b.qrels")}
    assert found["data"]["topics"] == {"t.xml": digests.pop("t.xml")}
    assert found["data"]["qrels"] == {"pairs, quality": digests}
    assert found["data"]["corpus"] == {"fingerprint": "f" * 64, "arguments": 5, "sentences": 17}
    assert CandidateConfig(**found["candidates"]) == task.config
    assert Analyzer(**found["analysis"]).settings() == INDEX.analyzer.settings()
    assert found["versions"]["python"] == platform.python_version()
    assert found["sources"] == asdict(sources)
    assert found["labelling_functions"] == {"relevance": {}, "quality": {}}, "without weak labels none votes here"
    assert Parameters(**found["parameters"]) == parameters
    assert found["labels"] == {name: labels.counts for name, labels in result.labels.items()}
    checked = found["cross_validation"]
    assert checked["folds"] == result.folds
    one = checked["figures"]["pairs, quality"]["blend"]["full"]
    measured = intervals(result.boards[JudgedSet("pairs", "quality")])["blend"]["full"]
    assert one == {name: round(value, 4) for name, value in measured._asdict().items()}
    assert [*checked["figures"]] == [*map(str, result.boards)]
