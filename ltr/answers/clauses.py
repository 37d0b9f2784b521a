"""What a question asks: its first part, whether yes or no can answer it, and one thing in place of another."""

from __future__ import annotations

import re

from features.core.text import negates, words
from ltr.answers.side_words import says_what_to_do, takes_side
from ltr.text_models.reader import affirmed

_OPEN = frozenset("how what which who whom whose where when why".split())
_VERBS = frozenset(
    "should shall must ought is are was were does do did has have had can could may might would will".split()
)
_FIRST = r"(?:should|would|will|could|can|must|ought|may|do|does|did|is|are|was|were|has|have|had)\b"
_SUBJECT = r"(?:it|they|he|she|we|you|i|there|people)\b"
_PARTS = re.compile(
    rf"(?P<first>{_FIRST}.*?\w)(?:[,;?]?\s+(?:and|or|but)\s+(?:if (?:so|not),?\s+)?(?P<rest>(?:(?:should|would|does)\b|"
    rf"(?:do|did|is|are|was|were|will|can|could|must|ought)\s+(?={_SUBJECT})).*\w)|"
    r"[,;?]\s+and\s+(?P<open>(?:why|how|what|when|where|who)\b.*))",
    re.IGNORECASE,
)
"""The second part begins as a question does, and with its subject where the verb may go on with the first part."""
FEWEST = 3
"""Words of the first part."""
_OF = frozenset("of from in at on by with without to against".split())
_BOTH = frozenset("not more less fewer both".split())
_LAST = 4
"""Words before and behind the "or" of a choice, which are the two things."""

_KEYWORDS = 5
"""Words of the longest query that may be keywords."""
_INSTEAD = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"^(?:should )?(?>(?P<other>.*?\w) (?:should )?be replaced) (?:by|with) (?P<first>.*\w)",
        r"^(?:(?:should )?(?:\w+ ){1,3})?replace (?>(?P<other>.*?\w) (?:by|with)) (?P<first>.*\w)",
        r"^(?:should )?(?>(?P<first>.*?\w) (?:should )?replace) (?!(?:its|their|our|his|her)\b)(?P<other>.*\w)",
        r"^(?:should )?(?!(?:is|are) )(?>(?P<first>.*?\w),? (?:instead of|in place of|rather than)) (?P<other>.*\w)",
        r"^(?:is|are|would) (?!(?:it|there|any|no|every)\w*\b)(?>(?P<first>.*?\w) (?<!no )better than) (?P<other>.*\w)",
    )
]
"""One thing in place of another."""
_DOERS = frozenset("we i you they he she it who government state council company nothing there".split())
_BLAME = frozenset("wrong bad mistake cruel oppose right good against plans".split())
"""Words of a question on a replacement, which it does not ask for."""


def first_part(question: str) -> tuple[str, str]:
    """The first of two questions in one, and the other; the question and nothing if it is one.

    >>> first_part("Should cannabis be legalised, and should it be taxed?")
    ('Should cannabis be legalised?', 'Should it be taxed?')
    >>> first_part("Should we keep the bus, and who should pay?")
    ('Should we keep the bus?', 'Who should pay?')
    >>> first_part("Should parents stay home and do the housework?")[1]
    ''
    >>> first_part("Should people who read and can write vote?")
    ('Should people who read and can write vote?', '')
    """
    found = _PARTS.match(question)
    if found is None or len(found["first"].split()) < FEWEST:
        return question, ""
    rest = (found["rest"] or found["open"]).rstrip(" ?!.")
    return f"{found['first']}?", f"{rest[0].upper()}{rest[1:]}?"


def has_sides(question: str) -> bool:
    """Whether a question can be answered by yes or no.

    >>> has_sides("Should cars be banned?"), has_sides("How can we ban cars?"), has_sides("Cars or trams?")
    (True, False, False)
    >>> has_sides("Should judges be elected or appointed?"), has_sides("Should we ban cars or trams?")
    (False, True)
    """
    asked = words(question)
    which = "which" in asked and asked[0] not in _VERBS
    return not (_OPEN & {*asked[:1]} or which or _is_choice(asked, question.rstrip().endswith("?")))


def _is_choice(asked: list[str], ends: bool) -> bool:
    """Whether the words of a question that ``ends`` with a question mark ask for one of two things."""
    place = asked.index("or") if "or" in asked else 0
    near = {*asked[max(place - _LAST, 0) : place + 2]}
    if not place or not ends or near & _BOTH or any(map(str.isdigit, near)) or "yes" in asked:
        return False
    if not _VERBS & {*asked}:
        return not any(map(says_what_to_do, asked))
    of_two = asked[0] == "should" and len(asked) <= place + 1 + _LAST and not near & _OF
    return asked[:3] == ["is", "it", "better"] or (of_two and not any(map(takes_side, asked)))


def is_keywords(question: str) -> bool:
    """Whether a query says only what it is about, not what should be done or is so.

    >>> is_keywords("bullfighting cruelty"), is_keywords("Ban bullfighting"), is_keywords("Is it cruel")
    (True, False, False)
    """
    asked = words(question)
    says = any(word in _VERBS or negates(word) or says_what_to_do(word) for word in asked)
    asks = says or question.rstrip().endswith("?") or len(one_instead(question)) > 1
    return len(asked) <= _KEYWORDS and not asks


def one_instead(question: str) -> list[tuple[str, int]]:
    """What a question asks for, with 1; and what that would replace, with -1, if it says so.

    >>> one_instead("Should trams replace cars?"), one_instead("Cars should not be replaced by trams")
    ([('trams', 1), ('cars', -1)], [('trams', -1), ('Cars', 1)])
    >>> one_instead("Should we replace the monarchy?")
    [('Should we replace the monarchy?', 1)]
    """
    asked, sign = affirmed(question)
    found = next(filter(None, (one.match(asked) for one in _INSTEAD)), None)
    first = words(found["first"]) if found else []
    doer = not first or first[-1] in _DOERS or first[0].isdigit()
    if found is None or doer or any(map(negates, words(asked))) or _BLAME & {*words(asked)}:
        return [(question, 1)]
    return [(found["first"], sign), (found["other"], -sign)]
