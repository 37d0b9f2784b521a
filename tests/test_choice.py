from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from collection import COLLECTION, needs_collection
from tables import Source, make_context

from experiments.choice import DEBRIS, NAMES, NEW, RULE, SHIPPED, WAYS, chosen, fit, folds, main
from experiments.choice_data import describe, gain, hide_headings, lexrank, read_debates, said, sign_table
from experiments.choice_marked import measure_marked, read_gist
from features.describe import describe_pairs
from features.registry import find
from ltr.corpus import open_corpus
from ltr.errors import InputError
from ltr.index import open_index
from ltr.progress import Progress
from models.choice import SIGNS, WEIGHTS, places, read_signs, representativeness, sign_columns

# ---- the signs that ship ---------------------------------------------------------------------------


def test_the_weights_file_says_where_it_is_from():
    document = json.loads(WEIGHTS.read_text("utf-8"))
    assert SIGNS == read_signs(WEIGHTS) == document["weights"]
    assert SIGNS["centrality"] == 1
    for name, weight in SIGNS.items():
        assert math.isfinite(weight)
        assert weight == round(weight, 3)
        assert weight * NEW.get(name, RULE.get(name, 0)) > 0, f"{name} counts the other way"
    about = document["about"]
    assert about["data"]["arguments"] > 1000
    assert about["data"]["debates"] > 500
    assert about["gain"][f"{SHIPPED} (debates unseen)"]["both"] > about["gain"]["rule"]["both"] + 0.02
    assert about["gain"][f"{SHIPPED} (portals unseen)"]["both"] > about["gain"]["rule"]["both"] + 0.02
    assert {"l2", "seed", "folds"} <= set(about["settings"])
    assert about["versions"]["numpy"]


def test_columns_of_a_sign():
    assert sign_columns("centrality") == ["centrality_min", "centrality_max"]
    assert sign_columns("relative_position") == ["relative_position_first", "relative_position_second"]
    assert sign_columns("tfidf_similarity") == ["tfidf_similarity"]
    assert sign_columns("url") is not sign_columns("url"), "a caller may change its list"
    with pytest.raises(ValueError, match="can be no sign"):
        sign_columns("total_words")  # a lone minimum over both arguments
    with pytest.raises(KeyError, match="no feature"):
        sign_columns("nonsense")


def test_golden_representativeness():
    # Sums 3, 5, 4: percentiles 0, 1, .5. The pair feature .9, .1, .1: 1, .25, .25; turned round 0, .75, .75.
    # Weights 1 and -3: (0 + 0) / 4, (1 + 3 * .75) / 4, (.5 + 3 * .75) / 4. The row of another unit is alone: .5.
    table = pd.DataFrame(
        {
            "centrality_min": np.float32([1, 2, 1, 9]),
            "centrality_max": np.float32([2, 3, 3, 9]),
            "tfidf_similarity": np.float32([0.9, 0.1, 0.1, 0.7]),
        }
    )
    units = np.array([0, 0, 0, 1])
    assert places(table, units, "centrality").tolist() == [0, 1, 0.5, 0.5]
    found = representativeness(table, units, {"tfidf_similarity": -3.0, "centrality": 1.0})
    assert found.tolist() == pytest.approx([0, 0.8125, 0.6875, 0.5])


# ---- targets ---------------------------------------------------------------------------------------

THREE = (
    Source(
        "S1-A1",
        "PRO",
        "",
        ("Nuclear plants exploded rarely.", "Modern plants are safe.", "Cats sleep."),
    ),
)
INSIDE = [(0, 1), (0, 2), (1, 2)]


def test_golden_target():
    context = make_context(THREE, "energy", INSIDE)
    idf = dict(zip(context.vocabulary, context.idf.tolist(), strict=True))
    found = said(context, {"plant": 2, "safe": 1, "absent": 5})
    one, two = 2 * idf["plant"], 2 * idf["plant"] + idf["safe"]
    assert found.tolist() == pytest.approx([one + two, one, two])


def test_golden_gain():
    # The mean of 1, 2, 6 is 3, the best leads it by 3.
    assert gain(np.array([1.0, 2.0, 6.0])).tolist() == pytest.approx([-2 / 3, -1 / 3, 1])
    assert gain(np.array([2.0, 2.0])).tolist() == [0, 0]


def test_the_heading_is_hidden_from_every_sign():
    context, tables = make_context(THREE, "energy", INSIDE), []
    for heading in (["nuclear", "plant"], ["cat", "sleep", "safe"]):
        arguments = context.arguments
        headed = replace(arguments, sentences=[[*arguments.sentences[0], heading]], conclusion=[heading])
        hidden = hide_headings(replace(context, arguments=headed), "energy", ["energi"])
        assert hidden.arguments.sentences == [[*arguments.sentences[0], ["energi"]]]
        tables.append(sign_table(hidden, NAMES))
    pd.testing.assert_frame_equal(*tables)


def test_signs_are_those_of_the_matrix():
    context = make_context()
    units = np.zeros(len(context.pairs), np.int64)
    table, matrix = sign_table(context, NAMES), describe_pairs(context)
    for name in NAMES:
        np.testing.assert_array_equal(places(table, units, name), places(matrix, units, name))


def test_golden_lexrank():
    # Two sentences that are alike and one apart: the two get (1 - d) / 3 + d * rank, so 1 / 3; the last .15 / 3.
    found = lexrank(make_context(THREE, "energy", INSIDE))
    assert found.tolist() == pytest.approx([1 / 3, 1 / 3, 0.05], abs=1e-3)


# ---- learning --------------------------------------------------------------------------------------


def test_fit_finds_the_weights_of_the_signs_that_tell():
    rng = np.random.default_rng(1)
    units = np.repeat(np.arange(2000), 6)
    values = np.vstack([rng.permuted(np.tile(np.linspace(0, 1, 6), (3, 1)), axis=1).T for _ in range(2000)])
    target = (values - 0.5) @ np.array([2.0, 1.0, -1.0])
    found = fit(values, target, units, ["centrality", "n_letters", "is_first"])
    assert found[0] == pytest.approx(2, rel=0.05)
    assert found[1] == pytest.approx(1, rel=0.05)
    assert found[2] == 0, "it may not count against its direction"


def test_what_is_kept_stays_in_proportion_to_the_rule():
    rng = np.random.default_rng(2)
    units, values = np.repeat(np.arange(300), 5), rng.random((1500, 3))
    target = (values - 0.5) @ np.array([1.0, 0.0, -0.1])
    names = ["centrality", "url", "reference"]
    found = fit(values, target, units, names, DEBRIS)
    assert found[1] < 0
    assert found[2] / found[1] == pytest.approx(RULE["reference"] / RULE["url"])


def test_a_useless_rule_teaches_nothing():
    units, values = np.repeat([0, 1], 3), np.tile([[0.0], [0.5], [1.0]], (2, 1))
    assert fit(values, -values[:, 0] + 0.5, units, ["centrality"]).tolist() == [0]


def test_the_best_pair_is_the_first_of_equals():
    assert chosen(np.array([1, 3, 3 + 1e-12, 5, 5]), np.array([0, 0, 0, 1, 1])).tolist() == [1, 3]


def test_no_debate_is_in_two_folds():
    debate = np.repeat(list("abcdefg"), [3, 1, 4, 1, 5, 9, 2])
    fold = folds(debate)
    assert len(set(fold.tolist())) == 5
    assert all(len(set(fold[debate == name].tolist())) == 1 for name in "abcdefg")


# ---- the whole experiment on a made-up corpus ------------------------------------------------------


def write_corpus(folder: Path, debates: int) -> Path:
    """Debates of five arguments; in each, the second premise says the heading and the debate's common word."""
    folder.mkdir()
    lines = ["id,conclusion,premises,context,sentences"]
    for d in range(debates):
        for a in range(5):
            name, heading = f"S{d}-A{d}{a}", f"thing{d}x{a} brings wealth{a} soon"
            texts = [
                f"Nobody expected number{a}{d} here",
                f"Look how thing{d}x{a} brings wealth{a} for common{d} topic{d} quickly",
                f"Some other{a}{d} words about nothing",
                f"It was long ago in place{a}{d}",
            ]
            spoken = [{"sent_id": f"{name}__PREMISE__{n + 1}", "sent_text": text} for n, text in enumerate(texts)]
            spoken.append({"sent_id": f"{name}__CONC__1", "sent_text": heading})
            premises = [{"text": " ".join(texts), "stance": "PRO", "annotations": []}]
            context = {"sourceTitle": f"topic{d} matters", "sourceUrl": f"https://portal{d % 2}.org/{d}"}
            cells = [name, heading, repr(premises), repr(context), repr(spoken)]
            lines.append(",".join('"' + cell.replace('"', '""') + '"' for cell in cells))
    (folder / "args_processed.csv").write_text("\n".join(lines) + "\n", "utf-8")
    return folder


@pytest.fixture
def corpus(tmp_path) -> Path:
    return write_corpus(tmp_path / "corpus", 8)


def mark(folder: Path, **changed: object) -> None:
    gist = ["S0-A00__PREMISE__1", "S0-A00__PREMISE__2"]
    item = {"id": "S0-A00", "topic": "topic1 matters", "query": "thing0x0", "gist": gist}
    lost = item | {"id": "S9-A99"}
    (folder / "gist.jsonl").write_text(f"{json.dumps(item | changed)}\n\n{json.dumps(lost)}\n", "utf-8")


def test_learning_writes_the_same_bytes_twice(corpus, tmp_path, capsys):
    mark(corpus)
    outputs = []
    for name in ("a.json", "b.json"):
        argv = ["-i", str(corpus), "--index", str(tmp_path / "index"), "-o", str(tmp_path / name), "--seed", "3"]
        assert main(argv) == 0
        outputs.append(((tmp_path / name).read_bytes(), capsys.readouterr().out))
    assert outputs[0] == outputs[1]
    document = json.loads(outputs[0][0])
    assert set(read_signs(tmp_path / "a.json")) <= set(NAMES)
    data, figures = document["about"]["data"], document["about"]["gain"]
    # The debate on the marked topic is left out, and so is the marked argument; four of five teach.
    assert data["debates"] == 7
    assert data["arguments"] == 28
    assert data["marked arguments"] == 1
    assert data["portals"] == {"portal0.org": 16, "portal1.org": 12}
    assert figures[f"{SHIPPED} (debates unseen)"]["both"] == pytest.approx(1)
    assert figures["random"]["both"] < 0.6
    assert {f"{way} (portals unseen)" for way in WAYS} < set(figures)
    assert set(document["about"]["marked"]) == {"rule", *WAYS, f"{SHIPPED}, less rule"}
    assert "share of the marked sentences of 1 arguments" in outputs[0][1]


def test_without_output_and_marks_it_only_measures_the_gain(corpus, tmp_path, capsys):
    assert main(["-i", str(corpus), "--index", str(tmp_path / "index")]) == 0
    assert "marked" not in capsys.readouterr().out
    assert not list(tmp_path.glob("*.json"))


def test_marked_arguments_and_their_copies_teach_nothing(corpus, tmp_path):
    mark(corpus, topic="topic7 matters")
    index = open_index(open_corpus(str(corpus)), tmp_path / "index", Progress(quiet=True))
    marked = read_gist(corpus / "gist.jsonl", index)
    debates = read_debates(open_corpus(str(corpus)), index, marked, 0)
    assert [debate.title for debate in debates] == [f"topic{d} matters" for d in range(7)]
    assert 0 not in {one.row for debate in debates for one in debate.chosen}
    assert all(len(debate.arguments) == 5 for debate in debates)


def test_marked_share_by_hand(corpus, tmp_path):
    mark(corpus)
    index = open_index(open_corpus(str(corpus)), tmp_path / "index", Progress(quiet=True))
    marked = read_gist(corpus / "gist.jsonl", index)
    ways = {"early": {"coverage_sentence": 2.0, "relative_position": -1.0}, "late": {"relative_position": 1.0}, "": {}}
    # Late: premise 4 and the conclusion. Early: premise 2, which holds the query, and a neighbour.
    assert measure_marked(index, marked, ways) == {"early": [0.5], "late": [0.0]}


@pytest.mark.parametrize(
    ("gist", "message"),
    [
        ("\n{", "line 2: is no marked argument"),
        ("\xff", "is no marked"),
        ('{"id": "x"}', "is no marked argument"),
        ("[1]", "is no marked"),
    ],
)
def test_bad_marks_are_one_line(corpus, tmp_path, gist, message):
    (corpus / "gist.jsonl").write_text(gist, "latin-1")
    with pytest.raises(InputError, match=message) as error:
        main(["-i", str(corpus), "--index", str(tmp_path / "index")])
    assert "\n" not in str(error.value)


def test_bad_input_is_one_line(corpus, tmp_path):
    small = write_corpus(tmp_path / "small", 4)
    for argv, message in (
        (["-i", str(tmp_path / "none")], "no such file"),
        (["-i", str(small)], "fewer than 5 debates with arguments under headings"),
        (["-i", str(corpus), "--seed", "x"], "not a whole number"),
        ([], "required"),
    ):
        with pytest.raises(InputError, match=message) as error:
            main([*argv, "--index", str(tmp_path / "index")])
        assert "\n" not in str(error.value)


# ---- real arguments --------------------------------------------------------------------------------


@needs_collection
def test_the_weights_beat_the_rule_on_real_debates(tmp_path):
    corpus = open_corpus(str(COLLECTION))
    index = open_index(corpus, tmp_path / "index", Progress(quiet=True))
    marked = read_gist(Path(str(COLLECTION)) / "gist.jsonl", index)
    assert len(marked) == 36
    pairs = describe(index, read_debates(corpus, index, marked, seed=5)[:150], NAMES)
    gained = {
        name: pairs.gain["both"].to_numpy()[chosen(representativeness(pairs.features, pairs.units, signs), pairs.units)]
        for name, signs in (("rule", RULE), ("shipped", SIGNS), ("centrality", {"centrality": 1.0}))
    }
    assert gained["shipped"].mean() > gained["rule"].mean() > gained["centrality"].mean()
    assert find("coverage_sentence").scope == "sentence"
