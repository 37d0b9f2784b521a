from __future__ import annotations

import csv

import numpy as np
import pytest
from support.weights import about, train_twice, write_files

from experiments.lab.argumentative import main, read_set_aside, read_training
from features.learned.argumentative import WEIGHTS, features, score, shipped
from features.learned.linear_model import LinearModel, read_model

CLAIM = "Banning the sale of such weapons would reduce violent crime and make our cities safer."
NOISE = "Thanks to my opponent for accepting, and good luck in the next round!"


def test_the_weights_are_small_plain_numbers():
    assert WEIGHTS.stat().st_size < 600_000
    assert all(name.startswith("=") or len(name.split()) <= 2 for name in shipped().weights)
    figures = about(WEIGHTS)["figures"]
    assert figures["claims-test, AUC"] > figures["claims-test, AUC, reference: TF-IDF learned on claims-dev"]


def test_claims_score_above_talk():
    claim, noise = score([CLAIM, NOISE], shipped())
    assert claim > 0.5 > noise


def test_features_of_a_sentence():
    found = features(["Taxes should fall [3]."])
    row = found.matrix(found.names).toarray()[0].tolist()
    # Three distinct stems, but at least four are assumed: 1 / sqrt(4). The reference is a marker, not a word.
    words = ["tax", "should", "fall", "tax should", "should fall", "~taxes", "~should", "~fall"]
    shape = ["longer than 1", "longer than 2", "ends .", "begins A", "reference"]
    expected = dict.fromkeys(words, 0.5) | {f"={name}": 1.0 for name in shape}
    assert {name: value for name, value in zip(found.names, row, strict=True) if value} == expected


def test_score_by_hand():
    model = LinearModel.binary(-1.0, {"should": 2.0, "should fall": 1.0, "=ends .": 0.25, "elsewhere": 9.0})
    # -1 + 0.5 * 2 + 0.5 * 1 + 1 * 0.25 = 0.75, and 1 / (1 + exp(-0.75)) = 0.679179
    # The empty text has no features: 1 / (1 + exp(1)) = 0.268941
    np.testing.assert_allclose(score(["Taxes should fall.", ""], model), [0.679179, 0.268941], atol=1e-6)


def iam(positive: str, ending: str, split: int) -> str:
    rows = []
    for topic in range(30):
        for number in range(2):
            article = f"{topic}_{split}{number}"
            rows.append(f"{positive}\tTopic {topic}\tThing {split}{number}{topic} should be banned.\t{article}{ending}")
            rows.append(f"O\tTopic {topic}\tOverview of thing {split}{number}{topic}\t{article}{ending}")
    return "\n".join([*rows, "", ""])


@pytest.fixture
def data(tmp_path):
    """The data sets in miniature, in their own formats."""
    files = {
        "iam/claims-dev.tsv": iam("C", "\t0", 1),
        "iam/claims-test.tsv": iam("C", "\t0", 2),
        "iam/evidence-test.tsv": iam("E", "", 3),
        "iam/stance-train.tsv": "C\tTopic 1\tOne should not wait.\t1_9\t-1\n",
        "argkp2021/arguments_train.csv": 'arg_id,argument,topic,stance\na,"it should, be\nbanned",T,-1\n',
        "ibm-eviconv/train.csv": "topic,evidence_1,evidence_2,label\nT,A study should help [REF].,Or not.,1\n",
        "iam/evidence-dev.tsv": iam("E", "", 4),
        "ibm-claim-stance/claim-stance.csv": "claims.claimOriginalText,x\nTea is good,1\n",
        "ibm-argq/args-5.3k.tsv": 'topic\targument\nTea\t"Tea" is bad\n',
        "perspectrum/perspective-pool.json": '[{"pId": 1, "text": "Tea is cheap"}]',
        "argument-cleansing/negative-sentences-normalised.txt": " hello opponent \n" * 3,
        "argument-cleansing/sample-sentences.csv": 'Hi, Con.," hi con "\nnothing here\n',
    }
    for annotator in (1, 2, 3):
        table = '"Sentences","Annotation ","Legend"\n"Overview of luck",0,\n"They should be banned.",1," 1 = yes"\n'
        files[f"argument-cleansing/annotator-{annotator}.csv"] = table
    folder = tmp_path / "collection"
    folder.mkdir()
    with (folder / "args_processed_04_01.csv").open("w", newline="", encoding="utf-8") as out:
        table = csv.writer(out)
        table.writerow(["id", "conclusion", "premises", "context", "sentences"])
        for number in range(30):
            text = f"Tea {number} " + " ".join(f"word{(7 * place + number) % 61}" for place in range(61))
            sentences = [{"sent_id": f"S1-A{number}__PREMISE__1", "sent_text": text}]
            premises = [{"text": text, "stance": "PRO", "annotations": []}]
            context = {"sourceTitle": "Tea", "sourceUrl": "https://example.org"}
            table.writerow([f"S1-A{number}", "Tea", premises, context, sentences])
    return write_files(tmp_path / "data", files)


def test_training_writes_the_same_bytes_twice(data, tmp_path, capsys):
    path = train_twice(main, ["--data", str(data), "--seed", "3"], tmp_path, WEIGHTS)
    model = read_model(path)
    assert model.plain["should"] > 0 > model.plain["overview"]
    said = about(path)
    assert said["training"]["argkp"]["argumentative"] == 1
    assert said["training"]["claims-dev"]["other"] == 60
    # "should" and "overview" decide every row.
    assert said["figures"]["claims-test, AUC, topics unseen (5 folds by topic)"] == 1
    assert "claims-test" in capsys.readouterr().out


def test_sentences_used_for_measuring_are_not_learned(data):
    with (data / "iam/stance-train.tsv").open("a") as out:
        out.write("C\tTopic 2\tThing 2029 SHOULD be banned\t9_9\t1\n")
    found, left_out = read_training(data, read_set_aside(data))
    assert left_out == 1
    assert sum(example.source == "stance-train" for example in found) == 1
