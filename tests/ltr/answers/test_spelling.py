"""Misspelt words are corrected; words that are right stay, and questions in other languages are named as such."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.collection import COLLECTION, needs_collection
from support.sample_model import sample_index

from ltr.answers import spelling
from ltr.answers.spelling import Reading, Speller, language_of
from ltr.data.topics import read_topics
from ltr.index.reader import Index
from ltr.sample import SAMPLE
from ltr.searcher import Searcher

MISSPELT = {
    "Shoud vegeterianism be compulsary for the enviroment?": "Should vegetarianism be compulsory for the environment?",
    "Is the DEATH PENALTY inhuman or televison beter?": "Is the DEATH PENALTY inhuman or television better?",
    "Close Guantanmo, says the Goverment of Irland": "Close Guantanamo, says the Government of Ireland",
    "Is globalisaton harmfull to the econmy?": "Is globalisation harmful to the economy?",
    "Desecrating an offical flag": "Desecrating an official flag",
    "Is nucular teknology for power stations safe?": "Is nuclear technology for power stations safe?",
    "Should smoking tobbaco be banned?": "Should smoking tobacco be banned?",
    "Coud taht hlep wehn schols are closed?": "Could that help when schools are closed?",
    "Shud drugs be banned in slorts?": "Should drugs be banned in sports?",
    "Should Chna host the Olympics?": "Should China host the Olympics?",
}
"""On the collection. *Goverment* is in it; British words stay British."""

RIGHT = (
    "Should Macron, Zelensky and Modi ban TikTok, Bitcoin, vaping and fracking in 2026?",
    "Should waiters be tipped, and pubic hair be shaved?",
    "Should the burqa, the burka and halal butchers be outlawed?",
    "Should the UK legalise e-scooters, asdf and qwerty?",
    "May a lodger, carers with a fiver, or rowers have tills, bollards and instalments?",
    "Has Brackley the footpaths that Solange and Amina organise?",
    "Covid, doxxing, zumba, hygge, wokeness, liquorice, oestrogen and manoeuvres",
    "covfefe " * 3 + " ".join(f"zx{letter}qu" for letter in "abcdefghijklmnopqrstuvwxyz"),
    "Should the council build padel courts in the park, or teach kabaddi?",
    "should kids play roblox and fortnite, or drink boba tea?",
    "Should the NHS prescribe ozempic, and farms try glamping near ryde pier?",
    "Isn\u2019t laissez faire per se good for foetuses\u2019 rights?",
)


@pytest.fixture(scope="module")
def collection() -> Iterator[Speller]:
    searcher = Searcher(COLLECTION, model="bm25")
    yield Speller(index := searcher.index)
    del index


@needs_collection
def test_misspelt_words_become_words_of_the_collection(collection: Speller) -> None:
    assert {typed: collection.read(typed) for typed in MISSPELT} == {
        typed: Reading(right, typed) for typed, right in MISSPELT.items()
    }


@needs_collection
def test_what_is_not_misspelt_stays(collection: Speller) -> None:
    topics = read_topics(COLLECTION / "topics.xml") if COLLECTION else []
    questions = [*RIGHT, *MISSPELT.values(), *(topic.title for topic in topics)]
    assert [collection.read(question) for question in questions] == [Reading(question) for question in questions]


def test_a_small_corpus() -> None:
    speller = Speller(index := Index(sample_index()))
    assert speller.read("Should zooos be closd?") == Reading("Should zoos be closed?", "Should zooos be closd?")
    assert speller.read("Do zoso juggle?").spelled == "", "where no argument has the two words"
    for topic in read_topics(SAMPLE / "topics.xml"):
        assert speller.read(topic.title) == Reading(topic.title)
    assert (
        speller.read("\u00bfDeber\u00eda prohibirse el aborto?").note
        == "Riposte reads English; this looks like Spanish."
    )
    del index


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("sollte man tierversuche verbieten", "German"),
        ("faut il interdire les zoos", "French"),
        ("\u00e8 giusto vietare il fumo", "Italian"),
        ("moeten dierentuinen worden gesloten", "Dutch"),
        ("czy nale\u017cy zakaza\u0107 aborcji", "Polish"),
        ("should we ban zoos", ""),
        ("is laissez faire per se good", ""),
        ("gay marriage", ""),
        ("tiktok pro con", ""),
        ("should men want chatgpt", ""),
        ("xqzt", ""),
        ("", ""),
    ],
)
def test_languages(question: str, language: str) -> None:
    assert language_of(question.split()) == language


def test_a_page_of_words_takes_no_longer_than_a_question(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    monkeypatch.setattr(spelling, "is_english", lambda word: bool(read.append(word)))
    language_of([f"xq{number}" for number in range(2_000)])
    assert len(set(read)) <= spelling.TOLD
