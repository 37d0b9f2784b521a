"""The answer to a question: the results of each side with what people are shown of them, and the points they make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from html import escape
from typing import Any

from ltr.answers.points import Point
from ltr.answers.select import COUNTED
from ltr.data.ids import join_parts
from ltr.escapes import clean


@dataclass(frozen=True)
class Snippet:
    """A sentence, the premises of an argument, or a document, and its source."""

    id: str
    text: str
    """In the corpus's own words."""
    shown: str
    """The text without debris at its ends."""
    before: str
    """The sentence before it in its argument, where it points back to that and the result does not have it."""
    role: str
    """premise, conclusion, argument or document"""
    place: int
    """Position among the argument's sentences of that role, from 1."""
    of: int
    argument: str
    conclusion: str
    stance: str | None
    debate: str
    """Title of the debate, or of the page; may be empty."""
    url: str = ""
    """Address of the source on the web; may be empty."""


@dataclass(frozen=True)
class Result:
    """A pair or an argument, with its rank and score in the whole list."""

    rank: int
    stance: str
    score: float
    sentences: tuple[Snippet, ...]
    grades: Mapping[str, float] = field(default_factory=dict)
    """Dimension -> expected grade, in [0, 2], and the score of each baseline in the blend; empty without a blend."""
    why: str = ""
    """One line that says where a side toward the question comes from, else empty."""
    weak: bool = False
    """Whether it is hardly worth showing: it is folded away."""
    alike: tuple[str, ...] = ()
    """Ids of near-duplicates that it stands for."""
    point: int | None = None
    """Number of the point that it makes; None for weak results, and for documents."""
    likely: bool = False
    """Whether its side toward the question is only likely."""

    @property
    def id(self) -> str:
        """The id in a run."""
        return join_parts(sentence.id for sentence in self.sentences)


@dataclass(frozen=True, repr=False)
class Answer:
    """The results for a question."""

    question: str
    results: list[Result]
    """Best first."""
    expected: float | None
    """Mean expected relevance of the five best results, in [0, 2]; None where the model does not estimate it."""
    candidates: int
    """Number of candidates that were ranked."""
    groups: list[tuple[str, str]]
    """Sides in the order to show them, each with its heading; the side of all others is ""."""
    counts: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Side of ``groups`` -> its texts on the matter, shown or not, `COUNTED` in all; those whose side is likely."""
    points: list[Point] = field(default_factory=list)
    """The key points of the results worth showing, in the order to show them."""
    note: str = ""
    """A line where the corpus has little on the question, else empty."""
    toward: str | None = None
    """Whether stances are toward the "question" or the "conclusion" of an argument; None: there are none."""
    headings: Mapping[str, str] = field(default_factory=dict)
    """Stance -> heading of its side."""
    spelled: str = ""
    """The question as it was typed, where ``question`` has the corrected spelling that was searched."""
    ask: str = ""
    """Conclusion of a debate whose sides are not sure: a person can say whether it is what is asked."""

    @property
    def sides_known(self) -> str:
        """How many texts on the matter take each side; empty without any, and for sides toward a conclusion."""
        every, parts = sum(count for count, _ in self.counts.values()), list[str]()
        for place, (side, heading) in enumerate(self.groups):
            count, likely = self.counts.get(side, (0, 0))
            note = f" ({'all ' * (count > 1) if likely == count else f'{likely} '}likely only)" if likely else ""
            number = count or ("no texts" if place else "No texts")
            parts += [f"{number} {heading[:1].lower()}{heading[1:]}{note}"] if count or place < 2 else []
        best = f"Of the best {every}: " if every >= COUNTED else ""
        return f"{best}{', '.join(parts)}." if every and self.toward != "conclusion" else ""

    @property
    def sides(self) -> dict[str, list[Result]]:
        """Heading -> results, best first."""
        shown = [(side_group(result.stance, self.groups), result) for result in self.results]
        return {heading: [result for own, result in shown if own == side] for side, heading in self.groups}

    def document(self, corpus: str, model: str) -> dict[str, Any]:
        """The answer as JSON has it; ``corpus`` and ``model`` name what was searched and what ranked."""
        results = [asdict(result) for result in self.results]
        for result in results:
            result["scores"] = result.pop("grades")
        return {
            "question": self.question,
            "spelled": self.spelled,
            "corpus": corpus,
            "model": model,
            "expected_relevance": self.expected,
            "note": self.note,
            "sides_known": self.sides_known,
            **({"ask": self.ask} if self.toward == "question" else {}),
            **({"sides": self.toward} if self.toward else {}),
            **({"headings": dict(self.headings)} if self.headings else {}),
            "points": [asdict(point) for point in self.points],
            "results": results,
        }

    def __repr__(self) -> str:
        lines = [" ".join(filter(None, [self.question, self.note]))]
        for heading, results in self.sides.items():
            worth = [result for result in results if not result.weak]
            rest = len(results) - len(worth)
            texts = (f"{result.rank}. {' '.join(one.shown for one in result.sentences)}" for result in worth)
            lines += [*[heading][: len(results)], *texts, *[f"{rest} weaker result{'s' * (rest > 1)}"][:rest]]
        return "\n".join(map(clean, lines))

    def _repr_html_(self) -> str:
        """A table for notebooks, of the results worth showing."""
        rows = [("side", "rank", "text", "id", "scores; expected grades are from 0 to 2")]
        for heading, result in ((heading, one) for heading, some in self.sides.items() for one in some if not one.weak):
            scores = ", ".join(f"{name} {score:.2f}" for name, score in result.grades.items())
            text = " ".join(one.shown for one in result.sentences)
            rows.append((heading, str(result.rank), text, result.id.replace(",", " "), scores))
        lines = ("".join(f"<td style='text-align:left'>{escape(clean(cell))}</td>" for cell in row) for row in rows)
        caption = escape(clean(" ".join(filter(None, [self.question, self.note]))))
        return f"<table><caption>{caption}</caption>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def side_group(stance: str, groups: Sequence[tuple[str, str]]) -> str:
    """The side of ``groups`` that a result of this stance is shown under."""
    return stance if stance in dict(groups) else ""
