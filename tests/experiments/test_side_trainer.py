from __future__ import annotations

import json

import numpy as np
import pytest
from support.weights import about, train_twice, write_files

from experiments.learned.side import Examples, Stance, alike, interval, main, read_stances, topic_words
from ltr.answers.text_side import WEIGHTS
from ltr.errors import InputError

TABLES = {
    "ibm-claim-stance/claim-stance.csv": "topicText,claims.claimCorrectedText,claims.stance\nBan boxing,Cruel,PRO",
    "ibm-argq/args-6.3k.tsv": "topic\targument\tstance\nShould boxing be banned?\tIt is fun\tCON",
    **{f"argkp2021/arguments_{part}.csv": "topic,argument,stance" for part in ("train", "dev", "test")},
    **{f"argkp2021/key_points_{part}.csv": "topic,key_point,stance" for part in ("train", "dev", "test")},
    **{
        f"valueeval23/arguments-{part}.tsv": "Conclusion\tPremise\tStance"
        for part in ("training", "validation", "test")
    },
    **{f"iam/stance-{part}.tsv": "C\tIs chess a sport\tNobody runs\t1_1\t-1" for part in ("train", "dev", "test")},
    "perspectrum/perspective-pool.json": json.dumps([{"pId": 7, "text": "They cost much"}]),
    "perspectrum/claims-perspectives.json": json.dumps(
        [{"text": "Zoos are good", "perspectives": [{"pids": [7], "stance_label_3": "UNDERMINE"}]}]
    ),
}


@pytest.fixture
def data(tmp_path):
    return write_files(tmp_path, {name: text + "\n" for name, text in TABLES.items()})


def test_data_sets_are_read_and_questions_like_others_left_out(data):
    rows, left_out = read_stances(data, ["Chess: is it a sport?"])
    assert left_out == 1
    assert {(row.text, row.side, row.source) for row in rows} == {
        ("They cost much", -1, "perspectrum"),
        ("Cruel", 1, "claim-stance"),
        ("It is fun", -1, "argq"),
    }
    topic = {row.text: row.topic for row in rows}
    assert topic["Cruel"] == topic["It is fun"] != topic["They cost much"]  # boxing, whatever is to be done


def test_an_unknown_stance_is_refused(data):
    (data / "ibm-argq/args-6.3k.tsv").write_text("topic\targument\tstance\nBan boxing\tIt is fun\tmaybe\n", "utf-8")
    with pytest.raises(InputError, match="'maybe'"):
        read_stances(data, [])


def test_titles_are_alike_by_what_they_are_about():
    assert topic_words("Should boxing be banned?") == {"box"}
    assert alike(frozenset("ab"), frozenset("abc"))  # 2 of 3
    assert not alike(frozenset("abc"), frozenset("cde"))  # 1 of 5


def test_what_is_bad_speaks_for_a_ban_and_against_a_permission():
    asked = {"Should {} be banned?": 1, "Should {} be allowed?": -1}
    things = ("boxing", "hunting", "smoking", "cars")
    rows = [
        Stance(question.format(thing), f"{thing} are {word}", side * sign, "iam", topic)
        for topic, thing in enumerate(things)
        for question, side in asked.items()
        for word, sign in (("horrid", 1), ("nice", -1))
    ]
    examples = Examples(rows)
    seen = np.array([row.topic < 3 for row in rows])
    assert (np.sign(examples.by_model(seen, ~seen)) == examples.sides[~seen]).all()
    weights = examples.model(seen).weights
    assert weights["horrid"][0] < 0 < weights["nice"][0]  # turned by -1 where a ban is asked for


def test_an_interval_draws_whole_topics():
    # One topic all right, one all wrong: of two drawn, one in four times both are the wrong one.
    assert interval(np.array([True] * 5 + [False] * 5), np.array([0] * 5 + [1] * 5), 0) == (0, 1)
    assert interval(np.array([True, True]), np.array([0, 1]), 0) == (1, 1)


def test_training_writes_the_layout_of_what_ships(data):
    """In each table a dozen topics of its own, each with a text for and a text against it."""
    things = [f"{one}{two}ing" for one in ("box", "hunt", "smok", "vap") for two in ("", "fish", "skat")]
    for number, (name, text) in enumerate(TABLES.items()):
        comma = "," if name.endswith("csv") else "\t"
        motions = [f"Ban {chr(97 + number)}{thing}" for thing in things]
        rows = [(one, word, side) for one in motions for word, side in (("It is horrid", "PRO"), ("It is nice", "CON"))]
        if name.startswith("iam"):
            lines = [f"C\t{one}\t{word}\t1_1\t{1 if side == 'PRO' else -1}" for one, word, side in rows]
        elif name.endswith("json"):
            continue
        else:
            lines = [text.split("\n")[0], *map(comma.join, rows)]
        (data / name).write_text("\n".join([*lines, ""]), "utf-8")
    (data / "topics.xml").write_text("<topics><topic><number>1</number><title>Chess?</title></topic></topics>")
    path = train_twice(main, ["--data", str(data), "--topics", str(data / "topics.xml")], data, WEIGHTS)
    # Each word is that of one side, whichever topic is left out.
    assert about(path)["figures"]["model, claim-stance"]["precision at 1"] == [1, 1, 1]
