"""Labels of pairs from graded pairs, judgments of arguments and votes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.judged import judgments_of
from support.tables import Pair, make_table, plain_block, plain_table

from ltr.data.qrels import Qrels
from ltr.learning import labels as supervision
from ltr.learning.agreement import agreement
from ltr.learning.functions import WITHOUT_GRADES, Evidence, labelling_functions
from ltr.learning.labels import WEAK_WEIGHT, Labels, Sources, graded_labels, make_labels
from ltr.ranking.candidates import Candidates
from models.base import DIMENSIONS, TOP_GRADE

A1, A2, A3 = (f"S1-A1__PREMISE__{n}" for n in (1, 2, 3))
B1, C1, D1 = (f"S{n}-A{n}__PREMISE__1" for n in (2, 3, 4))
A, B, C = "S1-A1", "S2-A2", "S3-A3"
PAIRS: dict[str, list[Pair]] = {"1": [(A1, A2), (A1, A3), (A1, B1), (B1, C1)], "2": [(A1, A2), (C1, D1)]}
NAN = float("nan")
DISTANT = Sources(weak=False, graded=False)
WEAK = Sources(distant=False, graded=False)
GRADED = Sources(distant=False, weak=False)


def matrix_with(columns: dict[str, list[float]] | None = None) -> Candidates:
    return plain_table(PAIRS, columns)


def close(found: Labels, label: Sequence[float], weight: Sequence[float] | None = None) -> None:
    np.testing.assert_allclose(found.label, label, atol=1e-6)
    np.testing.assert_array_equal(found.used, ~np.isnan(label))
    if weight is not None:
        assert found.weight[found.used].tolist() == list(weight)


# ---- graded pairs ---------------------------------------------------------------------------------


def test_a_pair_has_its_grade_in_either_order_and_in_its_topic():
    qrels = {"1": {f"{A1},{A2}": 1.5, f"{B1},{A1}": 0.0, "S9-A9__CONC__1,S9-A9__PREMISE__1": 2.0}, "3": {}}
    np.testing.assert_array_equal(graded_labels(matrix_with(), qrels), [1.5, NAN, 0, NAN, NAN, NAN])


def test_graded_pairs_alone_are_the_labels():
    pairs = {"relevance": {"1": {f"{A1},{A2}": 1.5, f"{B1},{C1}": 0.5}}}
    found = make_labels(matrix_with(), judgments_of(pairs), "relevance", GRADED)
    close(found, [1.5, NAN, NAN, 0.5, NAN, NAN], [1, 1])
    assert found.counts == {"graded": 2, "weakly labelled": 0, "of them of judged arguments": 0}
    other = make_labels(matrix_with(), judgments_of(pairs), "quality", GRADED)
    assert not other.used.any(), "a dimension has grades of its own"


# ---- judgments of arguments, and votes ------------------------------------------------------------


def test_judged_arguments_alone():
    arguments = {"relevance": {"1": {A: 3.0, B: 1.0, C: 0.0}}}
    found = make_labels(matrix_with(), judgments_of({}, arguments), "relevance", DISTANT)
    # Shares of the best grade, 3, of the weaker argument, times two; nothing in topic 2 is judged.
    close(found, [2, 2, 2 / 3, 0, NAN, NAN], [1] * 4)
    assert found.counts == {"graded": 0, "weakly labelled": 4, "of them of judged arguments": 4}
    assert not make_labels(matrix_with(), judgments_of({}, arguments), "coherence", DISTANT).used.any()


def test_votes_are_averaged_by_weight():
    # Coherence by hand: neighbours are voted 1, a contradiction 0; careful arguments are voted for by their places in
    # the topic, and early pairs.
    columns = {
        "same_argument": [1.0, 1, 0, 0, 1, 0],
        "conclusions": [0.0] * 6,
        "distance": [1.0, 1, 1, 1, 2, 1],
        "stance_conflict": [0.0, 1, 0, 0, 0, 0],
        "mean_convincing_min": [0.9, 0.3, 0.6, 0.0, 0.5, 0.5],  # places 1, 1/3, 2/3, 0; tied: 1/2 each
        "index_from_start_second": [2.0, 0, 1, 3, 0, 1],  # upside down: 1/3, 1, 2/3, 0; 1, 0
    }
    functions = labelling_functions("coherence")
    assert list(functions) == ["stands_together", "contradicts", "careful_argument", "opens_together"]
    near, against, careful, early = (function.weight for function in functions.values())
    without = near + careful + early  # what votes on a pair that is no contradiction
    found = make_labels(matrix_with(columns), judgments_of(), "coherence", WEAK)
    expected = [
        2 * (near * 1 + careful * 1 + early / 3) / without,
        2 * (near * 1 + against * 0 + careful / 3 + early * 1) / (without + against),
        2 * (near * 0.3 + careful * 2 / 3 + early * 2 / 3) / without,
        2 * (near * 0.3 + careful * 0 + early * 0) / without,
        2 * (near * 0.85 + careful / 2 + early * 1) / without,
        2 * (near * 0.3 + careful / 2 + early * 0) / without,
    ]
    close(found, expected, [1] * 6)


def test_functions_may_be_named():
    columns = {"stance_conflict": [0.0, 1, 0, 0, 0, 0]}
    found = make_labels(matrix_with(columns), judgments_of(), "coherence", Sources(functions=("contradicts",)))
    close(found, [NAN, 0, NAN, NAN, NAN, NAN])
    names = [function.name for function in Sources(functions=("noisy", "judged_quality")).chosen("quality")]
    assert names == ["judged_quality", "noisy"], "in the order of the registry"
    assert Sources(functions=("noisy",)).chosen("relevance") == []


def test_some_functions_vote_where_no_grades_train():
    names = [[function.name for function in sources.chosen("quality")] for sources in (Sources(), WEAK)]
    assert {"opens", "one_passage"} & set(names[0]) == set()
    assert {"opens", "one_passage"} <= set(names[1])
    assert [function.name for function in Sources(functions=("opens",)).chosen("quality")] == ["opens"]


def test_each_source_is_a_switch():
    for dimension in DIMENSIONS:
        known = labelling_functions(dimension, "pair")
        every = [function for name, function in known.items() if name not in WITHOUT_GRADES]
        assert Sources().chosen(dimension) == every
        assert Sources(weak=False).chosen(dimension) == [function for function in every if function.uses_qrels]
        assert Sources(distant=False).chosen(dimension) == [function for function in every if not function.uses_qrels]
        assert GRADED.chosen(dimension) == []
    nothing = make_labels(matrix_with(), judgments_of(), "relevance", GRADED)
    assert not nothing.used.any()


# ---- all together ---------------------------------------------------------------------------------


def lattice(number: int) -> tuple[Candidates, Qrels, Qrels]:
    """A topic of pairs within one argument each: argument n is judged n % 4, and its pair graded half of that."""
    names = [f"S1-A{n:04x}" for n in range(number)]
    table = plain_table({"1": [(f"{name}__PREMISE__1", f"{name}__PREMISE__2") for name in names]})
    arguments = {"1": {name: float(n % 4) for n, name in enumerate(names)}}
    pairs = {"1": {f"{name}__PREMISE__2,{name}__PREMISE__1": n % 4 / 2 for n, name in enumerate(names)}}
    return table, arguments, pairs


def test_graded_pairs_say_which_grade_a_vote_stands_for():
    table, arguments, pairs = lattice(60)
    half = {"1": dict(list(pairs["1"].items())[:40])}
    both = judgments_of({"relevance": half}, {"relevance": arguments})
    found = make_labels(table, both, "relevance", Sources(weak=False))
    # The vote n % 4 / 3 stands for the grade n % 4 / 2: a line through the origin of slope 1.5.
    close(found, [n % 4 / 2 for n in range(60)], [1] * 40 + [WEAK_WEIGHT] * 20)
    assert found.counts == {"graded": 40, "weakly labelled": 20, "of them of judged arguments": 20}


def test_many_grades_train_alone_where_the_task_says_so():
    table, arguments, pairs = lattice(supervision.ENOUGH_GRADED + 40)
    some = {"1": dict(list(pairs["1"].items())[: supervision.ENOUGH_GRADED])}
    few = {"1": dict(list(some["1"].items())[1:])}
    alone = Sources(weak=False, grades_alone=("relevance",))

    def weakly_labelled(graded: Qrels, sources: Sources) -> int:
        judgments = judgments_of({"relevance": graded}, {"relevance": arguments})
        return make_labels(table, judgments, "relevance", sources).counts["weakly labelled"]

    assert weakly_labelled(some, alone) == 0
    assert weakly_labelled(some, Sources(weak=False)) > 0
    assert weakly_labelled(some, Sources(weak=False, grades_alone=("quality",))) > 0
    assert weakly_labelled(few, alone) > 0, "too few to do without the others"


def test_votes_beyond_the_graded_ones_stand_for_no_grade_off_the_scale():
    # Graded are votes of 1/3 and 2/3 alone, by 0 and 2: the line of slope 6 goes on to -2 for 0, and to 4 for 1.
    table, arguments, pairs = lattice(60)
    middle = {"1": {pair: 2.0 * (n % 4 == 2) for n, pair in enumerate(pairs["1"]) if n % 4 in (1, 2)}}
    judgments = judgments_of({"relevance": middle}, {"relevance": arguments})
    close(make_labels(table, judgments, "relevance", Sources(weak=False)), [[0, 0, 2, 2][n % 4] for n in range(60)])


def test_some_of_each_topic_are_drawn_and_some_of_its_judged(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(supervision, "WEAK_ROWS", 10)
    names = [f"S1-A{n:04x}" for n in range(100)]
    pairs: list[Pair] = [(f"{name}__PREMISE__1", f"{name}__PREMISE__2") for name in names]
    columns = {column: list(range(200)) for f in labelling_functions("quality").values() for column in f.columns}
    table = plain_table({"1": pairs, "2": pairs}, columns)  # type: ignore[arg-type]
    judgments = judgments_of(
        distant={"quality": {"1": dict.fromkeys(names[:5], 1.0), "2": dict.fromkeys(names[:50], 1.0)}}
    )
    found = make_labels(table, judgments, "quality", Sources(functions=("judged_quality", "well_written")))
    one, two = (found.used[rows] for _, rows in table.spans.items())
    assert one[:5].all(), "fewer are judged than are drawn"
    assert 10 <= one.sum() <= 15
    assert 10 <= two[:50].sum() <= 20
    assert two.sum() <= 20
    again = make_labels(table, judgments, "quality", Sources(functions=("judged_quality", "well_written")))
    np.testing.assert_array_equal(again.label, found.label)
    other = make_labels(table, judgments, "quality", Sources(functions=("judged_quality", "well_written")), seed=1)
    assert not np.array_equal(other.used, found.used)


def test_what_is_held_out_does_not_speak():
    # Labels of other topics are the same whatever the judgments of a held-out one are.
    table = make_table()
    judged = {name: {"3": {"S1-A1": 2.0, "S1-A2": 0.0}, "2": {"S1-A1": 1.0}} for name in ("relevance", "quality")}
    pair = table.ids[0]
    graded = {name: {"2": {pair: 2.0}, "3": {pair: 1.0}} for name in DIMENSIONS}
    seen = judgments_of(graded, judged).without(["2"])
    assert seen.topics() == {"3"}
    assert seen.distant["relevance"] == {"3": {"S1-A1": 1.0, "S1-A2": 0.0}}, "the best of all grades, 2, is 1"
    assert seen.graded["coherence"] == {"3": {pair: 1.0}}
    held = table.topic_of_row == table.topics.index("2")
    for name in DIMENSIONS:
        labels = make_labels(table, seen, name).only(~held)
        assert not labels.used[held].any()
        changed = judgments_of(
            {one: {**qrels, "2": {pair: 0.0}} for one, qrels in graded.items()},
            {one: {**qrels, "2": {"S1-A1": 0.0, "S2-A3": 2.0}} for one, qrels in judged.items()},
        ).without(["2"])
        np.testing.assert_array_equal(make_labels(table, changed, name).only(~held).label, labels.label)


@given(st.dictionaries(st.sampled_from([A, B, C]), st.floats(-3, 9)), st.integers(0, 3))
def test_labels_are_grades(grades: dict[str, float], seed: int):
    table = make_table()
    qrels = {"3": {f"{a}-{n}": grade for n, (a, grade) in enumerate(grades.items())} | {"S1-A1": 1.0}}
    rows = table.ids[: len(grades)].tolist()
    pairs = {"10": dict(zip(rows, grades.values(), strict=True))}
    for name in DIMENSIONS:
        found = make_labels(table, judgments_of({name: pairs}, {name: qrels}), name, seed=seed)
        labels = found.label[found.used]
        assert ((labels >= 0) & (labels <= TOP_GRADE)).all()
        assert (found.weight > 0).all()
        assert found.counts["graded"] + found.counts["weakly labelled"] == found.used.sum()


# ---- judgments ------------------------------------------------------------------------------------


def test_topics_and_pairs_of_judgments():
    judgments = judgments_of(
        {"relevance": {"2": {f"{A1},{A2}": 1.0}}, "quality": {"2": {f"{A2},{A1}": 0.0, f"{A1},{B1}": 0.5}}},
        {"relevance": {"1": {A: 1.0}, "9": {}}},
    )
    assert judgments.topics() == {"1", "2"}
    assert judgments.graded_ids() == {"2": [f"{A1},{A2}", f"{A1},{B1}"]}
    assert judgments_of().topics() == set()


# ---- how functions agree --------------------------------------------------------------------------


def test_agreement_by_hand():
    # well_written votes .5, 0 and 1. Of the others, argues votes alike, long_enough, argument_well_written and opens .5
    # on all, one_passage .3, noisy 0 on the last row, and nothing is judged.
    columns = {column: [0.0] * 3 for f in labelling_functions("quality", "pair").values() for column in f.columns}
    columns |= {"convincing_min": [0.5, 0.1, 0.9], "argumentative_min": [0.5, 0.1, 0.9], "url_max": [0.0, 0, 1]}
    table = plain_table({"1": [(A1, A2), (A1, B1), (B1, C1)]}, columns)
    graded = {"1": {f"{A1},{A2}": 1.0, f"{A1},{B1}": 0.0, f"{B1},{C1}": 2.0}}
    found = {row.Index: row for row in agreement(table, judgments_of({"quality": graded}), "quality").itertuples()}
    functions = labelling_functions("quality", "pair")
    assert list(found) == list(functions)
    argues, noisy = functions["argues"].weight, functions["noisy"].weight
    tied = sum(functions[name].weight for name in ("long_enough", "argument_well_written", "opens"))
    passage = functions["one_passage"].weight
    others = [(argues * vote + tied / 2 + 0.3 * passage) / (argues + tied + passage) for vote in (0.5, 0)]
    others.append((argues + tied / 2 + 0.3 * passage) / (argues + tied + passage + noisy))
    well = found["well_written"]
    assert (well.coverage, well.with_others, well.with_grades) == pytest.approx(
        (1, np.corrcoef([0.5, 0, 1], others)[0, 1], 1)
    )
    assert found["noisy"].coverage == pytest.approx(1 / 3)
    assert np.isnan([found["noisy"].with_others, found["noisy"].with_grades]).all(), "one vote has no correlation"
    assert found["judged_quality"].coverage == 0
    assert agreement(Candidates.concat([]), judgments_of(), "quality")["coverage"].iloc[0] == 0
    # Two of the three pairs are judged, as they are graded: too few to correlate.
    judged = judgments_of({"quality": graded}, {"quality": {"1": {A: 2.0, B: 1.0}}, "relevance": {"1": {C: 1.0}}})
    found = {row.Index: row for row in agreement(table, judged, "quality").itertuples()}
    assert found["judged_quality"].coverage == pytest.approx(2 / 3)
    assert np.isnan(found["judged_quality"].with_grades)


def test_the_scale_is_that_of_the_file_whichever_topics_are_held_out():
    # The highest grade, 4, is held out: 2 of 4 stays half of the scale, and 3 of 4 stays .75 of it.
    table = make_table()
    first, *_ = table.ids[table.spans["3"]]
    graded = {"relevance": {"2": {table.ids[0]: 4.0}, "3": {first: 2.0}}}
    judged = {"relevance": {"2": {"S1-A1": 4.0}, "3": {"S1-A1": 3.0}}}
    every = judgments_of(graded, judged)
    row = table.spans["3"].start
    for judgments in (every, every.without(["2"]), every.without(["2"]).without(["77"])):
        assert make_labels(table, judgments, "relevance", GRADED).label[row] == 1
        grades = Evidence(table, judgments.distant["relevance"]).grades
        assert np.nanmax(grades[table.topic_of_row == table.topics.index("3")]) == 0.75


# ---- sources that speak ---------------------------------------------------------------------------


def test_functions_of_other_units_do_not_vote():
    of_arguments = Sources(functions=("off_unless_judged",))
    assert not make_labels(matrix_with(), judgments_of(), "relevance", of_arguments).used.any()
    arguments = plain_block("1", [(A1, B1)])
    arguments.kind = "argument"
    assert make_labels(arguments, judgments_of(), "relevance", of_arguments).label.tolist() == [0]


@pytest.mark.parametrize(("graded", "alike", "grade"), [(20, False, 1 / 2), (19, False, 2 / 3), (40, True, 2)])
def test_from_twenty_graded_pairs_on_votes_are_read_as_grades(graded: int, alike: bool, grade: float):
    # The vote n % 4 / 3 is two thirds of n % 4 in grades, or, from twenty pairs on, their half. Votes that are all
    # alike are taken as they are: 1 is 2.
    table, arguments, pairs = lattice(60)
    judged = {"1": dict.fromkeys(arguments["1"], 1.0)} if alike else arguments
    some = judgments_of({"relevance": {"1": dict(list(pairs["1"].items())[:graded])}}, {"relevance": judged})
    expected = grade * (np.ones(60) if alike else np.arange(60) % 4)
    found = make_labels(table, some, "relevance", Sources(weak=False)).label
    np.testing.assert_allclose(found[graded:], expected[graded:], atol=1e-6)
