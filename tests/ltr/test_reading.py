"""What the reader expects of the first candidates of the head joins their scores; no other one passes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.encoders import word_encoder
from support.sample_model import facts, sample_index, two_step_model

from features.core.feature import FEATURES, reader_columns
from features.core.statistics import FloatArray
from ltr.data.topics import read_topics
from ltr.errors import InputError
from ltr.model_folder.store import bundle_of, load_bundle, save_bundle
from ltr.ranking import feature_tables
from ltr.ranking.task import find_task
from ltr.sample import SAMPLE
from ltr.searcher import Searcher
from models.blend import READ
from models.contributions import contributions

PAIRS = find_task("pairs")
TOPIC = read_topics(SAMPLE / "topics.xml")[0]
COLUMNS = reader_columns()


def letters_of(pair: tuple[str, str]) -> list[float]:
    """Grades that tell one text from another, and the first sentence from the second."""
    first, second = pair
    return [len(first) % 3, len(second) % 3, 0.5]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, list[tuple[str, str]]]]:
    """Questions with the pairs that were read for them."""
    found: list[tuple[str, list[tuple[str, str]]]] = []

    def expected(_folder: Path, question: str, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        found.append((question, list(pairs)))
        return np.array([letters_of(pair) for pair in pairs], np.float32)

    monkeypatch.setattr(feature_tables, "expected_grades", expected)
    return found


@pytest.fixture
def reading(tmp_path: Path) -> Path:
    """The small model with two steps, and a reader with a weight of .5."""
    blend = replace(load_bundle(two_step_model(), PAIRS).blend, reading=0.5)
    encoder = word_encoder()
    known = facts() | {"encoder": {"name": encoder.name, "digest": encoder.digest, "size": encoder.size}}
    save_bundle(tmp_path / "model", *bundle_of(PAIRS, blend, known))
    return tmp_path / "model"


def opened(model: Path, encoder: object = None) -> Searcher:
    return Searcher(SAMPLE, model=model, index=sample_index(), encoder=encoder or word_encoder(), jobs=1)


def test_the_first_of_the_head_are_read_and_no_other_passes_them(
    reading: Path, asked: list[tuple[str, list[tuple[str, str]]]]
) -> None:
    with opened(two_step_model()) as plain, opened(reading) as searcher:
        described = plain.describe(plain.propose([TOPIC]))
        before = plain.grade(described)
        assert not asked
        after = searcher.grade(described)
        ((question, pairs),) = asked
        assert question == TOPIC.title
        order = np.argsort(-before["score"].to_numpy(), kind="stable")
        first = np.zeros(len(before), bool)
        first[order[:READ]] = True
        texts = [tuple(map(searcher.text, id_.split(","))) for id_ in np.array(before.ids)[first]]
        assert pairs == texts
        grades = after[COLUMNS].to_numpy()
        assert grades[first].tolist() == [letters_of((one, other)) for one, other in texts]
        assert not grades[~first].any()
        weights = [0.5 * searcher.model.blend.weights[name] for name in ("relevance", "quality", "coherence")]
        rise = after["score"].to_numpy() - before["score"].to_numpy()
        np.testing.assert_allclose(rise, grades @ np.array(weights), atol=1e-9)
        assert after["score"][first].min() > after["score"][~first].max()
        parts = contributions(searcher.model.blend, after)
        assert {column for _, column in parts} >= set(COLUMNS)
        score, head = after["score"].to_numpy(), after.in_head
        np.testing.assert_allclose(
            parts[head].sum(axis=1), score[head] - score[head].mean(), atol=1e-5, err_msg="they add up"
        )


def test_without_an_encoder_or_a_weight_nothing_is_read(
    reading: Path, asked: list[tuple[str, list[tuple[str, str]]]]
) -> None:
    with opened(reading, "none") as searcher:
        assert not set(COLUMNS) & set(searcher.grade(searcher.describe(searcher.propose([TOPIC]))))
    with opened(reading) as searcher:
        one = searcher.with_weights({"relevance": 2})
        assert one.model.blend.reader_weights == {"reader_relevance": 1.0}
    assert not asked


def test_a_folder_keeps_the_weight_and_the_versions_of_the_columns(
    reading: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle = load_bundle(reading, PAIRS)
    assert bundle.blend.reading == 0.5
    assert set(COLUMNS) <= set(bundle.manifest["features"])
    assert load_bundle(two_step_model(), PAIRS).blend.reading == 0
    found = FEATURES["reader_quality"]
    monkeypatch.setitem(FEATURES, "reader_quality", replace(found, version=found.version + 1))
    with pytest.raises(InputError, match="'reader_quality' has version 2 here, and 1 in the model"):
        load_bundle(reading, PAIRS)
