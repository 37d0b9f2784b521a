from __future__ import annotations

import csv
import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from experiments.learned.argumentative import main
from experiments.learned.debate_data import read_iam, read_set_aside, read_table, read_unlabelled
from features.core.feature import find
from features.core.tables import Texts
from features.learned.argumentative import WEIGHTS, features, score, shipped
from features.learned.text_features import LinearModel, read_model
from ltr.errors import InputError

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data"
CLAIM = "Banning the sale of such weapons would reduce violent crime and make our cities safer."
NOISE = "Thanks to my opponent for accepting, and good luck in the next round!"


def test_the_weights_file_names_its_data_and_is_small():
    document = json.loads(WEIGHTS.read_text("utf-8"))
    assert WEIGHTS.stat().st_size < 600_000
    assert len(document["weights"]) > 5000
    assert all(math.isfinite(weight) and weight == round(weight, 3) for weight in document["weights"].values())
    about = document["about"]
    for name in ("claims-dev", "stance-train", "argkp", "eviconv", "talk"):
        row = about["training"][name]
        assert row["argumentative"] + row["other"] > 0
        assert row["data"]
    assert about["AUC"]["claims-test"] > about["AUC"]["claims-test, reference: TF-IDF learned on claims-dev"]
    assert about["unlabelled, for word vectors"]["sentences"] > 100_000
    assert about["versions"]["scikit-learn"]


def test_weights_hold_no_run_of_words_longer_than_two():
    assert all(name.startswith("=") or len(name.split()) <= 2 for name in shipped().weights)


def test_claims_score_above_talk():
    claim, noise = score([CLAIM, NOISE], shipped())
    assert claim > 0.5 > noise


def test_any_text_has_a_score_between_0_and_1():
    texts = ["", " ", "?!", "\x00\ud800", "[ref]", "word " * 5000, "ALL CAPS 1999", "\u0130stanbul \u2014"]
    found = score(texts, shipped())
    assert found.shape == (len(texts),)
    assert ((found >= 0) & (found <= 1)).all()
    assert score([], shipped()).shape == (0,)
    assert score(["so so"], LinearModel(1e6, {})).tolist() == [1.0]


def test_score_does_not_depend_on_its_neighbours():
    texts = [CLAIM, NOISE, "", CLAIM]
    found = score(texts, shipped())
    assert found[0] == found[3]
    np.testing.assert_array_equal(score(texts[::-1], shipped()), found[::-1])


def test_score_is_the_same_in_every_process():
    code = (
        f"from features.learned.argumentative import *; print(score([{CLAIM!r}, {NOISE!r}], shipped()).tobytes().hex())"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(runs) == 1


def test_features_of_a_sentence():
    found = features(["Taxes should fall [3]."])
    row = found.matrix(found.names).toarray()[0].tolist()
    # Three distinct stems, but at least four are assumed: 1 / sqrt(4). The reference is a marker, not a word.
    words = ["tax", "should", "fall", "tax should", "should fall", "~taxes", "~should", "~fall"]
    shape = ["longer than 1", "longer than 2", "ends .", "begins A", "reference"]
    expected = dict.fromkeys(words, 0.5) | {f"={name}": 1.0 for name in shape}
    assert {name: value for name, value in zip(found.names, row, strict=True) if value} == expected


def test_score_by_hand():
    model = LinearModel(-1.0, {"should": 2.0, "should fall": 1.0, "=ends .": 0.25, "elsewhere": 9.0})
    # -1 + 0.5 * 2 + 0.5 * 1 + 1 * 0.25 = 0.75, and 1 / (1 + exp(-0.75)) = 0.679179
    # The empty text has no features: 1 / (1 + exp(1)) = 0.268941
    np.testing.assert_allclose(score(["Taxes should fall.", ""], model), [0.679179, 0.268941], atol=1e-6)


def test_the_feature_is_registered():
    found = find("argumentative")
    assert (found.scope, found.group, found.range, found.lift) == ("text", "argumentativeness", (0, 1), ("min", "max"))
    assert "IAM" in found.source
    np.testing.assert_array_equal(found.compute(Texts([CLAIM, ""])), score([CLAIM, ""], shipped()))


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
    for name, text in files.items():
        path = tmp_path / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
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
    return tmp_path / "data"


def test_training_writes_the_same_bytes_twice(data, tmp_path, capsys):
    outputs = []
    for name in ("a.json", "b.json"):
        assert main(["--data", str(data), "-o", str(tmp_path / name), "--seed", "3"]) == 0
        outputs.append(((tmp_path / name).read_bytes(), capsys.readouterr().out))
    assert outputs[0] == outputs[1]
    model = read_model(tmp_path / "a.json")
    assert model.weights["should"] > 0 > model.weights["overview"]
    about = json.loads(outputs[0][0])["about"]
    assert about["training"]["argkp"]["argumentative"] == 1
    assert about["training"]["claims-dev"]["other"] == 60
    # "should" and "overview" decide every row.
    assert about["figures"]["claims-test, topics unseen (5 folds by topic)"] == 1
    assert "claims-test" in outputs[0][1]


def test_sentences_used_for_measuring_are_not_learned(data, tmp_path):
    with (data / "iam/stance-train.tsv").open("a") as out:
        out.write("C\tTopic 2\tThing 2029 SHOULD be banned\t9_9\t1\n")
    assert main(["--data", str(data), "-o", str(tmp_path / "w.json")]) == 0
    about = json.loads((tmp_path / "w.json").read_text())["about"]
    assert about["training"]["left out, also used for measuring"] == 1
    assert about["training"]["stance-train"]["argumentative"] == 1


def test_word_vectors_read_no_sentence_used_for_measuring(data):
    with (data / "iam/evidence-dev.tsv").open("a") as out:
        out.write("O\tClaim\tThing 2029 SHOULD be banned\t9_9\n")
    found = read_unlabelled(data, data.parent / "collection", [], read_set_aside(data))
    assert {'"Tea" is bad', "Tea is good", "Tea is cheap"} <= set(found)
    assert not any("2029" in text for text in found)


def test_a_corpus_too_small_for_word_vectors_is_said(data):
    path = data.parent / "collection" / "args_processed_04_01.csv"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:2]))
    with pytest.raises(InputError, match="common words; name a larger corpus"):
        main(["--data", str(data)])


@pytest.mark.parametrize("name", ["iam/claims-dev.tsv", "ibm-eviconv/train.csv", "argument-cleansing/annotator-2.csv"])
def test_a_missing_file_is_named(data, name):
    (data / name).unlink()
    with pytest.raises(InputError, match="no such file or directory") as caught:
        main(["--data", str(data)])
    assert name in str(caught.value)


def test_broken_rows_are_named(tmp_path):
    path = tmp_path / "x"
    path.write_text("O\ta\tb\t1_1\nX\ta\tb\t1_1\n")
    with pytest.raises(InputError, match=r"x: row 2 is not 'C or O, topic"):
        list(read_iam(path, "C", "x"))
    path.write_text("topic,argument\nT,fine\nT\n")
    with pytest.raises(InputError, match="record 3 has only 1 fields"):
        read_table(path, ("argument", "topic"))
    with pytest.raises(InputError, match="no column 'stance'"):
        read_table(path, ("stance",))
    path.write_bytes(b"O\t\xff\n")
    with pytest.raises(InputError, match="line 1: is not UTF-8"):
        list(read_iam(path, "C", "x"))


def test_too_little_data_is_said(data):
    (data / "iam/claims-test.tsv").write_text("O\ta\tb\t1_1\n")
    with pytest.raises(InputError, match="claims-test: needs 5 topics"):
        main(["--data", str(data)])


def test_a_missing_directory_ends_the_process_with_one_line(tmp_path):
    command = [sys.executable, "-m", "experiments.learned.argumentative", "--data", str(tmp_path / "none")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1


def test_real_claims_stand_out():
    path = DATA / "iam" / "claims-test.tsv"
    if not path.exists():
        pytest.skip("the labelled debate data is not here (../shared/data)")
    from sklearn.metrics import roc_auc_score

    examples = list(read_iam(path, "C", "claims-test"))[::2]
    labels = [example.label for example in examples]
    assert roc_auc_score(labels, score([example.text for example in examples], shipped())) > 0.77
