"""Every readability formula against textstat's own function.

textstat counts sentences by their marks where we know them from the corpus, so texts are compared for
which both say one. Its formulas count difficult words with repetitions, as ours do. Two of its rules are
not ours, and such texts are left out: it divides characters by words and lone marks ("a - b"), and it
gives 0 for a text in which no word has a syllable ("Hmm").
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.tables import CORPUS, make_context
from textstat import textstat
from textstat.backend.counts import count_difficult_words

from features.content.readability import (
    COUNTS,
    coleman_liau_index,
    count,
    count_words,
    dale_chall_score,
    flesch_kincaid_grade,
    smog_index,
)
from features.core.describe import describe
from features.core.feature import FEATURES
from features.core.tables import Texts

FORMULAS = {
    "flesch_kincaid": flesch_kincaid_grade,
    "smog": smog_index,
    "coleman_liau": coleman_liau_index,
    "dale_chall": dale_chall_score,
}
THEIRS = {
    "flesch_kincaid": textstat.flesch_kincaid_grade,
    "smog": textstat.smog_index,
    "coleman_liau": textstat.coleman_liau_index,
    "dale_chall": textstat.dale_chall_readability_score,
}
SENTENCES = (
    "The cat sat on the mat",
    "Nuclear energy is comparatively affordable and extraordinarily reliable",
    "I don't think they can't do it, and I won't say we shouldn't",
    "I don’t think they can’t do it",
    "The O'Neill family's dog isn't ours",
    "Rock 'n' roll is dead, they say",
    "'Quoted' words and ''doubled'' marks stay words",
    "Between 1990 and 2014 it fell by 12 percent of 35 billion",
    "Éducation naïve in a café is a cliché, señor",
    "学校の制服 is a school uniform in Japanese",
    "Over-the-counter medicines are well-known and state-of-the-art",
    "Why",
    "Yes (no) [maybe] {perhaps}; however: therefore, thus",
    "ABSOLUTELY NOBODY UNDERSTANDS BUREAUCRACY",
    "a b c d e f g",
    "the_underscore stays in a word",
    "Semicolons; commas, dashes—and slashes/slashes do not end it",
    "Money money money is responsible for irresponsible irresponsible behaviour",
    "Tabs\tand\nnew lines\xa0separate words",
)
WORDS = "the a don't it's won't O'Neill rock'n'roll 2014 3,5 naïve café 制服 responsibility people's dogs' "
WORDS += "animals well-known (therefore) “quoted” energy, understanding; US I because beautiful is [1] 'tis ' - &"


def ours(name: str, text: str) -> float:
    """A formula of one sentence."""
    return float(FORMULAS[name](count([text]), 1)[0])


@pytest.mark.parametrize("name", FORMULAS)
def test_formula_is_textstats(name: str):
    for text in SENTENCES:
        assert textstat.sentence_count(text) == 1
        assert ours(name, text) == pytest.approx(THEIRS[name](text), abs=1e-9), text


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(WORDS.split()), min_size=1, max_size=20).map(" ".join))
def test_formulas_are_textstats_for_any_words(text: str):
    assume(textstat.sentence_count(text) == 1)
    assume(textstat.lexicon_count(text) == len(text.split()))
    assume(textstat.syllable_count(text) > 0)
    for name, theirs in THEIRS.items():
        assert ours(name, text) == pytest.approx(theirs(text), abs=1e-9), name


@pytest.mark.parametrize("text", SENTENCES)
def test_counts_are_textstats(text: str):
    found = {name: int(values[0]) for name, values in count([text]).items()}
    assert found == {
        "words": textstat.lexicon_count(text),
        "syllables": textstat.syllable_count(text),
        "letters": textstat.letter_count(text),
        "characters": textstat.char_count(text),
        "polysyllables": textstat.polysyllabcount(text),
        "hard_words": count_difficult_words(text, "en_US", 3),
        "unfamiliar_words": count_difficult_words(text, "en_US", 0),
    }


@given(st.text(max_size=40))
def test_words_alone_are_those_of_the_counts(text: str):
    assert count_words([text]).tolist() == count([text])["words"].tolist()


def test_formulas_by_hand():
    # "Dogs are irresponsible animals": words 4, syllables 1 + 1 + 5 + 3 = 10, letters and characters
    # 4 + 3 + 13 + 7 = 27, polysyllables 2. On the Dale-Chall list stand "are" and, as textstat does not
    # undo inflection, not "dogs", "animals"; so 3 words are unfamiliar (75%), 2 of them hard.
    found = {name: ours(name, "Dogs are irresponsible animals") for name in FORMULAS}
    assert found == pytest.approx(
        {
            "flesch_kincaid": 0.39 * 4 + 11.8 * 10 / 4 - 15.59,
            "smog": 1.043 * np.sqrt(30 * 2) + 3.1291,
            "coleman_liau": 0.058 * 100 * 27 / 4 - 0.296 * 100 * 1 / 4 - 15.8,
            "dale_chall": 0.1579 * 75 + 0.0496 * 4 + 3.6365,
        }
    )


def test_no_words_score_zero():
    for name in FORMULAS.keys() - {"smog"}:
        assert FEATURES.find(name).compute(Texts(["", " ", "?!"])).tolist() == [0, 0, 0]


def test_pairs_score_the_summed_counts_as_two_sentences():
    context = make_context()
    matrix = describe(context)
    texts = [text for source in CORPUS for text in source.texts]
    counts = count(texts)
    for row, (i, j) in enumerate(zip(context.pairs.first, context.pairs.second, strict=True)):
        both = {name: np.array([counts[name][i] + counts[name][j]]) for name in COUNTS}
        assert matrix["n_words_pair"][row] == both["words"][0]
        for name in ("smog", "coleman_liau"):
            expected = FORMULAS[name](both, 2)[0] if both["words"][0] else 0
            assert matrix[f"{name}_pair"][row] == pytest.approx(expected, rel=1e-5, abs=1e-5), (name, i, j)
