"""``--reader``: sides by a language model on this machine that answers by rule, from the command to the page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.chat import MODEL, completion, prompt_of
from support.corpora import save_lines
from support.refusals import refuses
from support.web import Asked, Reply, Web

from ltr.commands import search
from ltr.data.topics import Topic
from ltr.errors import InputError, SettingError
from ltr.progress import Progress
from ltr.searcher import Searcher
from ltr.text_models import chat as chat_module
from ltr.text_models.reader import _judged
from ltr.text_models.rerankers import FunctionReranker
from ltr.web.answerer import Asked as Question
from ltr.web.loading import load_answerers
from ltr.web.settings import ServerSettings

QUESTION = "Should the summer fair be held in the park?"
TEXTS = {
    "a": "The summer fair in the park pays for the choir, and the choir sings for all of us.",
    "b": "The summer fair in the park is loud until midnight, and the grass is dead until May.",
    "c": "I have been to the summer fair in the park since I was a child of six.",
    "d": "At the summer fair in the park everybody meets neighbours that they never see elsewhere.",
}
SAYS = {"a": 2, "b": -2, "d": 2}


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RIPOSTE_CACHE", str(tmp_path / "cache"))
    chat_module._opened.cache_clear()
    _judged.cache_clear()
    return save_lines(tmp_path, *({"id": id_, "conclusion": "", "text": text} for id_, text in TEXTS.items()))


def by_rule(asked: Asked) -> Reply:
    """Grades of each text; those for keeping the fair are turned where it is asked whether it should be ended."""
    prompt = prompt_of(asked)
    (side,) = [SAYS.get(id_, 0) for id_, text in TEXTS.items() if text in prompt]
    return completion(json.dumps({"matter": 2, "argues": 2, "side": -side if "ended" in prompt else side}))


def name(web: Web) -> str:
    return f"chat:{MODEL}@{web.address}/v1"


def found(corpus: Path, capsys: pytest.CaptureFixture[str], *options: str, question: str = QUESTION) -> dict[str, Any]:
    where = ["-i", str(corpus), "--task", "arguments", "--jobs", "1", "--quiet", "--json", "-", "--weak"]
    assert search.main([question, *where, *options]) == 0
    return json.loads(capsys.readouterr().out)


def sides(answer: dict[str, Any]) -> dict[str, str]:
    return {result["sentences"][0]["argument"]: result["stance"] for result in answer["results"]}


def test_a_model_of_ones_own_says_the_sides(corpus: Path, web: Web, capsys: pytest.CaptureFixture[str]) -> None:
    web.answer = by_rule
    answer = found(corpus, capsys, "--reader", name(web))
    assert sides(answer) == {"a": "PRO", "b": "CON", "c": "Q0", "d": "PRO"}
    assert answer["model"].endswith(f"sides read by {name(web)}")
    turned = found(corpus, capsys, "--reader", name(web), question=QUESTION.replace("held", "ended"))
    assert sides(turned) == {"a": "CON", "b": "PRO", "c": "Q0", "d": "CON"}
    sent = len(web.asked)
    assert found(corpus, capsys, "--reader", name(web)) == answer
    assert len(web.asked) == sent, "it is kept"


def test_nothing_is_sent_without_it(corpus: Path, web: Web, capsys: pytest.CaptureFixture[str]) -> None:
    web.answer = by_rule
    found(corpus, capsys, "--reader", name(web))
    sent = len(web.asked)
    assert "sides read by" not in found(corpus, capsys)["model"]
    assert len(web.asked) == sent


def test_an_answer_notes_texts_that_the_model_refuses(
    corpus: Path, web: Web, capsys: pytest.CaptureFixture[str]
) -> None:
    web.answer = lambda asked: completion("", refusal="no") if TEXTS["b"] in prompt_of(asked) else by_rule(asked)
    answer = found(corpus, capsys, "--reader", name(web))
    assert sides(answer) == {"a": "PRO", "b": "Q0", "c": "Q0", "d": "PRO"}
    assert answer["note"].endswith("The reader of sides gave no answer for 1 of the texts.")


def test_one_line_where_it_cannot_be_asked(corpus: Path, web: Web) -> None:
    web.answer = lambda _: Reply({"error": {"message": "who are you?"}}, 401)
    for reader, said in {
        "chat:m": "names no model and address",
        f"chat:m@{web.address}/v1?key=1": "is not the address of a server",
        name(web): "it needs a key (HTTP 401, who are you?); put it into",
    }.items():
        where = ["-i", str(corpus), "--jobs", "1", "--quiet"]
        refuses(lambda reader=reader, where=where: search.main([QUESTION, *where, "--reader", reader]), said)


def test_a_reranker_is_no_reader(corpus: Path) -> None:
    with Searcher(corpus, task="arguments", jobs=1) as own, pytest.raises(SettingError, match="one number a text"):
        own.with_reader(FunctionReranker(lambda _, texts: [0.0] * len(texts)))


def test_a_searcher_takes_it_for_answers_runs_and_explanations(corpus: Path, web: Web) -> None:
    web.answer = by_rule
    own = Searcher(corpus, task="arguments", jobs=1)
    with own.with_reader(name(web)) as read:
        stances = {result.sentences[0].argument: result.stance for result in read.search(QUESTION).results}
        assert {**stances, "c": "Q0"} == {"a": "PRO", "b": "CON", "c": "Q0", "d": "PRO"}
        run = read.rank([Topic("1", QUESTION)], stance="question")
        assert dict(zip(run["docno"], run["stance"], strict=True)) == {"a": "PRO", "b": "CON", "c": "Q0", "d": "PRO"}
        place = run["docno"].tolist().index("b") + 1
        assert read.explain(Topic("1", QUESTION), place).document["pair"]["side"] == "con"
        assert "sides read by" not in read.with_reader(None).description
    refuses(lambda: own.with_reader("mine.py:read"), "names no model and address")


def test_the_page_takes_it(corpus: Path, web: Web) -> None:
    web.answer = by_rule
    settings = ServerSettings(input=str(corpus), reader=name(web), jobs=1)
    answerer = load_answerers(settings, Progress(quiet=True))["arguments"]
    answer = answerer.answer(Question(QUESTION))
    assert sides(answer) == {"a": "PRO", "b": "CON", "c": "Q0", "d": "PRO"}
    assert answer["model"] == f"the model that ships, sides read by {name(web)}"
    with pytest.raises(InputError, match="names no model and address"):
        load_answerers(ServerSettings(input=str(corpus), reader="chat:m"), Progress(quiet=True))
