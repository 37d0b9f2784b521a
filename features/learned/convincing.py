"""How convincing a bare text is beside an average argument, learned from people's preferences.

A Bradley-Terry model over signs of the text: its stems, pairs of neighbouring stems, and its manner: spelling,
shouting, hedges, insults, evidence, numbers, names. Length took part in the learning and was then left out, so the
score says what length does not. The weights are plain numbers in ``convincing.json`` beside this file, written by
``python -m experiments.learned.convincing``; that file's ``about`` names the data. Nothing of the data itself ships.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import Stemmer

from features.content.pronunciation import dictionary
from features.core.registry import feature
from features.core.sentences import Texts
from features.core.statistics import FloatArray
from features.core.tables import Context
from features.core.text import WORD, split_words
from features.learned.argumentative import Weights, read_weights, without_references
from features.learned.ngrams import Words

WEIGHTS = Path(__file__).with_name("convincing.json")
CLASSES = {
    "slang": "u ur r pls plz thx cuz coz bcuz becuz bcoz gonna wanna gotta lol omg wtf lmao btw imo imho idk tbh rofl "
    "ya yea yeah yep nope dunno kinda sorta em ppl tho thru b c n y wat wut dat dis dey luv gud",
    "careless": "im ive dont doesnt didnt cant wont wouldnt couldnt shouldnt isnt arent wasnt werent hasnt "
    "havent thats whats theres theyre youre youve hes shes alot aint everytime noone thier wich realy teh goverment "
    "definately recieve beleive becasue untill occured seperate arguement arguements",
    "insult": "stupid idiot idiots idiotic dumb moron morons retard retarded loser losers pathetic crap crappy shit "
    "bullshit fuck fucking fucked damn ass bitch bastard suck sucks lame ridiculous nonsense silly crazy insane "
    "hell disgusting ignorant fool fools foolish ugly hate hates",
    "vague": "thing things stuff something somehow anything everything whatever lot lots etc kind sort good bad nice "
    "great cool fun ok okay really very just basically literally obviously clearly actually",
    "hedge": "may might could perhaps possibly probably likely unlikely seem seems suggest suggests tend tends often "
    "sometimes generally usually typically largely approximately partly relatively potentially",
    "absolute": "always never all none every everyone everybody nobody everything nothing completely totally "
    "absolutely definitely entirely only ever must",
    "reason": "because since therefore thus hence consequently due so if then otherwise thereby whereas although "
    "though however despite while unless moreover furthermore additionally rather instead whether",
    "evidence": "according study studies research researchers survey report reports reported data evidence statistics "
    "percent found shows showed shown estimated experts scientists scientific analysis published university "
    "example examples instance such case cases average rate rates population",
    "effect": "cause causes caused lead leads led result results reduce reduces increase increases prevent prevents "
    "allow allows create creates enable enables encourage encourages harm harms improve improves provide provides "
    "protect protects benefit benefits risk risks cost costs affect affects",
    "you": "you your yours yourself yourselves",
    "i": "i me my mine myself",
    "we": "we us our ours ourselves",
    "norm": "should ought must need needs",
}
"""Class -> its words, each of one topic no more than of another."""

_OF_WORD: dict[str, tuple[str, ...]] = {}
for _name, _words in CLASSES.items():
    for _one in _words.split():
        _OF_WORD[_one] = (*_OF_WORD.get(_one, ()), f"={_name}")

_MARKS = "\"'(:;,%$?!\u2013\u2014/[&*"
_PATTERNS = {
    "=name": (re.compile(r"[A-Z]"), re.compile(r"[A-Z](?<=[a-z,;] [A-Z])[a-z]+")),
    "=tight mark": (re.compile(r"[,.;:!?][a-zA-Z]"), re.compile(r"[a-z][,.;:!?][a-zA-Z]")),
    "=loose mark": (re.compile(r" [,.;:!?]"), re.compile(r"\w +[,.;:!?]")),
    "=many marks": (re.compile(r"[!?.][!?.]"), re.compile(r"[!?]{2,}|\.{2,}")),
    "=link": (re.compile(r"http|www"), re.compile(r"https?:|www\.")),
}
"""Sign -> what is in every text that has it, and is soon sought for; and what is counted."""

_END = re.compile(r"[.!?]+(?=\s|$)")
_REPEATED = re.compile(r"([a-z])\1\1")
_ENDS = frozenset(".?!:;,\"')]\u201d")
_SHORTEST = 4
_MISSPELT = (0, 0.03, 0.06, 0.1, 0.2, 0.4)
_LETTERS = (3.6, 4, 4.4, 4.8, 5.2, 5.6, 6.2)
_LENGTHS = (3, 5, 8, 11, 14, 18, 22, 27, 33, 40, 50, 62, 75, 90, 110, 140, 200)
_SENTENCES = (6, 10, 14, 18, 22, 27, 34, 45)
_DISTINCT = (0.55, 0.65, 0.75, 0.85, 0.95)


def signs(text: str) -> dict[str, float]:
    """What the model sees of ``text``: sign -> value.

    Stems (function words included) and pairs of neighbours share the value ``1 / sqrt(distinct stems)``, so that a
    long text is not better only because it is long. A class of words has it once a word, up to 1, so that a table
    of numbers is not all evidence. Other signs have the value 1.
    """
    bare, references = _bare(text)
    seen = [_look(word) for word in split_words(bare)]
    terms = [stem for stem, _, _ in seen]
    distinct = set(terms)
    value = 1 / math.sqrt(max(len(distinct), _SHORTEST))
    found = dict.fromkeys(terms, value)
    for pair in pairwise(terms):
        found[" ".join(pair)] = value
    misspelt = letters = 0
    for _, classes, size in seen:
        letters += size
        for name in classes:
            found[name] = min(found.get(name, 0.0) + value, 1.0)
            misspelt += name == "=misspelt"
    for name in _PATTERNS:
        if count := _places(name, bare):
            found[name] = min(count * value, 1.0)
    if references:
        found["=reference"] = 1.0
    if terms:
        found.update(dict.fromkeys(_steps("misspelt", misspelt / len(terms), _MISSPELT), 1.0))
        found.update(dict.fromkeys(_steps("letters a word", letters / len(terms), _LETTERS), 1.0))
    found.update(dict.fromkeys(_edges(bare), 1.0))
    return found


def length_signs(text: str) -> list[str]:
    """Steps of the number of words, of words a sentence, and of the share of distinct words, which falls with length.

    They are no part of `signs`: in learning they take the length's share of a preference, and are then dropped.
    """
    found = WORD.findall(text.lower())
    n = len(found)
    sentences = max(len(_END.findall(text)), 1)
    return [
        *_steps("words", n, _LENGTHS),
        *_steps("words a sentence", n / sentences, _SENTENCES),
        *_steps("distinct", len(set(found)) / max(n, 1), _DISTINCT),
    ]


def score(texts: Iterable[str], model: Weights) -> FloatArray:
    """(n_texts,) probability that people prefer each text to an average argument of its length.

    From the log-odds of its `signs`, summed over all texts at once.
    """
    bare = [_bare(text) for text in texts]
    words = Words.of([split_words(text) for text, _ in bare])
    seen = [_look(word) for word in words.distinct]
    terms = words.renamed(stem for stem, _, _ in seen)
    value = 1 / np.sqrt(np.maximum(terms.once().sizes, _SHORTEST))
    odds = model.intercept + value * (model.grams.of_words(terms) + model.grams.of_neighbours(terms))
    weight = model.weights.get
    members: dict[str, FloatArray] = {}
    for word, (_, classes, _) in enumerate(seen):
        for name in classes:
            members.setdefault(name, np.zeros(len(seen)))[word] += 1
    counts = {name: words.sum(held) for name, held in members.items()}
    for name in sorted(counts):  # one order of summing, whichever texts came first
        odds += weight(name, 0.0) * np.minimum(counts[name] * value, 1)
    for name in _PATTERNS:
        places = np.array([_places(name, text) for text, _ in bare], np.float64)
        odds += weight(name, 0.0) * np.minimum(places * value, 1)
    size = words.sizes
    letters = words.sum(np.array([length for _, _, length in seen], np.float64))
    for name, number, steps in (
        ("misspelt", counts.get("=misspelt", np.zeros(len(size))), _MISSPELT),
        ("letters a word", letters, _LETTERS),
    ):
        share = number / np.maximum(size, 1)
        for step in steps:
            odds += weight(f"={name} over {step}", 0.0) * ((size > 0) & (share > step))
    odds += [
        sum([weight(sign, 0.0) for sign in _edges(text)], weight("=reference", 0.0) if references else 0)
        for text, references in bare
    ]
    # The same as 1 / (1 + exp(-odds)), but it cannot overflow.
    return np.asarray(0.5 * (1 + np.tanh(odds / 2)), np.float64)


@cache
def shipped() -> Weights:
    """The weights beside this file, read once a process."""
    return read_weights(WEIGHTS)


@feature(
    "text",
    group="quality",
    unit="probability",
    range=(0, 1),
    lift=("min", "max"),
    description="learned probability that people find the sentence better than an average argument of its length",
    source="Bradley-Terry model on IBM ArgQ, UKPConvArg, IBM EviConv and appropriateness (Ziegenbein et al. 2023)",
)
def convincing(texts: Texts) -> FloatArray:
    """Looks at the bare text only; the topic plays no part."""
    return score(texts.texts, shipped())


@feature(
    "argument",
    group="quality",
    unit="probability",
    range=(0, 1),
    units=("argument",),
    description="learned probability that people find the whole argument better than an average one of its length",
    source="Bradley-Terry model on IBM ArgQ, UKPConvArg, IBM EviConv and appropriateness (Ziegenbein et al. 2023)",
)
def convincing_argument(c: Context) -> FloatArray:
    """As `convincing`, of all sentences read as one text."""
    return score(c.arguments.text, shipped())


@lru_cache(maxsize=200_000)
def _look(word: str) -> tuple[str, tuple[str, ...], int]:
    """Stem of a word as written, the classes that it is in, and its letters."""
    lower = word.lower()
    stem = str(_stemmer().stemWord(lower))
    classes = list(_OF_WORD.get(lower, ()))
    if word == "i":
        classes.append("=small i")
    if word[0].isdigit():
        classes.append("=year" if len(word) == 4 and word[:2] in ("18", "19", "20") else "=number")
    elif word.isupper() and len(word) > 3:
        classes.append("=shouted")
    elif word.islower() and lower.isascii():
        if _REPEATED.search(lower):
            classes.append("=drawn out")
        if not _known(lower, stem):
            classes.append("=misspelt")
    return stem, tuple(classes), len(word)


def _bare(text: str) -> tuple[str, int]:
    """The text without references, one kind of apostrophe in it, and how many references there were."""
    bare, references = without_references(text)
    return bare.strip().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"), references


def _places(name: str, text: str) -> int:
    needed, pattern = _PATTERNS[name]
    return len(pattern.findall(text)) if needed.search(text) else 0


def _known(word: str, stem: str) -> bool:
    """Whether the pronouncing dictionary has the word, another form of it, or its American spelling."""
    whole = word.split("'", maxsplit=1)[0]
    words, stems = _dictionary()
    return whole in words or stem in stems or whole.replace("is", "iz").replace("our", "or") in words


@cache
def _dictionary() -> tuple[frozenset[str], frozenset[str]]:
    """CMU pronouncing dictionary: its words, and their stems."""
    words = list(dictionary())
    return frozenset(words), frozenset(_stemmer().stemWords(words))


@cache
def _stemmer() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("english", 0)  # its caller remembers


def _steps(name: str, value: float, steps: Iterable[float]) -> list[str]:
    """A sign for every step that the value is above."""
    return [f"={name} over {step}" for step in steps if value > step]


def _edges(text: str) -> list[str]:
    """First and last character, and the marks in a stripped text."""
    if not text:
        return []
    found = [f"=begins {_kind(text[0])}", f"=ends {_kind(text[-1], _ENDS)}"]
    # In the order of _MARKS: a set's order changes from process to process, and with it the last bit of a sum.
    return found + [f"=has {mark}" for mark in _MARKS if mark in text]


def _kind(character: str, themselves: frozenset[str] = frozenset()) -> str:
    if character in themselves:
        return character
    if character.isalpha():
        return "A" if character.isupper() else "a"
    return "0" if character.isdigit() else "other"
