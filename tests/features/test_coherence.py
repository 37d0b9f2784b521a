from __future__ import annotations

import ast
import json
import math
import random
from dataclasses import replace
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest
from support.collection import COLLECTION, needs_collection
from support.tables import Source, make_context, with_pairs
from support.weights import layout

from experiments.learned.coherence import main, narrowed
from experiments.learned.coherence import make_context as make_big_context
from experiments.learned.coherence_pairs import Match, Sentence, lay_out, linked_debates, pools, read_sentences, sample
from experiments.learned.similar import near_duplicates
from experiments.learned.term_space import co_occurrence, decompose
from experiments.learned.trainer import mean_figure, topic_auc
from features.core.feature import find
from features.core.tables import Context
from features.learned.coherence import WEIGHTS, Coherence, read_coherence, score, shipped, space_arrays
from features.learned.linear_model import LinearModel, weights_file
from features.learned.pair_features import EMBEDDING_SIMILARITIES, Space, embedding_similarities, pair_features
from ltr.errors import InputError

EMPTY = Space([], np.zeros((0, 2), np.float32))


# ---- the shipped weights ---------------------------------------------------------------------------


def test_the_weights_are_small_and_those_of_the_features():
    assert WEIGHTS.stat().st_size < 1_000_000
    figures = json.loads(WEIGHTS.read_text("utf-8"))["about"]["figures"]
    for against in ("debate", "opposite"):
        assert figures[against]["coherence"][1] > figures[against]["TF-IDF cosine"][2] + 0.06
    assert {*pair_features(make_context()), *EMBEDDING_SIMILARITIES} == set(shipped().linear.weights)
    space = shipped().space
    assert len(set(space.terms)) == len(space.terms) == len(space.vectors)
    assert abs(space.vectors).max() <= 127


def test_a_model_survives_its_file(tmp_path):
    model = Coherence(LinearModel.binary(-0.5, {"terms": 1.0}), Space(["a", "b"], np.array([[1, -127], [127, 0]])))
    text = weights_file({}, {"coherence": (model.linear, 10)}, space_arrays(model.space))
    (tmp_path / "model.json").write_text(text, "utf-8")
    again = read_coherence(tmp_path / "model.json")
    assert (again.linear.intercept, again.linear.plain, again.space.terms) == ([-0.5], {"terms": 1.0}, ["a", "b"])
    np.testing.assert_array_equal(again.space.vectors, model.space.vectors)


# ---- the feature -----------------------------------------------------------------------------------


def test_the_feature_is_registered():
    found = find("coherence")
    assert (found.scope, found.group, found.measured_in, found.range) == ("pair", "coherence", "probability", (0, 1))
    context = make_context()
    np.testing.assert_array_equal(found.compute(context), score(context, shipped()))


def test_it_sees_nothing_but_texts_and_statistics():
    context = make_context()
    s, n = context.sentences, len(context.sentences)
    hidden = replace(
        context,
        title="",
        sentences=replace(
            s, argument=np.zeros(n, np.int64), index=np.zeros(n, np.int64), is_conclusion=~s.is_conclusion
        ),
        arguments=make_context([Source("S9-A9", "", "", ("",))], pairs=[]).arguments,
    )
    np.testing.assert_allclose(score(hidden, shipped()), score(context, shipped()), rtol=1e-6)
    code = (WEIGHTS.parent / "coherence.py").read_text("utf-8")
    used = {node.attr for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Attribute)}
    assert not used & {"argument", "arguments", "index", "is_conclusion", "stance", "query", "title", "conclusion"}


def test_golden_features_of_a_pair():
    # Statistics of CORPUS (19 sentences, 6 arguments, 5 conclusions); the two sentences share "vote" and "machin".
    context = make_context(pairs=[(16, 15)])
    assert [context.sentences.text[i] for i in (16, 15)] == [
        "Vote by machine",
        "Machines count votes faster than people count votes, votes, votes.",
    ]
    found = {name: float(values[0]) for name, values in pair_features(context).items()}
    # "vote" stands in 5 sentences ("vote con" is one), in 4 arguments and in 2 conclusions; "machin" in 5, 3 and 2.
    idf = math.log(20 / 5.5)
    size = len(context.sentences)
    assert size == 19
    assert found["shared terms"] == 2
    assert found["shared idf"] == pytest.approx(2 * idf)
    assert found["shared idf squared"] == pytest.approx(2 * idf**2)
    assert found["shared idf, most"] == pytest.approx(idf)
    # Arguments: log((df + 2) / (arguments + 2)) says how often a term comes back in one argument.
    assert found["shared recurrence"] == pytest.approx(idf * (math.log(7 / 6) + math.log(7 / 5)))
    # The first sentence has only these two terms, so all its weight is shared.
    assert found["share of the first"] == pytest.approx(1)
    # Two terms against five: machin, count, vote, faster, peopl.
    assert (found["first length"], found["second length"]) == pytest.approx((math.log(3), math.log(6)))
    assert found["lengths apart"] == pytest.approx(math.log(2))


def test_golden_local_features():
    # Four candidates: "cat" stands in all, "dog" in two, the others in one.
    sources = [Source("S1-A1", "PRO", "", ("cat dog", "cat dog stone", "cat bird", "cat tree"))]
    found = {
        name: values.tolist() for name, values in pair_features(make_context(sources, pairs=[(0, 1), (2, 3)])).items()
    }
    cat, dog, one = math.log(5 / 4.5), math.log(5 / 2.5), math.log(5 / 1.5)
    assert found["local: shared idf"] == pytest.approx([cat + dog, cat])
    assert found["local: shared idf squared"] == pytest.approx([cat**2 + dog**2, cat**2])
    assert found["local: shared idf, most"] == pytest.approx([dog, cat])
    assert found["local: shared by 3 at most"] == [1, 0]
    assert found["local: shared by 10 at most"] == [1, 1]
    assert found["local: share of the second"] == pytest.approx(
        [(cat + dog) / (cat + dog + one), cat / max(cat + one, 1)]
    )
    norms = [math.hypot(cat, dog), math.hypot(cat, dog, one), math.hypot(cat, one), math.hypot(cat, one)]
    assert found["local: tf-idf cosine"] == pytest.approx([norms[0] / norms[1], (cat / norms[2]) ** 2])
    # The third and the fourth sentence share "cat" with each of the first two: cat^2 over the norms, twice.
    common = 2 * (cat**2 / norms[2]) ** 2 / norms[0] / norms[1]
    assert found["local: common"][0] == pytest.approx(common)
    likeness = np.array([[cat**2 / one / other for one in norms] for other in norms])
    likeness[0, 1] = likeness[1, 0] = norms[0] / norms[1]  # "cat" and "dog" are all that the first one has
    total = likeness.sum(axis=1) - likeness.diagonal()
    central = np.log1p(total / total.mean())
    assert found["local: first, central"] == pytest.approx(central[[0, 2]])
    assert found["local: central"] == pytest.approx([central[0] * central[1], central[2] * central[3]])


def test_a_word_that_every_candidate_has_says_little():
    alike = Source("S1-A1", "PRO", "", tuple(f"uniforms {word}" for word in "cat dog stone bird tree".split()))
    other = Source("S2-A2", "PRO", "", tuple(f"machines {word}" for word in "cow pig rock fish leaf".split()))
    one, two = make_context([alike], pairs=[(0, 1)]), make_context([alike, other], pairs=[(0, 1)])
    assert pair_features(one)["local: tf-idf cosine"] < pair_features(two)["local: tf-idf cosine"]


def test_golden_score():
    context = make_context(pairs=[(16, 15), (0, 16)])
    model = Coherence(LinearModel.binary(-1.0, {"shared terms": 0.75, "unknown": 9.0}), EMPTY)
    # -1 + 2 * .75 = .5 and 1 / (1 + exp(-.5)) = .622459; nothing is shared: 1 / (1 + exp(1)) = .268941
    np.testing.assert_allclose(score(context, model), [0.622459, 0.268941], atol=1e-6)


def test_kinship_by_hand():
    sources = [Source("S1-A1", "PRO", "", ("cat", "dog", "dog dog", "stone", "unheard"))]
    space = Space(["cat", "dog", "stone"], np.array([[3, 4], [4, 3], [-4, 3]], np.float32))
    context = make_context(sources, pairs=[(0, 1), (1, 2), (0, 3), (0, 4)])
    # Unit vectors (.6 .8), (.8 .6), (-.8 .6): .96, the same, 0; a word without a vector has no kin.
    found = embedding_similarities(context, space)
    assert tuple(found) == EMBEDDING_SIMILARITIES
    for name in EMBEDDING_SIMILARITIES[:3]:  # a single known word has one direction, whatever its weight
        np.testing.assert_allclose(found[name], [0.96, 1, 0, 0], atol=1e-6)
    # The mean of (.6 .8), (.8 .6) twice, (-.8 .6) and (0 0) is (.28 .52); less it: (.32 .28), (.52 .08), (-1.08 .08).
    one, other = np.array([0.32, 0.28]), np.array([0.52, 0.08])
    expected = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
    np.testing.assert_allclose(found["kinship, off the mean"][[0, 1, 3]], [expected, 1, 0], atol=1e-6)
    assert not any(values.any() for values in embedding_similarities(context, EMPTY).values())


def test_order_of_the_pair_matters_only_where_it_should():
    context = make_context()
    turned = replace(context, pairs=type(context.pairs)(context.pairs.second, context.pairs.first))
    one, other = pair_features(context), pair_features(turned)
    sided = {"share of the first", "share of the second", "first length", "second length"}
    sided |= {f"local: {name}" for name in ("share of the first", "share of the second")}
    sided |= {f"local: {name}, central" for name in ("first", "second")}
    for name in set(one) - sided:
        np.testing.assert_allclose(one[name], other[name], atol=1e-9, err_msg=name)
    np.testing.assert_allclose(one["share of the first"], other["share of the second"], atol=1e-9)
    np.testing.assert_array_equal(one["first length"], other["second length"])


def test_empty_sentences_and_no_pairs():
    context = make_context([Source("S1-A1", "PRO", "", ("", "It is.", "Cars kill."))], pairs=[(0, 0), (0, 1), (1, 2)])
    found = score(context, shipped())
    assert ((found > 0) & (found < 1)).all()
    assert score(make_context([], pairs=[]), shipped()).shape == (0,)


def test_a_pair_has_its_value_alone():
    context = make_context()
    every = score(context, shipped())
    for row in (0, 7, len(context.pairs) - 1):
        assert score(with_pairs(context, [row]), shipped())[0] == every[row]


# ---- learning --------------------------------------------------------------------------------------


def sentence(text: str, argument: int, place: int, debate: int = 0, stance: str = "PRO", titled: bool = False):
    return Sentence(text, tuple(text.split()), text, argument, place, debate, stance, titled)


def test_true_and_false_pairs():
    sentences = [
        sentence("a b", 0, 0),
        sentence("a c", 0, 1),
        sentence("point one", 0, -1),
        sentence("d e", 1, 0, stance="CON"),
        sentence("d f", 1, 1, stance="CON"),
        sentence("title", 1, -1, stance="CON", titled=True),
        sentence("point one", 2, 0),  # the conclusion again, as a premise: with "a b" it is never a false pair
        sentence("g h", 2, 1),
    ]
    for seed in range(5):
        pairs = sample(sentences, random.Random(seed))
        assert {(pair.first, pair.second) for pair in pairs} == {(0, 1), (3, 4), (6, 7)}
        for pair in pairs:
            own = sentences[pair.first]
            for name, other in pair.false.items():
                assert sentences[other].argument != own.argument
                if name == "opposite":
                    assert {own.stance, sentences[other].stance} == {"PRO", "CON"}
        rows, texts = lay_out(sentences, pairs, {0: 3}, [Match("kp", "arg", "T", True, False)])
        assert texts[-2:] == ["kp", "arg"]
        assert (rows.against[rows.true] == "").all()
        assert (rows.first[rows.true] == rows.first).all()


def test_true_and_false_pairs_are_looked_at_among_the_same_sentences():
    sentences = [sentence(f"w{d} x{a} y{n}", 2 * d + a, n, d) for d in range(3) for a in (0, 1) for n in (0, 1)]
    pairs = sample(sentences, random.Random(0))
    matches = [Match("kp a", "arg b", "T", True, True), Match("kp c", "arg d", "U", False, False)]
    rows, texts = lay_out(sentences, pairs, dict.fromkeys(range(3), 0), matches)
    context = replace(make_context(), sentences=replace(make_context().sentences, terms=[t.split() for t in texts]))
    seen = list(pools(sentences, context, rows))
    assert sorted(row for here, _ in seen for row in here) == list(range(len(rows.first)))
    for here, members in seen:
        assert {*rows.first[here], *rows.second[here]} <= {*members}
    assert [len(members) for _, members in seen] == [12, 12, 12, 2, 2], "three small debates, two topics"


def test_debates_that_share_a_sentence_stay_together():
    sentences = [sentence(f"w{n} x{n} y{n}", n, place, n) for n in range(10) for place in (0, 1)]
    sentences += [sentence("shared words here", 0, 2, 0), sentence("here shared words", 9, 2, 9)]
    linked = linked_debates(sentences)
    assert linked[0] == linked[9]
    assert len(set(linked)) == 9


def test_near_duplicates_are_found_as_by_brute_force():
    draw = random.Random(1)
    base = [frozenset(draw.sample("abcdefghijklmnop", draw.randint(1, 12))) for _ in range(300)]
    sets = list(dict.fromkeys(base))
    expected = {
        frozenset((one, other))
        for i, one in enumerate(sets)
        for other in sets[:i]
        if len(one & other) >= 0.8 * len(one | other)
    }
    assert {frozenset(pair) for pair in near_duplicates(sets)} == expected
    assert expected


def test_co_occurrence_by_hand():
    from scipy.sparse import csr_matrix

    # One debate: argument 0 says (x, y), argument 1 says (z, z). Within arguments x meets y once in each order, z
    # meets z twice; across them each of x, y meets z four times in all, scaled to the same mass: 4 pairs / 8.
    rows = csr_matrix(np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]], np.float32))
    found, mass = co_occurrence(rows, np.array([0, 0, 1, 1]), np.zeros(4, np.int64))
    np.testing.assert_allclose(found, [[0, 1, -1], [1, 0, -1], [-1, -1, 2]], atol=1e-6)
    assert mass.tolist() == [1, 1, 2]


def test_terms_that_meet_are_near():
    # Two terms that meet each other: the eigenvectors are (1, 1) with the value 1, which is kept and has the longest
    # step, and (1, -1) with the value -1, which says where terms do not meet and is dropped.
    vectors = decompose(np.array([[0, 1], [1, 0]], np.float32), np.zeros(2))
    assert sorted(abs(vectors).tolist()[0]) == sorted(abs(vectors).tolist()[1]) == [0, 127]
    np.testing.assert_array_equal(vectors[0], vectors[1])


def test_auc_within_topics():
    # Topic 0: true 3 beats both, true 1 ties with 1 and loses to 2, (2 + .5) / 4; topic 2 has one label only.
    labels, topics = np.array([1, 0, 1, 0, 1, 0, 1]), np.array([0, 0, 0, 0, 1, 1, 2])
    found = topic_auc(labels, np.array([3.0, 1.0, 1.0, 2.0, 5.0, 4.0, 9.0]), topics)
    assert found.tolist() == [0.625, 1.0]
    # Half the width of a 95% t interval of two values is 12.706 * (.375 / sqrt(2)) / sqrt(2), cut to 1.
    assert mean_figure(found) == [0.8125, 0, 1]


# ---- the whole experiment on a made-up corpus ------------------------------------------------------


@pytest.fixture
def corpus(tmp_path) -> Path:
    """Ten debates of four arguments; each argument keeps to words of its own, and all say the debate's word."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    lines = ["id,conclusion,premises,context,sentences"]
    for d in range(10):
        for a in range(4):
            name, stance = f"S{d}-A{d}{a}", "PRO" if a % 2 else "CON"
            own, topic = f"thing{d}x{a}", f"topic{d}"
            texts = [f"People say that {own} helps {topic} way{n}{a}{d}" for n in range(5)]
            said = [{"sent_id": f"{name}__PREMISE__{n + 1}", "sent_text": text} for n, text in enumerate(texts)]
            said.append({"sent_id": f"{name}__CONC__1", "sent_text": f"We all need {own} for {topic}"})
            premises = [{"text": " ".join(texts), "stance": stance, "annotations": []}]
            cells = [name, f"We all need {own} for {topic}", repr(premises), repr({"sourceTitle": topic}), repr(said)]
            lines.append(",".join('"' + cell.replace('"', '""') + '"' for cell in cells))
    (folder / "args_processed.csv").write_text("\n".join(lines) + "\n", "utf-8")
    return folder


@pytest.fixture
def data(tmp_path) -> Path:
    folder = tmp_path / "data" / "argkp2021"
    folder.mkdir(parents=True)
    for split in ("train", "dev", "test"):
        files = {
            "arguments": "arg_id,argument,topic,stance\na1,uniforms cost money for parents,T,1\na2,pupils learn,T,1\n",
            "key_points": "key_point_id,key_point,topic,stance\nk1,School uniforms cost money,T,1\n",
            "labels": "arg_id,key_point_id,label\na1,k1,1\na2,k1,0\n",
        }
        for name, text in files.items():
            (folder / f"{name}_{split}.csv").write_text(text, "utf-8")
    return folder.parent


@pytest.mark.slow
def test_training_writes_the_same_bytes_twice(corpus, data, tmp_path, capsys):
    outputs = []
    for name in ("a.json", "b.json"):
        argv = ["-i", str(corpus), "--data", str(data), "--index", str(tmp_path / "index"), "-o", str(tmp_path / name)]
        assert main([*argv, "--seed", "3"]) == 0
        outputs.append(((tmp_path / name).read_bytes(), capsys.readouterr().out))
    assert outputs[0] == outputs[1]
    mine, theirs = layout(tmp_path / "a.json"), layout(WEIGHTS)
    # Version 0.1.0 wrote the file that ships; it drew more kinds of false pairs.
    assert mine["training"].pop("pairs").items() <= theirs["training"].pop("pairs").items()
    assert mine == theirs
    about = json.loads(outputs[0][0])["about"]
    figures = about["figures"]
    assert figures["debate"]["coherence"][0] > 0.99, "the argument's own word tells"
    assert figures["no match"]["coherence"][0] in (0, 0.5, 1), "one key point with one match"
    assert set(figures) == {"debate", "opposite", "no match"}
    assert about["training"]["debates"] == 10
    assert set(read_coherence(tmp_path / "a.json").linear.weights) <= set(shipped().linear.weights)  # none is 0
    assert "debate: TF-IDF cosine" in outputs[0][1]


def test_bad_input_is_one_line(corpus, data, tmp_path):
    index = ["--index", str(tmp_path / "index")]
    good = tmp_path / "good"
    copytree(data, good)
    (data / "argkp2021" / "labels_dev.csv").write_text("arg_id,key_point_id,label\na9,k1,1\n", "utf-8")
    small = tmp_path / "small"
    small.mkdir()
    lines = (corpus / "args_processed.csv").read_text("utf-8").splitlines()
    (small / "args_processed.csv").write_text("\n".join(lines[:5]) + "\n", "utf-8")
    for argv, message in (
        (["-i", str(tmp_path / "none"), "--data", str(good)], "no such file"),
        (["-i", str(corpus), "--data", str(tmp_path)], "no such file or directory"),
        (["-i", str(corpus), "--data", str(data)], "a9 or k1 is labelled but absent"),
        (["-i", str(small), "--data", str(good)], "needs 5 topics; name a larger corpus"),
    ):
        with pytest.raises(InputError, match=message) as error:
            main([*argv, *index])
        assert "\n" not in str(error.value)


# ---- real arguments --------------------------------------------------------------------------------


@needs_collection
@pytest.mark.slow
def test_it_beats_tfidf_cosine_on_real_arguments(tmp_path):
    from itertools import islice

    from ltr.corpora.source import open_corpus
    from ltr.index.cache import open_index
    from ltr.progress import Progress

    corpus = open_corpus(str(COLLECTION))
    index = open_index(corpus, tmp_path / "index", Progress(quiet=True))
    sentences = list(islice(read_sentences(corpus, index), 12_000))
    pairs = sample(sentences, random.Random(5))
    rows, texts = lay_out(sentences, pairs, {pair.debate: 0 for pair in pairs}, [])
    context: Context = make_big_context(texts, rows, index)
    cosine, learned = np.zeros(len(rows.first)), np.zeros(len(rows.first))
    for here, members in pools(sentences, context, rows):
        own = narrowed(context, members, rows.first[here], rows.second[here])
        cosine[here], learned[here] = pair_features(own)["tf-idf cosine"], score(own, shipped())
    for against in ("debate", "opposite"):
        false = rows.against == against
        true = rows.true[false]
        assert false.sum() > 1000
        labels, both = np.repeat([1, 0], false.sum()), np.concatenate([true, np.flatnonzero(false)])
        ours, theirs = (topic_auc(labels, values[both], rows.debate[both]).mean() for values in (learned, cosine))
        assert ours > theirs + 0.06
