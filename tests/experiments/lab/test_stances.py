"""Stance data, and claims in other words: what the reader of sides learns from."""

from __future__ import annotations

import json

import numpy as np
import pytest
from support.weights import write_files

from experiments.lab import side_reader
from experiments.lab.rewording import reword, wording_of
from experiments.lab.stances import alike, read_stances, topic_words
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
    rows = read_stances(data, ["Chess: is it a sport?"])
    assert {(row.text, row.side, row.source) for row in rows} == {
        ("They cost much", -1, "perspectrum"),
        ("Cruel", 1, "claim-stance"),
        ("It is fun", -1, "argq"),
    }


def test_an_unknown_stance_is_refused(data):
    (data / "ibm-argq/args-6.3k.tsv").write_text("topic\targument\tstance\nBan boxing\tIt is fun\tmaybe\n", "utf-8")
    with pytest.raises(InputError, match="'maybe'"):
        read_stances(data, [])


def test_titles_are_alike_by_what_they_are_about():
    assert topic_words("Should boxing be banned?") == {"box"}
    assert alike(frozenset("ab"), frozenset("abc"))  # 2 of 3
    assert not alike(frozenset("abc"), frozenset("cde"))  # 1 of 5


@pytest.mark.parametrize(
    ("text", "kind", "family", "sign"),
    [
        ("Should homework be banned?", "passive", "exist", -1),
        ("Voting should not be made compulsory", "passive", "require", -1),
        ("This house would abolish zoos", "active", "exist", -1),
        ("Is gambling wrong?", "is", "right", -1),
        ("Should people be allowed to sell their organs?", "may", "may", 1),
        ("The EU should not admit Turkey", "acts", "acts", -1),
        ("The EU should admit Turkey", "acts", "acts", 1),
        ("Keep cars out of cities", None, "", 0),  # "keep" is not for cars here
        ("Homework, which helps nobody", None, "", 0),
    ],
)
def test_a_claim_is_taken_apart(text, kind, family, sign):
    found = wording_of(text)
    assert (found.kind, found.family, found.sign) == (kind, family, sign) if found else kind is None


def test_other_words_say_the_same_or_the_opposite():
    draws = np.random.default_rng(0)
    for text in ("Should homework be banned?", "Homework is harmful", "We should introduce a flat tax"):
        written = dict(reword(text, draws) for _ in range(60))
        assert set(written.values()) == {1, -1}
        for other, sign in written.items():
            read = wording_of(other)
            if read and read.family == wording_of(text).family and not {"ban", "longer"} & {*read.parts["x"].split()}:
                assert read.sign * sign == wording_of(text).sign, other
    assert reword("Nobody reads this", draws) == ("Nobody reads this", 1)


def test_local_debates_multiply_signs_and_take_even_odds_from_the_matter_before(tmp_path, monkeypatch):
    path = tmp_path / "local.txt"
    path.write_text(
        "# One matter for each half of the figures.\n\n= Keep the lamps on.\nQ-\tSwitch them off?\nC0\tNew benches\n"
        "T-\tI cannot sleep.\n\n= Close the pool.\nQ+\tShut the pool?\nC-\tSwimming is healthy"
    )
    monkeypatch.setattr(side_reader, "LOCAL", path)
    monkeypatch.setattr(side_reader, "is_held_out", lambda _: False)
    found = {(one.question, one.text): one.side for one in side_reader.of_local_debates(np.random.default_rng(0))}
    assert found["Switch them off?", "Keep the lamps on."] == -1
    assert found["Switch them off?", "I cannot sleep."] == 1
    assert found["Keep the lamps on.", "New benches"] == found["New benches", "I cannot sleep."] == 0
    assert found["Shut the pool?", "Swimming is healthy"] == found["Close the pool.", "Swimming is healthy"] == -1
    lamps = {text for question, text in found if question == "Shut the pool?"} - {
        "Close the pool.",
        "Swimming is healthy",
    }
    assert len(lamps) == 1
    assert found["Shut the pool?", lamps.pop()] == 0


def test_local_debates_that_ship_are_well_formed():
    found = list(side_reader.of_local_debates(np.random.default_rng(0)))
    assert {one.side for one in found} == {-1, 0, 1}
    assert all(one.question and one.text for one in found)
    held_out = {one.topic for one in found if side_reader.is_held_out(str(one.topic))}
    assert 0.08 < len(held_out) / len({one.topic for one in found}) < 0.17
