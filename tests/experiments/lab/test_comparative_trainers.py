import pytest
from support.weights import about, train_twice

from experiments.lab import comparison, question
from experiments.lab.comparison import read_compared
from experiments.lab.question import Tagged, read_tagged
from experiments.lab.trainer import fit_pruned, read_titles, without_copies
from features.comparative import preferences as shipped_comparison
from features.comparative import question as shipped_question
from features.comparative.question import TAGS, QuestionModel
from features.learned.linear_model import LinearModel, read_models
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
    for name in ("oai_webis_2022", "oai_beloucif"):
        for part in ("train", "val", "test"):
            fill(tmp_path, f"compuge/{name}/{part}.csv", ["words,labels", *(tagged if part != "test" else tagged[:1])])
    labels = [(f"{a} is better than {b} today", a, b, "BETTER") for a, b in pairs]
    labels += [(f"{a} is worse than {b} today", a, b, "WORSE") for a, b in pairs]
    labels += [(f"we sell {a} and {b} today", a, b, "NONE") for a, b in pairs]
    head = "sentence,object_a,object_b,most_frequent_label"
    fill(tmp_path, "compsent-19/train-dev.csv", [head, *map(",".join, labels)])
    held_out = ["ale is better than gin now,ale,gin,BETTER", "gin and ale we had,gin,ale,NONE"]
    fill(tmp_path, "compsent-19/held-out.csv", [head, *held_out])
    fill(tmp_path, "topics/titles.tsv", ["0\tIs hot gas better value than charcoal?"])
    return tmp_path


def test_questions_are_learned(data, capsys):
    options = ["--data", str(data), "--topics", str(data / "topics")]
    path = train_twice(question.main, options, data, shipped_question.WEIGHTS)
    assert "oai_webis_2022" in capsys.readouterr().out
    # Test (tea) and topic (gas) are kept out, copies count once: three pairs of ten.
    assert about(path)["training"]["questions with tags"] == 3
    model = QuestionModel(**read_models(path))
    rows = [Tagged(("is", "hot", "ale", "better", "value", "than", "gin"), (0, 1, 2, 3, 4, 0, 1))]
    assert question.tag_figures(rows, model) == {"questions": 1, "object F1": 1, "aspect F1": 1, "all objects right": 1}


def test_sentences_are_learned(data, capsys):
    measured = about(train_twice(comparison.main, ["--data", str(data)], data, shipped_comparison.WEIGHTS))["figures"]
    assert "compsent-19 held-out" in capsys.readouterr().out
    assert measured["compsent-19 held-out"]["accuracy"] == 1


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


def test_figures_of_spans():
    """Two true objects of which the model finds one, and a wrong one: F1 = 2 * 1 / (2 + 2)."""
    tags = LinearModel(TAGS, {"0=tea": [0, 9, 0, 0, 0], "0=time": [0, 9, 0, 0, 0]}, [0.0] * 5)
    model = QuestionModel(tags)
    figures = question.tag_figures([Tagged(("tea", "time", "or", "coffee"), (1, 0, 0, 1))], model)
    assert (figures["object F1"], figures["all objects right"]) == (0.5, 0)


def test_pruned_weights():
    rows = [["", "a", "n"], ["", "a"], ["", "b", "n"], ["", "b"]] * 5
    found = fit_pruned(rows, [1, 1, 0, 0] * 5, ("yes",), strength=1.0, keep=2).plain
    assert set(found) == {"a", "b"}
    assert found["a"] == -found["b"] == round(found["a"], 2) > 1


@pytest.mark.parametrize("line", ["\"['a', 'b']\",[0]", "['a'],[7]", "['a',[0]", "a", "7,[0]", "{{}},[0]"])
def test_bad_rows_are_named(tmp_path, line):
    fill(tmp_path, "compuge/x/y.csv", ["words,labels", line])
    with pytest.raises(InputError, match=r"y\.csv: is not as published"):
        read_tagged(tmp_path, "x", "y")


def test_missing_data(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_compared(tmp_path, "x")
    with pytest.raises(InputError, match="no topics"):
        read_titles([tmp_path])
    fill(tmp_path, "compsent-19/x.csv", ["sentence"])
    with pytest.raises(InputError, match=r"'(object_a|sentence)' is not in list"):
        read_compared(tmp_path, "x")
