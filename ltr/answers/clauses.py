"""Questions with two parts: the first one is answered, since the sides of both are seldom the same."""

from __future__ import annotations

import re

_FIRST = r"(?:should|would|will|could|can|must|ought|may|do|does|did|is|are|was|were|has|have|had)\b"
_SUBJECT = r"(?:it|they|he|she|we|you|i|there|people)\b"
_PARTS = re.compile(
    rf"(?P<first>{_FIRST}.*?\w)[,;?]?\s+(?:and|or|but)\s+(?:if (?:so|not),?\s+)?"
    rf"(?P<rest>(?:(?:should|would|does)\b|(?:do|did|is|are|was|were|will|can|could|must|ought)\s+(?={_SUBJECT})).*\w)",
    re.IGNORECASE,
)
"""The second part begins as a question does, and with its subject where the verb may go on with the first part."""
FEWEST = 3
"""Words of a part."""


def first_part(question: str) -> tuple[str, str]:
    """The first of two questions in one, and the other; the question and nothing if it is one.

    >>> first_part("Should cannabis be legalised, and should it be taxed?")
    ('Should cannabis be legalised?', 'Should it be taxed?')
    >>> first_part("Should parents stay home and do the housework?")[1]
    ''
    >>> first_part("Should people who read and can write vote?")
    ('Should people who read and can write vote?', '')
    """
    found = _PARTS.match(question)
    if found is None or min(len(part.split()) for part in found.groups()) < FEWEST:
        return question, ""
    rest = found["rest"]
    return f"{found['first']}?", f"{rest[0].upper()}{rest[1:]}?"
