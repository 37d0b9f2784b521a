"""Signs that a sentence argues, or that it only talks: markers found by spaCy's matchers.

A blank English pipeline is enough (no trained model is loaded or downloaded). Each marker counts the
places where it occurs; the lists follow the discourse markers of Eckle-Kohler et al. 2015 and Stab &
Gurevych 2017 in kind, and are written for debate portals.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from features.registry import feature
from features.statistics import FloatArray
from features.texts import Texts

PHRASES: dict[str, tuple[str, str]] = {
    "claim": (
        "claim markers",
        "therefore|thus|hence|consequently|as a result|it follows that|in conclusion|to conclude|i believe|i think|"
        "i argue|we believe|we argue|in my opinion|in my view|it is clear that|clearly|obviously|this means that|"
        "this shows|this proves|which proves|the point is|the fact is|it is wrong|it is right|it is necessary|"
        "it is important|it is unfair|is justified|is unjust|there is no reason|for this reason|for these reasons|"
        "that is why|this is why|so we|accordingly|overall|ultimately|should be|should not be|must be|must not be",
    ),
    "premise": (
        "premise markers",
        "because|since|given that|due to|owing to|as shown by|in light of|on the grounds that|the reason is|"
        "the reason being|after all|for one thing|first of all|firstly|secondly|thirdly|furthermore|moreover|"
        "in addition|additionally|also|besides|what is more|not only|in fact|indeed|as long as|considering that",
    ),
    "contrast": (
        "contrast markers",
        "however|but|although|though|even though|despite|in spite of|nevertheless|nonetheless|yet|whereas|while|"
        "on the other hand|on the contrary|by contrast|in contrast|instead|rather than|still|even if|conversely|"
        "admittedly|regardless",
    ),
    "causal": (
        "causal markers",
        "because of|cause|causes|caused|causing|lead to|leads to|led to|leading to|result in|results in|resulted in|"
        "resulting in|so that|in order to|allows|enables|prevents|creates|increases|reduces|reduce|increase|harms|"
        "helps|makes it|brings about|contributes to|if we|would mean|otherwise|thereby|encourages|discourages",
    ),
    "evidence": (
        "evidence markers",
        "according to|study|studies|research|researchers|survey|statistics|statistic|data|evidence|report|reports|"
        "reported|experts|scientists|professor|found that|shows that|show that|showed that|demonstrates|estimated|"
        "for example|for instance|such as|e.g.|percent|per cent|poll|university|journal|published|case of|average",
    ),
    "modal": (
        "modal verbs of obligation and possibility",
        "should|must|ought|shall|would|could|can|might|may|need to|needs to|have to|has to|will",
    ),
    "hedge": (
        "hedges",
        "perhaps|maybe|possibly|probably|likely|unlikely|seems|seem|appears|suggests|sort of|kind of|somewhat|"
        "in general|generally|usually|often|sometimes|arguably|presumably|tend to|tends to|i guess|about|roughly",
    ),
    "negation": (
        "negations",
        "not|no|never|none|nothing|nobody|neither|nor|nowhere|without|n't|hardly|barely",
    ),
    "first_person": ("first person", "i|me|my|mine|myself|we|us|our|ours|ourselves"),
    "second_person": ("second person", "you|your|yours|yourself|yourselves|u|ur"),
    "dangling": (
        "words that point outside the sentence",
        "this|these|those|he|she|they|it|him|her|them|his|their|its|above|below|aforementioned|former|latter",
    ),
    "profanity": (
        "profanity and insults",
        "damn|damned|crap|crappy|shit|bullshit|fuck|fucking|fucked|ass|asshole|bitch|bastard|hell|wtf|stfu|idiot|"
        "idiots|idiotic|stupid|moron|morons|dumb|dumbass|retard|retarded|loser|sucks|lame|pathetic",
    ),
    "meta_talk": (
        "talk about the debate itself",
        "opponent|opponents|my adversary|vote for me|please vote|voters|first round|second round|third round|"
        "final round|last round|next round|acceptance|i accept|this debate|the debate|resolution|"
        "burden of proof|bop|forfeit|forfeited|forfeits|forfeiture|extend all|extend my|rebuttal|rebuttals|"
        "refute|refuted|contention|contentions|my argument|my arguments|my case|my side|good luck|thank my|"
        "thanks to my|thank you for|cross examination|instigator|contender|dropped|concede|conceded|conduct|"
        "debate.org|ddo|as pro|as con|pro side|con side|will be arguing|i will argue|welcome to|"
        "looking forward|side proposition|side opposition|the proposition|the opposition|point of information|"
        "this house|sources|source",
    ),
}
"""Marker -> (what it is, phrases). One place to add a marker: it becomes a feature by itself."""

MARKED_PATTERNS: dict[str, tuple[str, list[list[dict[str, Any]]]]] = {
    "meta_talk": (
        PHRASES["meta_talk"][0],
        [
            [{"LOWER": "round"}, {"LIKE_NUM": True}],
            [{"LOWER": "r"}, {"LIKE_NUM": True}],
            [
                {"LOWER": "vote"},
                {"LOWER": {"IN": ["for", "a"]}, "OP": "?"},
                {"LOWER": {"IN": ["pro", "con", "aff", "neg"]}},
            ],
        ],
    ),
    "question": ("question marks", [[{"ORTH": "?"}]]),
    "exclamation": ("exclamation marks", [[{"ORTH": "!"}]]),
    "url": ("links", [[{"LIKE_URL": True}]]),
    "reference": (
        "numbered or author-year references",
        [
            [{"ORTH": "["}, {"LIKE_NUM": True}, {"ORTH": "]"}],
            [
                {"ORTH": "("},
                {"IS_TITLE": True, "OP": "+"},
                {"LOWER": {"IN": ["et", "and", "&"]}, "OP": "?"},
                {"LOWER": {"IN": ["al", "al."]}, "OP": "?"},
                {"IS_TITLE": True, "OP": "*"},
                {"ORTH": ",", "OP": "?"},
                {"SHAPE": "dddd"},
            ],
        ],
    ),
    "number": ("numbers", [[{"LIKE_NUM": True}]]),
    "quotation": ("quotation marks", [[{"IS_QUOTE": True}]]),
}


@cache
def _matchers() -> tuple[Any, Any, Any]:
    """The tokenizer, the phrase matcher and the pattern matcher; built once a process."""
    import spacy
    from spacy.matcher import Matcher, PhraseMatcher

    nlp = spacy.blank("en")
    phrases = PhraseMatcher(nlp.vocab, attr="LOWER")
    for marker, (_, listed) in PHRASES.items():
        phrases.add(marker, [nlp.tokenizer(phrase) for phrase in listed.split("|")])
    patterns = Matcher(nlp.vocab)
    for marker, (_, rules) in MARKED_PATTERNS.items():
        patterns.add(marker, rules)
    return nlp, phrases, patterns


MARKERS = {name: description for table in (PHRASES, MARKED_PATTERNS) for name, (description, _) in table.items()}


def mark(texts: list[str]) -> dict[str, FloatArray]:
    """(n_texts,) places a marker, plus shouted words, by name."""
    nlp, phrases, patterns = _matchers()
    names = {nlp.vocab.strings[name]: column for column, name in enumerate(MARKERS)}
    counts = np.zeros((len(texts), len(MARKERS)))
    shouted = np.zeros(len(texts))
    for row, text in enumerate(texts):
        document = nlp.tokenizer(text)
        for matcher in (phrases, patterns):
            for key, _, _ in matcher(document):
                counts[row, names[key]] += 1
        capitals = [len(w) > 2 and w.isupper() and w.isalpha() for w in text.split()]
        shouted[row] = sum(capitals) / len(capitals) if capitals else 0
    return dict(zip(MARKERS, counts.T, strict=True)) | {"shouting": shouted}


def _marked(marker: str) -> Callable[[Texts], FloatArray]:
    return lambda texts: np.minimum(texts.shared("markers", mark)[marker], 10)


for _name, _description in MARKERS.items():
    feature(
        "text",
        name=_name,
        group="argumentativeness",
        unit="places",
        range=(0, 10),
        description=f"{_description} in the sentence, at most 10",
        source="spaCy Matcher and PhraseMatcher",
    )(_marked(_name))


@feature("text", group="argumentativeness", unit="share", range=(0, 1), description="share of words in capitals")
def shouting(texts: Texts) -> FloatArray:
    """Words of three letters or more, all capitals."""
    return texts.shared("markers", mark)["shouting"]


@feature(
    "text",
    group="argumentativeness",
    unit="flag",
    range=(0, 1),
    description="the sentence begins with a word that points back (this, he, therefore, but ...)",
)
def opens_dangling(texts: Texts) -> FloatArray:
    """A reader without the sentence before it is lost."""
    return np.array([_first_word(text) in _BACKWARD for text in texts.texts], np.float64)


_BACKWARD = frozenset(
    "this that these those he she they it him her them his their its such therefore thus hence so but and or yet "
    "however moreover furthermore also then secondly thirdly finally another instead consequently".split()
)


def _first_word(text: str) -> str:
    start = text.lstrip("\"'([ \t\n-*•").split(None, 1)
    return start[0].strip(".,;:!?\"')").lower() if start else ""
