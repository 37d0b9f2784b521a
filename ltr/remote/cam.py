"""CAM, the comparative argumentative machine: two objects compared by sentences of the Common Crawl.

Schildwächter et al. 2019, "Answering Comparative Questions: Better than Ten-Blue-Links?",
https://doi.org/10.1145/3295750.3298916.
"""

from __future__ import annotations

from urllib.parse import urlencode

from ltr.remote.answers import AnswerError, member, number, parse_object, text
from ltr.remote.cache import Request
from ltr.remote.client import Client


class Cam:
    """Comparisons by a server, whose client has the address of the interface, as in ``https://example.org/cam``."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def first_share(self, first: str, second: str) -> float:
        """The first object's share of all points, from 0 to 1; a half where there are none. Raises InputError."""
        asked = {"model": "default", "fs": "false", "objectA": first, "objectB": second}
        points = self._client.ask(Request(f"?{urlencode(asked)}"), lambda answer: _points(answer, second))
        return round(points[0] / sum(points), 6) if sum(points) > 0 else 0.5


def _points(answer: str, second: str) -> tuple[float, float]:
    """Points in the order of the question: a server may put the winner first."""
    fields = parse_object(answer)
    found = []
    for name in ("object1", "object2"):
        side = member(fields, name, dict, "the answer")
        points = number(side, "totalPoints", name)
        if points is None or points < 0:
            raise AnswerError(f"'totalPoints' of {name} is no number from 0")
        found.append((text(side, "name", name).casefold() == second.casefold(), points))
    (turned, one), (in_order, two) = found
    return (two, one) if turned and not in_order else (one, two)
