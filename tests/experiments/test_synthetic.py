"""The generator: the exact format, the statistics that were asked for, the same bytes for the same seed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from experiments.scale import synthetic
from experiments.scale.synthetic_text import NASTY, word
from features.core.text import normalise
from features.query.comparison import objects_of
from ltr.corpora.argument import Argument
from ltr.corpora.source import open_corpus
from ltr.data.qrels import read_qrels
from ltr.data.topics import read_topics
from ltr.errors import InputError

SIZE = 1_200


def make(out: Path, *options: str) -> Path:
    assert synthetic.main(["-o", str(out), "--quiet", "--page", "500", "--topics", "5", *options]) == 0
    return out


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("synthetic") / "corpus", "--arguments", str(SIZE))


@pytest.fixture(scope="module")
def arguments(corpus: Path) -> list[Argument]:
    return list(open_corpus(str(corpus)))


def body(argument: Argument) -> str:
    return " ".join(s.text for s in argument.sentences if "__PREMISE__" in s.id)


def test_our_reader_reads_it(arguments: list[Argument]):
    assert len(arguments) == SIZE
    for argument in arguments:
        assert argument.stance in ("PRO", "CON")
        has = any("__CONC__1" in sentence.id for sentence in argument.sentences)
        assert has == (len(argument.conclusion.split()) >= 2) or len(argument.conclusion.split()) < 2
    short = [a for a in arguments if len(a.conclusion.split()) < 2]
    assert 0.01 * SIZE < len(short) < 0.08 * SIZE


def test_lengths_are_those_of_the_real_corpus(arguments: list[Argument]):
    sentences = [sentence.text for argument in arguments for sentence in argument.sentences]
    assert 14 < len(sentences) / SIZE < 21
    assert 16 < sum(len(text.split()) for text in sentences) / len(sentences) < 20
    assert max(len(argument.sentences) for argument in arguments) > 100


def test_one_in_ten_is_a_copy_and_some_are_nearly(arguments: list[Argument]):
    bodies = Counter(normalise(body(argument)) for argument in arguments)
    copies = sum(count - 1 for count in bodies.values())
    assert 0.07 * SIZE < copies < 0.16 * SIZE
    conclusions = Counter(argument.conclusion for argument in arguments)
    assert sum(count for count in conclusions.values() if count > 1) > 0.3 * SIZE


def test_words_have_a_long_tail(arguments: list[Argument]):
    words = Counter(w for a in arguments for s in a.sentences for w in normalise(s.text).split())
    ranked = [count for _, count in words.most_common()]
    assert ranked[0] > 50 * ranked[500]
    assert sum(count == 1 for count in ranked) > 0.3 * len(ranked)
    assert len({word(number) for number in range(100_000)}) > 99_000


def test_what_breaks_readers_is_in_it(corpus: Path, arguments: list[Argument]):
    text = " ".join(sentence.text for argument in arguments for sentence in argument.sentences)
    # They come through whole, those in a sentence's middle white space apart.
    assert sum(" ".join(mark.split()) in " ".join(text.split()) for mark in NASTY) >= len(NASTY) - 2
    assert b"\\xa0" in (corpus / synthetic.TABLE).read_bytes()


def test_topics_and_judgments_belong_together(corpus: Path, arguments: list[Argument]):
    answered, trained = read_topics(corpus / "topics.xml"), read_topics(corpus / "topics-train.xml")
    assert [topic.number for topic in answered + trained] == [str(n) for n in range(1, 11)]
    assert len({topic.title for topic in answered + trained}) == 10
    qrels = read_qrels(corpus / "qrels-train-relevance.qrels")
    titles = {topic.number: topic.title for topic in trained}
    assert set(qrels) <= set(titles)
    found = {argument.id: argument for argument in arguments}
    grades: Counter[float] = Counter()
    on_topic = []
    for topic, judged in qrels.items():
        for identifier, grade in judged.items():
            grades[grade] += 1
            if found[identifier].title.startswith(titles[topic][:-1]):
                on_topic.append(grade > 0)
    # A copy may stand on a page of another theme than it is about.
    assert sum(on_topic) > 0.8 * len(on_topic) > 10
    assert {1, 2, 3} <= set(grades)
    assert min(grades) < 1


def test_the_same_seed_makes_the_same_bytes(corpus: Path, tmp_path: Path):
    again = make(tmp_path / "again", "--arguments", str(SIZE))
    for path in corpus.iterdir():
        assert (again / path.name).read_bytes() == path.read_bytes()
    other = make(tmp_path / "other", "--arguments", str(SIZE), "--seed", "1")
    assert (other / synthetic.TABLE).read_bytes() != (corpus / synthetic.TABLE).read_bytes()


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path):
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(InputError, match="not empty"):
        make(tmp_path, "--arguments", "10")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_passages_are_cut_where_sentences_end(tmp_path: Path):
    folder = make(tmp_path / "passages", "--arguments", "300", "--task", "comparative")
    passages = list(open_corpus(str(folder)))
    assert len(passages) == 300
    sizes = [len(body(passage).split()) for passage in passages]
    assert 100 < sum(sizes) / len(sizes) < 250
    assert max(sizes) <= synthetic.LONGEST + 20  # marks that break readers are words to us as well
    assert any(passage.id.endswith("___2") for passage in passages)
    for topic in read_topics(folder / "topics.xml"):
        assert all(name in topic.title for name in topic.objects)
        assert len(objects_of(topic.title) or ()) == len(topic.objects) == 2
    judged = read_qrels(folder / "qrels-train-relevance.qrels")
    assert {id_ for grades in judged.values() for id_ in grades} <= {passage.id for passage in passages}


def test_a_sentence_that_is_too_long_is_a_passage():
    long = "word " * 300
    assert list(synthetic.cut_passages(["a b", long, "c", "d " * 249, "e"])) == [
        ["a b"], [long], ["c", "d " * 249], ["e"]
    ]  # fmt: skip
    assert list(synthetic.cut_passages([])) == [[]]
