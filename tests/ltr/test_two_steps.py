"""Ranking in two steps: an encoder describes the head of each topic's candidates, and a second blend orders it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from support.encoders import hashed_words, letter_encoder, word_encoder
from support.refusals import refuses
from support.sample_model import sample_index, sample_model, two_step_model

from features.core.feature import columns
from ltr.cli.process import run_command
from ltr.commands import predict
from ltr.data.topics import Topic, read_topics
from ltr.integrations.ir_metadata import run_metadata
from ltr.model_folder.store import load_bundle
from ltr.progress import Progress
from ltr.ranking.candidates import Candidates
from ltr.ranking.steps import graded as graded_topic
from ltr.ranking.steps import topic_calls
from ltr.ranking.task import find_task
from ltr.sample import SAMPLE
from ltr.searcher import Searcher
from ltr.text_models import FunctionEncoder
from ltr.text_models.encoders import ENCODERS
from ltr.web.loading import load_answerers
from ltr.web.settings import ServerSettings
from models.base import DIMENSIONS
from models.blend import Blend

TOPICS = read_topics(SAMPLE / "topics.xml")[:4]
QUESTION = TOPICS[0].title
PAIRS = find_task("pairs")
SIZE = 30
HERE = ["-i", str(SAMPLE), "--index", str(sample_index()), "--jobs", "1", "--quiet"]


def opened(model: Path | str | None = None, encoder: Any = "words", jobs: int = 1) -> Searcher:
    given = word_encoder() if encoder == "words" else encoder
    return Searcher(SAMPLE, model=model or two_step_model(), index=sample_index(), encoder=given, jobs=jobs)


@pytest.fixture(scope="module")
def searcher() -> Iterator[Searcher]:
    with opened() as found:
        yield found


@pytest.fixture(scope="module")
def described(searcher: Searcher) -> Candidates:
    """Heads of thirty pairs."""
    return graded(searcher, TOPICS, SIZE)


def graded(searcher: Searcher, topics: Sequence[Topic], size: int, given: Any = MappingProxyType({})) -> Candidates:
    source, grader = searcher.source.with_head(size), searcher.model.grader
    calls = [(*call, columns()) for call in topic_calls(topics, given)]
    return Candidates.concat(graded_topic(source, grader, *call) for call in calls)


@pytest.fixture
def words_kind(monkeypatch: pytest.MonkeyPatch) -> str:
    """A name of the word encoder for commands."""
    monkeypatch.setitem(ENCODERS, "words", lambda what, threads: word_encoder(what))
    return "words:words-1"


# ---- the head -------------------------------------------------------------------------------------


def test_the_best_of_each_topic_are_described_further(searcher: Searcher, described: Candidates) -> None:
    blend = searcher.model.blend
    used = list(blend.head_columns)
    assert used
    assert (described.features[used].notna().to_numpy() == described.in_head[:, None]).all()
    scores = blend.first_step().score(described.assign(head=False))
    for rows in described.spans.values():
        inside = described.in_head[rows]
        assert inside.sum() == min(SIZE, rows.stop - rows.start)
        assert inside[np.argmax(scores[rows])]
        assert scores[rows][inside].mean() > scores[rows][~inside].max(initial=-np.inf)
    assert np.isfinite(described.features[blend.columns].to_numpy()).all()


def test_a_head_of_all_and_what_is_graded_belongs_to_it(searcher: Searcher) -> None:
    topic = TOPICS[0]
    whole = graded(searcher, [topic], 0)
    assert whole.features[list(searcher.model.blend.head_columns)].notna().all(axis=None)
    last = whole.ids[np.argmin(searcher.model.blend.first_step().score(whole.assign(head=False)))]
    turned = ",".join(reversed(last.split(",")))
    for item in (last, turned):
        some = graded(searcher, [topic], 5, {topic.number: [item]})
        assert some.in_head.sum() == 6
        assert last in some.ids[some.in_head]


def test_other_columns_need_no_head(searcher: Searcher) -> None:
    proposed = searcher.propose(TOPICS[:1])
    assert searcher.describe(proposed).feature_columns == columns()
    assert searcher.describe(proposed, columns=["same_argument"]).feature_columns == ["same_argument"]
    assert np.isfinite(searcher.describe(proposed, columns=["meaning_pair"]).features).all(axis=None)
    with opened(sample_model(), None) as plain:
        assert list(plain.describe(plain.propose(TOPICS[:1])).features) == columns()
        refuses(
            lambda: plain.describe(plain.propose(TOPICS[:1]), columns=["meaning_pair"]),
            "feature 'meaning_pair'",
            "needs an encoder, and there is none; name a model with a second step",
        )


@pytest.mark.parametrize("task", ["pairs", "arguments"])
def test_the_cosine_alone_is_a_baseline(task: str) -> None:
    index = sample_index()
    with Searcher(SAMPLE, model="dense", task=task, index=index, encoder=word_encoder(), jobs=1) as dense:
        assert dense.description == "the baseline dense"
        (column,) = dense.model.blend.columns
        table = dense.describe(dense.propose(TOPICS[:1]), columns=[column])
        cosines = dict(zip(table.ids, table[column], strict=True))
        found = dense.rank_items({TOPICS[0].number: list(cosines)}, TOPICS[:1])
        assert [cosines[id_] for id_ in found["docno"]] == pytest.approx(found["score"].tolist(), abs=0.01)
        assert np.ptp(found["score"]) > 0.1
        stages = run_metadata(dense, None, "dense", "")["method"]["retrieval"]
        assert [stage.get("encoder") for stage in stages] == [None, "words-1"]
    refuses(lambda: opened("dense", "none"), "none", "there is no such encoder")


def test_nothing_outside_passes_the_head(searcher: Searcher, described: Candidates) -> None:
    asked = searcher.look_up(QUESTION)
    head = asked.table.in_head
    assert 0 < head.sum() < len(head)
    for weights in (None, {"relevance": 1.0}, {"quality": -1.0}, {"coherence": 3.0, "quality": 0.1}):
        model = searcher.model.blend if weights is None else searcher.model.blend.reweighted(weights)
        scores = replace(asked, blend=model).scores
        assert scores[head].min() >= scores[~head].max() - 1e-9
        found = model.score(described)
        for rows in described.spans.values():
            inside = described.in_head[rows]
            assert found[rows][inside].min() >= found[rows][~inside].max(initial=-np.inf) - 1e-9


# ---- runs -----------------------------------------------------------------------------------------


def test_the_bytes_of_a_run_do_not_depend_on_the_workers(searcher: Searcher, tmp_path: Path) -> None:
    with opened(jobs=2) as two:
        for head in (25, 0):
            assert (
                two.rank(TOPICS, second_step_depth=head).rows() == searcher.rank(TOPICS, second_step_depth=head).rows()
            )
    whole, some = (searcher.rank(TOPICS[:1], second_step_depth=head).rows() for head in (0, 25))
    assert whole != some


def test_without_its_encoder_a_model_gives_the_run_of_its_first_step(tmp_path: Path, words_kind: str) -> None:
    for name, options in {
        "one": ["-m", str(sample_model())],
        "none": ["-m", str(two_step_model()), "--encoder", "none"],
        "two": ["-m", str(two_step_model()), "--encoder", words_kind],
    }.items():
        assert predict.main([*HERE, *options, "-o", str(tmp_path / name), "--depth", "50"]) == 0
    one, none, two = ((tmp_path / name / "run.txt").read_bytes() for name in ("one", "none", "two"))
    assert one == none
    assert two != one


def test_descriptions_name_the_encoder(searcher: Searcher, words_kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert searcher.model.description.endswith(", with encoder words-1)")
    assert opened(encoder="none").model.description.endswith(", without encoder)")
    fields = run_metadata(searcher, None, "tag", "team")
    assert "with encoder words-1" in fields["method"]["description"]
    assert [stage["reranks"] for stage in fields["method"]["retrieval"][1:]] == [
        "BM25 over arguments, sentences and conclusions",
        "model-two-steps",
    ]
    options = ["-m", str(two_step_model()), "--encoder", words_kind, "-o", "nowhere", "--dry-run"]
    assert predict.main([*HERE, *options]) == 0
    assert "with encoder words-1)" in capsys.readouterr().out


# ---- explanations ---------------------------------------------------------------------------------


def test_explanations_agree_with_runs_of_any_head(searcher: Searcher) -> None:
    for head, ranks in ((25, ((1, None), (1, 3), (60, None), (1, 60), (60, 61))), (0, ((1, None),))):
        run = searcher.rank(TOPICS[:1], second_step_depth=head)
        for rank, against in ranks:
            given = searcher.explain(TOPICS[0], rank, against, run=run, second_step_depth=head).document
            assert given == searcher.explain(TOPICS[0], rank, against, second_step_depth=head).document
            json.dumps(given, allow_nan=False)
            pair, other = given["pair"], given["against"]
            least = other["score"] if other else given["mean_score"]
            assert given["adds"] == pytest.approx(pair["score"] - least, abs=1e-4)
            families = {family["family"] for family in given["families"]}
            both = rank <= 25 and (against or 0) <= 25
            if head == 25:
                assert ("semantic" in families) == both
    refuses(
        lambda: searcher.explain(TOPICS[0], 1, run=searcher.rank(TOPICS[:1], second_step_depth=25)),
        "the run",
        "its scores are not this model's",
    )


# ---- encoders that do not fit ---------------------------------------------------------------------


def test_another_encoder_is_refused() -> None:
    said = "the model was trained with another encoder (words-1); name the encoder of its training, or 'none'"
    refuses(lambda: opened(encoder=letter_encoder()), "letters-1", said)
    refuses(lambda: opened(encoder=word_encoder("words-2")), "words-2", said)


@pytest.mark.parametrize("model", ["bm25", str(sample_model())], ids=["baseline", "folder"])
def test_a_model_of_one_step_takes_no_encoder(model: str) -> None:
    refuses(lambda: opened(model), "encoder", "reads no encoder; leave it out")
    assert opened(model, "none").model.encoder is None


def failing(after: int) -> FunctionEncoder:
    """An encoder with the name of the model's own that breaks after some calls."""
    calls: list[int] = []

    def function(texts: Sequence[str]) -> np.ndarray[Any, Any]:
        calls.append(len(texts))
        if len(calls) > after:
            raise OSError("the line is dead\nand gone")
        return hashed_words(texts)

    return FunctionEncoder(function, "words-1")


def test_an_encoder_that_fails_in_the_middle_leaves_no_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RIPOSTE_VALUES", "0")
    monkeypatch.setitem(ENCODERS, "words", lambda what, threads: failing(after=8))
    options = ["-m", str(two_step_model()), "--encoder", "words:x", "-o", str(tmp_path / "out")]
    monkeypatch.setattr(sys, "argv", ["predict", *HERE, *options])
    with pytest.raises(SystemExit) as ended:
        run_command(predict.main)
    assert ended.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line == "error: words-1: the encoder failed (OSError: the line is dead); mend it, or use another"
    assert not (tmp_path / "out" / "run.txt").exists()


# ---- the server -----------------------------------------------------------------------------------


def test_a_server_answers_in_two_steps(words_kind: str) -> None:
    settings = ServerSettings(input=str(SAMPLE), model=[str(two_step_model())], index=str(sample_index()))
    answerers = load_answerers(replace(settings, encoder=words_kind), Progress(quiet=True))
    assert "with encoder words-1" in answerers["pairs"].names["trained"]
    none = load_answerers(replace(settings, encoder="none"), Progress(quiet=True))
    assert none["pairs"].names["trained"].endswith("without encoder")


# ---- manifests ------------------------------------------------------------------------------------


def test_a_model_with_two_steps_is_saved_and_loaded(described: Candidates, searcher: Searcher, tmp_path: Path) -> None:
    manifest = json.loads((two_step_model() / "manifest.json").read_text("utf-8"))
    assert {*manifest["rankers"]} == {*DIMENSIONS, *(f"head-{name}" for name in DIMENSIONS)}
    loaded = load_bundle(two_step_model(), PAIRS).blend
    assert loaded.head_columns == searcher.model.blend.head_columns
    assert set(manifest["features"]) == {*loaded.columns, *loaded.head_columns}
    assert loaded.score(described).tobytes() == searcher.model.blend.score(described).tobytes()
    one = load_bundle(sample_model(), PAIRS).blend
    plain = described.assign(head=False)
    assert loaded.first_step().score(plain).tobytes() == one.score(plain).tobytes()
    assert isinstance(loaded, Blend)
    card = (two_step_model() / "MODEL_CARD.md").read_text("utf-8")
    assert (
        f"* head: the best candidates of each topic, described with the encoder words-1 ({word_encoder().digest[:16]})"
        in card
    )
    assert "* relevance in the head: lambdamart" in card
