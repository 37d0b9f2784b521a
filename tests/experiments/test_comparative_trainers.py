import hashlib
import json

import pytest

from experiments.learned.comparative import comparison, question
from experiments.learned.comparative import data as data_module
from experiments.learned.comparative.data import (
    Labelled,
    Sentence,
    Tagged,
    read_labelled,
    read_relevance,
    read_sentences,
    read_tagged,
    read_titles,
    without_copies,
)
from experiments.learned.comparative.linear import fit_pruned, hundredths
from features.language.question import Weights, read_weights, tag_spans
from ltr.errors import InputError


def fill(folder, name, lines):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


@pytest.fixture
def data(tmp_path):
    """Published layouts: ten questions with tags, and as many comparing sentences, in which only the words differ."""
    pairs = [("tea", "coffee"), ("cats", "dogs"), ("rock", "rap"), ("trains", "planes"), ("gas", "charcoal")]
    tagged = [
        f"\"['is', 'hot', '{a}', 'better', 'value', 'than', '{b}']\",\"[0, 1, 2, 3, 4, 0, 1]\"" for a, b in pairs * 2
    ]
    asked = [f"is {a} better than {b},1" for a, b in pairs] + [f"who invented {a},0" for a, _ in pairs]
    for name in ("oai_webis_2022", "oai_beloucif"):
        for part in ("train", "val", "test"):
            fill(tmp_path, f"compuge/{name}/{part}.csv", ["words,labels", *(tagged if part != "test" else tagged[:1])])
    for name in ("qi_webis_2020", "qi_webis_2022", "qi_all"):
        for part in ("train", "val", "test"):
            fill(
                tmp_path, f"compuge/{name}/{part}.csv", ["question,label", *(asked if part != "test" else asked[:6:5])]
            )
    labels = [(f"{a} is better than {b} today", a, b, "BETTER") for a, b in pairs]
    labels += [(f"{a} is worse than {b} today", a, b, "WORSE") for a, b in pairs]
    labels += [(f"we sell {a} and {b} today", a, b, "NONE") for a, b in pairs]
    head = "sentence,object_a,object_b,most_frequent_label"
    fill(tmp_path, "compsent-19/train-dev.csv", [head, *map(",".join, labels)])
    held_out = ["ale is better than gin now,ale,gin,BETTER", "gin and ale we had,gin,ale,NONE"]
    fill(tmp_path, "compsent-19/held-out.csv", [head, *held_out])
    for part, label in (("train", 0), ("val", 0), ("test", 1)):
        text = "I recommend ale." if label == 0 else "Neither of them."
        fill(tmp_path, f"compuge/sc_all/{part}.csv", ["sentence,label", f"ale [SEP] gin [SEP] {text},{label}"])
    rows = [{"object_1": "ale", "object_2": "gin", "sentence": text, "relevance": grade} for text, grade in
            (("ale is better than gin", 3), ("ale and gin", 0), (None, 1))]  # fmt: skip
    fill(tmp_path, "cam-arg-relevance/arguments.jsonl", map(json.dumps, rows))
    fill(tmp_path, "topics/titles.tsv", ["0\tIs hot gas better value than charcoal?"])
    return tmp_path


def test_questions_are_learned_and_repeated_byte_for_byte(data, capsys):
    command = ["--data", str(data), "--topics", str(data / "topics")]
    files = [data / name for name in ("one.json", "two.json")]
    for path in files:
        assert question.main([*command, "-o", str(path)]) == 0
    assert files[0].read_bytes() == files[1].read_bytes()
    assert "oai_webis_2022" in capsys.readouterr().out
    # Test (tea) and topic (gas) are kept out, copies count once: three pairs of ten.
    assert json.loads(files[0].read_text())["about"]["training"]["questions with tags"] == 3
    weights = read_weights(files[0])
    rows = [Tagged(("is", "hot", "ale", "better", "value", "than", "gin"), (0, 1, 2, 3, 4, 0, 1))]
    figures = question.tag_figures(rows, weights)
    assert [figures[f"{kind} F1, model"] for kind in ("object", "aspect")] == [1, 1]
    # The rule takes "value" and "gin" for objects, and "better" alone for an aspect.
    assert [figures[f"{kind} F1, rule"] for kind in ("object", "aspect")] == [0.5, 0]
    assert (figures["all objects right, model"], figures["all objects right, rule"]) == (1, 0)


def test_sentences_are_learned(data, capsys):
    assert comparison.main(["--data", str(data), "-o", str(data / "out.json")]) == 0
    lines = capsys.readouterr().out
    assert "compsent-19 held-out" in lines
    measured = json.loads((data / "out.json").read_text())["about"]["figures"]
    assert measured["compsent-19 held-out"]["micro F1, model"] == 1
    assert measured["cam-arg-relevance"]["sentences"] == 2  # the third has no text
    # One answer is balanced ("NO" is found, since it names no object), two prefer a side that nobody has read.
    assert measured["answers of webis 2022"]["answers"] == 1
    assert measured["answers of webis 2022"]["NEUTRAL taken for NO"] == 1


def test_answers_have_the_side_that_was_read(data, monkeypatch):
    """sha256 of "ale gin i or recommend" begins with the key; label 0 alone does not say which object is preferred."""
    text = "I recommend gin or ale"
    key = hashlib.sha256(b"ale gin i or recommend").hexdigest()[:12]
    monkeypatch.setattr(data_module, "PREFERRED", fill(data, "preferred.txt", [f"{key} SECOND"]))
    for part in ("train", "val", "test"):
        fill(data, f"compuge/sc_all/{part}.csv", ["sentence,label"])
    lines = [f"ale [SEP] gin [SEP] {text},0", "a [SEP] b [SEP] c,0", "a [SEP] b [SEP] d,1", "a [SEP] b [SEP] e,2"]
    fill(data, "compuge/sc_all/val.csv", ["sentence,label", *lines])
    assert [answer.stance for answer in data_module.read_answers(data, [])] == ["SECOND", "", "NEUTRAL", "NO"]


def test_near_duplicates_are_left_out():
    """Same words in another order, or nearly the same words; "cat" and "dog" differ enough."""
    rows = [
        "which is better tea or coffee",
        "Which is better, coffee or tea?",
        "cat or dog",
        "which is better tea or cofee",
    ]
    assert without_copies(rows, str, []) == [rows[0], rows[2], rows[3]]
    assert without_copies(rows, str, ["is coffee or tea which better?"]) == ["cat or dog"]
    assert without_copies([], str, ["a"]) == []


@pytest.mark.parametrize(
    ("question_text", "spans"),
    [
        ("is tea better than black coffee ?", {("object", 1, 2), ("aspect", 2, 3), ("object", 4, 6)}),
        ("difference between jam and jelly", {("aspect", 0, 1), ("object", 2, 3), ("object", 4, 5)}),
        ("who wrote it", set()),
    ],
)
def test_the_rule(question_text, spans):
    assert set(tag_spans(question.tag_by_rule(question_text.split()))) == spans


def test_f1_of_spans():
    """Two true objects of which the rule finds one, and a wrong one: F1 = 2 * 1 / (2 + 2)."""
    rows = [Tagged(("tea", "time", "or", "coffee"), (1, 0, 0, 1))]
    figures = question.tag_figures(rows, Weights({}, {}))
    assert figures["object F1, rule"] == 0.5
    assert figures["object F1, model"] == 0


def test_figures_of_questions():
    """The odds are 1 for "a", -1 for "b": of two comparative ones, one is above all others."""
    weights = Weights({}, {"a": 1.0, "b": -1.0})
    rows = [Labelled("a", True), Labelled("b", False), Labelled("b", True), Labelled("c", False)]
    figures = question.question_figures(rows, weights)
    assert figures["accuracy, model"] == 0.75
    assert figures["accuracy, majority"] == 0.5
    assert figures["F1, model"] == pytest.approx(2 / 3)
    assert figures["recall at precision 1, model"] == 0.5


def test_labels_by_rule():
    def label(text, first="tea", second="coffee"):
        return comparison.label_by_rule(Sentence(text, first, second, 0))

    assert label("Tea is better than coffee") == comparison.BETTER
    assert label("Tea is not better than coffee") == comparison.WORSE
    assert label("Tea is better than coffee", "coffee", "tea") == comparison.WORSE
    assert label("Tea is better, coffee too") == comparison.NONE


def test_pruned_weights():
    rows = [["", "a", "n"], ["", "a"], ["", "b", "n"], ["", "b"]] * 5
    found = fit_pruned(rows, [1, 1, 0, 0] * 5, 2, strength=1.0, keep=2, least=2)
    assert set(found) == {"a", "b"}
    assert found["a"][0] == pytest.approx(-found["b"][0])
    assert found["a"][0] > 1
    assert hundredths([0.123, -1.5]) == [12, -150]
    with pytest.raises(InputError, match="has no label 0"):
        fit_pruned(rows, [1] * 20, 2, strength=1.0, keep=2, least=2)


@pytest.mark.parametrize(
    ("name", "line", "read"),
    [
        ("compuge/x/y.csv", "\"['a', 'b']\",[0]", lambda folder: read_tagged(folder, "x", "y")),
        ("compuge/x/y.csv", "['a'],[7]", lambda folder: read_tagged(folder, "x", "y")),
        ("compuge/x/y.csv", "['a',[0]", lambda folder: read_tagged(folder, "x", "y")),
        ("compuge/x/y.csv", "a", lambda folder: read_tagged(folder, "x", "y")),
        ("compuge/x/y.csv", "7,[0]", lambda folder: read_tagged(folder, "x", "y")),
        ("compuge/x/y.csv", "{{}},[0]", lambda folder: read_tagged(folder, "x", "y")),
        ("compuge/x/y.csv", "x" * 200_000, lambda folder: read_tagged(folder, "x", "y")),
        ("cam-arg-relevance/arguments.jsonl", "{}", read_relevance),
        ("cam-arg-relevance/arguments.jsonl", "[" * 99_999, read_relevance),
        (
            "cam-arg-relevance/arguments.jsonl",
            f'{{"object_1": "a", "object_2": "b", "sentence": "c", "relevance": {10**400}}}',
            read_relevance,
        ),
    ],
)
def test_bad_rows_are_named(tmp_path, name, line, read):
    fill(tmp_path, name, ["words,labels", line] if name.endswith("csv") else [line])
    with pytest.raises(InputError, match=f"{name.rsplit('/', 1)[-1]}, line {2 if name.endswith('csv') else 1}"):
        read(tmp_path)


def test_missing_data(tmp_path):
    for read in (
        read_relevance,
        lambda folder: read_sentences(folder, "x"),
        lambda folder: read_labelled(folder, "x", "y"),
    ):
        with pytest.raises(InputError, match="cannot be read"):
            read(tmp_path)
    with pytest.raises(InputError, match="no topics"):
        read_titles(tmp_path)
    fill(tmp_path, "compsent-19/x.csv", ["sentence"])
    (tmp_path / "compsent-19/y.csv").write_bytes(b"sentence\n\xff")
    with pytest.raises(InputError, match="line 2: is not UTF-8"):
        read_sentences(tmp_path, "y")
    with pytest.raises(InputError, match="no column 'object_a'"):
        read_sentences(tmp_path, "x")
