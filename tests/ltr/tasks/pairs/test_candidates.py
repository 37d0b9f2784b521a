from __future__ import annotations

from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from support.corpora import SMALL, Row, build, write_corpus

from ltr.data.topics import Topic, read_topics
from ltr.index.reader import Index
from ltr.ranking.task import find_task
from ltr.retrieval.arguments import Search, TermCache
from ltr.retrieval.base import CandidateConfig, Rows
from ltr.sample import SAMPLE

Pairs = list[tuple[int, int]]

TOPICS = [*read_topics(SAMPLE / "topics.xml"), *read_topics(SAMPLE / "topics-train.xml")][::3]
NARROW = CandidateConfig(pairs=120, min_pairs=50)
BARELY = CandidateConfig(pairs=5, cross_argument_depth=50)


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return build(SAMPLE, tmp_path_factory.mktemp("sample") / "index")


def search(index: Index, title: str, settings: CandidateConfig | None = None) -> Search:
    return Search(index, Topic("1", title), settings or CandidateConfig(), TermCache(index))


def find(index: Index, title: str, settings: CandidateConfig | None = None) -> Rows:
    return find_task("pairs").propose(search(index, title, settings))


def pairs_of(candidates: Rows) -> Pairs:
    return list(map(tuple, candidates.tolist()))


def owner(index: Index, row: int) -> int:
    return int(index.argument_of(row))


def topic_name(topic: Topic) -> str:
    return topic.number


@pytest.mark.parametrize("topic", TOPICS, ids=topic_name)
@pytest.mark.parametrize("settings", [CandidateConfig(), NARROW, BARELY], ids=["default", "narrow", "barely"])
def test_bounded_and_no_pair_twice(settings: CandidateConfig, topic: Topic, sample: Index) -> None:
    pairs = pairs_of(find(sample, topic.title, settings))
    assert min(settings.min_pairs, settings.pairs) <= len(pairs) <= settings.pairs
    assert len({frozenset(pair) for pair in pairs}) == len(pairs)
    assert all(first != second for first, second in pairs)


@pytest.mark.parametrize("topic", TOPICS, ids=topic_name)
def test_pairs_are_of_one_argument_or_of_one_side(topic: Topic, sample: Index) -> None:
    found = find(sample, topic.title)
    kinds = set()
    for first, second in pairs_of(found):
        one, other = owner(sample, first), owner(sample, second)
        number = sample.column("number")
        assert number[second] > 0, "a conclusion comes first"
        if one == other:
            kinds.add("CONC" if number[first] < 0 else "PREMISE")
            assert number[first] < 0 or first < second, "premises stay in reading order"
        else:
            kinds.add("across")
            assert number[first] > 0
            assert sample.stance(one) == sample.stance(other) != ""
            conclusions = sample.column("conclusion_row")[[one, other]]
            assert len(set(sample.column("canonical")[conclusions].tolist())) == 1
    assert kinds == {"CONC", "PREMISE", "across"}


@pytest.mark.parametrize("title", ["unheard gibberish", "", "?!", "should we"])
def test_no_match_no_pairs(title: str, sample: Index) -> None:
    found = find(sample, title)
    assert len(found) == 0
    assert found.dtype == np.int64


def test_a_tiny_corpus_gives_all_its_pairs(tmp_path: Path) -> None:
    index = build(write_corpus(tmp_path, SMALL))
    pairs = pairs_of(find(index, "cars"))
    everything = {frozenset(pair) for pair in combinations(range(index.sentences), 2)}
    assert {frozenset(pair) for pair in pairs} == everything
    assert len(pairs) == len(everything)
    # Pairs inside arguments and on one side come before those that only fill up.
    assert owner(index, pairs[0][0]) == owner(index, pairs[0][1])


def test_as_many_as_asked_when_the_corpus_can_give_them(tmp_path: Path) -> None:
    # 40 arguments of two sentences each, one of which matches: 80 * 79 / 2 = 3,160 pairs.
    rows: list[Row] = [(f"S1-A{n:x}", "Ban zoos", "", [f"Reason {n}."]) for n in range(39)]
    index = build(write_corpus(tmp_path, [*rows, ("S1-A99", "Ban cars", "PRO", ["Smog."])]))
    for least in (1, 100, 3_000):
        pairs = pairs_of(find(index, "cars", CandidateConfig(min_pairs=least)))
        assert len(pairs) == max(least, 1)
        assert len({frozenset(pair) for pair in pairs}) == len(pairs)
    assert len(find(index, "cars", CandidateConfig(pairs=5_000, min_pairs=5_000))) == 3_160


# ---- a premise against the conclusion -------------------------------------------------------------

PREMISES = ["Cars smell.", "Cars kill people.", "Cars cost money."]


def kinds(index: Index, settings: CandidateConfig) -> list[tuple[int, int]]:
    """Sentence numbers of the pairs inside arguments; a conclusion has one below 0."""
    number = index.column("number")
    return [(int(number[one]), int(number[other])) for one, other in pairs_of(find(index, "cars", settings))]


@pytest.mark.parametrize("stance", ["PRO", "CON", ""])
def test_con_premises_stand_with_each_other(stance: str, tmp_path: Path) -> None:
    index = build(write_corpus(tmp_path, [("S1-A1", "Keep cars", stance, PREMISES)]))
    found = kinds(index, CandidateConfig(min_pairs=0))
    inside = [(1, 2), (1, 3), (2, 3)]
    with_conclusion = [(one, other) for one, other in found if one < 0]
    assert [pair for pair in found if pair[0] > 0] == inside
    assert sorted(other for _, other in with_conclusion) == ([] if stance == "CON" else [1, 2, 3])


def test_a_lone_con_premise_finds_a_partner_on_its_side(tmp_path: Path) -> None:
    arguments = [
        ("S1-A1", "Keep cars", "CON", ["Cars smell."]),
        ("S1-A2", "Keep cars", "CON", ["Cars and cars kill people in towns.", "Cars need space in towns."]),
        ("S1-A3", "Keep cars", "PRO", ["Cars are fun for people in towns."]),
    ]
    index = build(write_corpus(tmp_path, arguments))
    pairs = pairs_of(find(index, "cars", CandidateConfig(min_pairs=0, cross_argument_depth=0)))
    lone = index.argument_rows(["S1-A1"])["S1-A1"]
    others = {owner(index, row) for pair in pairs for row in pair if lone in {owner(index, r) for r in pair}} - {lone}
    assert others == {index.argument_rows(["S1-A2"])["S1-A2"]}


def test_con_conclusions_come_only_to_fill_up(tmp_path: Path) -> None:
    index = build(write_corpus(tmp_path, [("S1-A1", "Keep cars", "CON", PREMISES)]))
    assert all(one > 0 for one, _ in kinds(index, CandidateConfig(min_pairs=3)))
    filled = pairs_of(find(index, "cars", CandidateConfig(min_pairs=6)))
    assert {frozenset(pair) for pair in filled} == {frozenset(pair) for pair in combinations(range(4), 2)}
    number = index.column("number")
    assert all(min(number[one], number[other]) > 0 for one, other in filled[:3])


# ---- two arguments --------------------------------------------------------------------------------


def across(rows: list[Row], folder: Path, depth: int = 3) -> list[set[str]]:
    """Numbers of the arguments of each pair across arguments."""
    index = build(write_corpus(folder, rows))
    pairs = pairs_of(find(index, "cars", CandidateConfig(min_pairs=0, cross_argument_depth=depth)))
    owners = [{index.argument_id(owner(index, row)) for row in pair} for pair in pairs]
    return [{name.removeprefix("S1-A") for name in names} for names in owners if len(names) == 2]


def test_two_arguments_take_one_known_side_of_one_conclusion(tmp_path: Path) -> None:
    rows: list[Row] = [
        ("S1-A1", "Ban all cars", "PRO", ["Cars smell badly."]),
        ("S1-A2", "ban  ALL cars!", "PRO", ["Cars are loud things."]),  # the same conclusion
        ("S1-A3", "Ban all cars", "CON", ["Cars are useful things."]),  # the other side
        ("S1-A4", "Ban all cars", "", ["Cars cost money."]),  # no side
        ("S1-A5", "Ban some cars", "PRO", ["Cars need roads."]),  # another conclusion
        ("S1-A6", "", "PRO", ["Cars kill people."]),  # none at all
        ("S1-A7", "", "PRO", ["Cars need space."]),
    ]
    assert across(rows, tmp_path) == [{"1", "2"}]


@pytest.mark.parametrize(("depth", "expected"), [(0, 0), (1, 0), (2, 1), (3, 3), (9, 6)])
def test_only_the_best_of_a_side_are_paired(depth: int, expected: int, tmp_path: Path) -> None:
    # Four arguments, the best says cars most often: pairs of the best `depth` with each other.
    premises = ["Cars and cars and cars.", "Cars and cars are loud.", "Cars smell of cars and oil there.", "My cars."]
    rows: list[Row] = [(f"S1-A{n}", "Ban all things", "PRO", [text]) for n, text in enumerate(premises)]
    found = across(rows, tmp_path, depth)
    assert len(found) == expected
    assert len({frozenset(pair) for pair in found}) == expected


# ---- neighbours -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("neighbours", "expected"), [(0, []), (1, [(4, 5), (5, 6)]), (2, [(2, 3), (4, 5), (5, 6)])])
def test_telling_premises_stand_with_their_neighbours(
    neighbours: int, expected: list[tuple[int, int]], tmp_path: Path
) -> None:
    # Premise 5 says most of cars, 2 is next; 1 holds no word, and the conclusion is no neighbour of 7.
    premises = ["?!", "Cars stink badly there.", "People breathe bad air.", "Some people cough."]
    premises += ["Cars, cars, red cars.", "Streets are for children.", "Nobody walks far."]
    index = build(write_corpus(tmp_path, [("S1-A1", "Ban cars", "PRO", premises)]))
    none = CandidateConfig(min_pairs=0, sentences_each=0, neighbours=neighbours)
    assert kinds(index, none) == expected


# ---- graded pairs ---------------------------------------------------------------------------------


def test_graded_pairs_are_described_too_each_once(tmp_path: Path) -> None:
    rows: list[Row] = [("S1-A1", "Ban cars", "PRO", PREMISES), ("S2-A2", "Zoos", "", ["Zoos are old.", "So what?"])]
    index = build(write_corpus(tmp_path, rows))
    found = find(index, "cars", CandidateConfig(min_pairs=0))
    assert pairs_of(found) == [(3, 0), (3, 1), (3, 2), (0, 1), (0, 2), (1, 2)]
    first, zoo, what = "S1-A1__PREMISE__1", "S2-A2__PREMISE__1", "S2-A2__PREMISE__2"
    graded = [
        f"{first},S1-A1__PREMISE__2",  # a candidate already
        f"{first},S1-A1__CONC__1",  # one in the other order
        f"{zoo},{first}",
        f"{first},{zoo}",  # the same again
        f"{what},{zoo}",
        f"{zoo},S2-A2__PREMISE__3",  # no such sentence
        f"{zoo},S9-A9__PREMISE__1",  # no such argument
    ]
    add = partial(find_task("pairs").add, search(index, "cars"))
    more = add(found, graded)
    assert pairs_of(more) == [*pairs_of(found), (4, 0), (5, 4)]
    assert pairs_of(add(found, [])) == pairs_of(found)
    nothing = find(index, "xyzzy")
    assert pairs_of(add(nothing, graded[:3])) == [(0, 1), (0, 3), (4, 0)]
