"""How good the top is expected to be, and what is said of it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from support.sample_model import sample_index, sample_model
from support.tables import plain_matrix

from ltr import predict, search
from ltr.data.runs import RunRow
from ltr.pipeline import confidence
from ltr.pipeline.confidence import (
    LITTLE,
    expected_relevance,
    note_of_question,
    note_of_topics,
    score_with_relevance,
    thin_topics,
)
from ltr.pipeline.matrix import Matrix
from ltr.pipeline.rerank import DIVERSIFY, final_list
from ltr.supervision.judgments import Judgments
from ltr.tasks import find_task
from ltr.train import SAMPLE
from ltr.training.bundle import load_bundle
from ltr.training.figures import TopEstimate, top_estimate
from ltr.training.fit import TrainingResult
from ltr.training.held_out import UnitEvaluator
from ltr.training.manifest import summary
from models.base import Rows, Scores
from models.blend import Blend


class Given:
    """A ranker of given scores."""

    columns = ("x",)

    def __init__(self, scores: list[float]) -> None:
        self.scores = np.array(scores)

    def score(self, matrix: Rows) -> Scores:
        return self.scores


def pairs_of(*arguments: str) -> list[tuple[str, str]]:
    return [(f"{a}__PREMISE__1", f"{a}__PREMISE__2") for a in arguments]


def matrix() -> Matrix:
    letters = [f"S1-A{n}" for n in range(7)]
    return plain_matrix({"1": pairs_of(*letters), "2": pairs_of("S2-A0", "S2-A1")})


def rows_of(scores: list[float]) -> list[RunRow]:
    found = matrix()
    return [row for topic in found.topics for row in final_list(found, topic, np.array(scores), depth=1000, tag="t")]


RELEVANCE = [2.0, 1.5, 1.0, 0.5, 0.0, 2.0, 2.0, 0.4, 0.2]
SCORES = [9.0, 8, 7, 6, 5, 4, 3, 2, 1]


def test_the_mean_of_the_first_five_by_hand() -> None:
    # Topic 1: rows 0 to 4 are first by the score, (2 + 1.5 + 1 + .5 + 0) / 5; topic 2 has two pairs, (.4 + .2) / 2.
    found = expected_relevance(matrix(), rows_of(SCORES), np.array(RELEVANCE))
    assert found == {"1": 1.0, "2": pytest.approx(0.3)}
    assert thin_topics(found) == ["2"]
    assert expected_relevance(matrix(), rows_of(SCORES), None) == {}
    # The other way round topic 1 begins with rows 6 to 2: (2 + 2 + 0 + .5 + 1) / 5.
    assert expected_relevance(matrix(), rows_of(SCORES[::-1]), np.array(RELEVANCE))["1"] == 1.1
    # Trees may leave the scale of grades a little; what is told does not.
    assert expected_relevance(matrix(), rows_of(SCORES), np.full(9, -0.1)) == {"1": 0.0, "2": 0.0}


def test_only_models_of_graded_pairs_tell_it() -> None:
    rankers = {"relevance": Given(RELEVANCE), "quality": Given(SCORES)}
    for known in (True, False):
        scores, relevance = score_with_relevance(Blend(rankers, expected_grades=known), matrix())
        assert scores.tolist() == [r + s / 2 for r, s in zip(RELEVANCE, SCORES, strict=True)]
        assert (relevance is not None) == known
    by_quality = Blend(rankers, expected_grades=True).reweighted({"quality": 1.0})
    assert by_quality.expected_grades
    assert score_with_relevance(by_quality, matrix())[1] is None
    assert score_with_relevance(Given(SCORES), matrix())[1] is None


def test_notes() -> None:
    assert note_of_topics({"1": 1.2, "2": LITTLE}) is None
    found = note_of_topics({"1": 1.2, "62": 0.45, "71": 0.6, "5": 0.1})
    assert found == "little on the topic: 5 (expected relevance of the top five 0.10 of 2), 62 (0.45), 71 (0.60)"
    many = note_of_topics({str(number): number / 100 for number in range(13)})
    assert many is not None
    assert many.endswith("9 (0.09), and 3 more")
    assert note_of_question(1.0) is None
    assert note_of_question(0.204) == "Little on this question: expected relevance of the top five 0.20 of 2."


def test_the_estimate_beside_grades_by_hand() -> None:
    three = plain_matrix({"1": pairs_of("S1-A0"), "2": pairs_of("S2-A0"), "3": pairs_of("S3-A0")})
    names = dict(zip("123", three.ids, strict=True))
    pairs = UnitEvaluator(three, {"1": {names["1"]: 2.0}, "2": {names["2"]: 1.0}, "3": {names["3"]: 1.0}})
    found = top_estimate(pairs, np.ones(3), np.array([1.5, 1.0, 0.5]))
    # Expected 1.5, 1, .5 and graded 2, 1, 1: covariance (.5 * 2/3 + .5 * 1/3) / 3, deviations .40825 and .4714.
    assert found == (1.0, pytest.approx(4 / 3), pytest.approx(0.8660254), 3)
    alike = top_estimate(pairs, np.ones(3), np.ones(3))
    assert alike is not None
    assert alike.correlation is None
    assert top_estimate(UnitEvaluator(three, {}), np.ones(3), np.ones(3)) is None


def test_training_tells_the_estimate() -> None:
    model = Blend({"relevance": Given(RELEVANCE)})
    for correlation, said in ((0.714, "+0.71"), (None, "-")):
        result = TrainingResult(model, {}, {}, [], TopEstimate(1.234, 1.3, correlation, 45))
        lines = summary(result, Judgments(), {}, {}).splitlines()
        assert lines[-3:-1] == [
            "held out: relevance of the top five, 45 topics",
            f"  expected 1.23, graded 1.30 of 2; correlation over topics {said}",
        ]
    assert "top five" not in summary(TrainingResult(model, {}, {}, [], None), Judgments(), {}, {})


def test_the_manifest_says_whether_scores_are_expected_grades() -> None:
    assert load_bundle(sample_model(), find_task("pairs")).model.expected_grades
    assert not load_bundle(sample_model(graded=False), find_task("pairs")).model.expected_grades


def test_predict_and_search_say_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(confidence, "LITTLE", 2.1)  # whatever the model thinks of it
    index = ["--index", str(sample_index()), "--quiet", "--jobs", "1"]
    (tmp_path / "topics.xml").write_text(
        "<topics><topic><number>1</number><title>Should unicorns pay a tax?</title></topic></topics>"
    )
    common = ["-i", str(SAMPLE), "--topics", str(tmp_path / "topics.xml"), "-o", str(tmp_path), *index]
    question = ["Should unicorns pay a tax?", *index]
    assert predict.main([*common, "-m", str(sample_model())]) == 0
    line, note = capsys.readouterr().out.splitlines()
    assert line.endswith("pairs for 1 of 1 topics")
    assert note.startswith("little on the topic: 1 (expected relevance of the top five ")
    assert search.main([*question, "-m", str(sample_model()), "--json", "-"]) == 0
    expected = json.loads(capsys.readouterr().out)["expected_relevance"]
    assert 0 <= expected <= 2
    assert f" {expected:.2f} of 2" in note
    assert search.main([*question, "-m", str(sample_model())]) == 0
    assert f"Little on this question: expected relevance of the top five {expected:.2f}" in capsys.readouterr().out
    for model in ("bm25", str(sample_model(graded=False))):  # these cannot tell
        assert predict.main([*common, "-m", model]) == 0
        assert search.main([*question, "-m", model]) == 0
        assert "expected relevance" not in capsys.readouterr().out


def test_the_help_tells_the_penalty_of_the_list() -> None:
    assert f"(default: {DIVERSIFY:g})" in predict.parser().format_help()
