"""TARGER: claims and premises of a text, tagged by a server.

Chernodub et al. 2019, "TARGER: Neural Argument Mining at Your Fingertips", https://doi.org/10.18653/v1/P19-3031.
"""

from __future__ import annotations

from ltr.remote.answers import AnswerError, member, parse_list
from ltr.remote.cache import Request
from ltr.remote.client import Client

_KINDS = {"claim_share": ("C", "MC"), "premise_share": ("P", "MP")}  # MC and MP in models of essays


class Targer:
    """One TARGER model; the client has its address, as in ``https://example.org/targer-api/tag-ibm-fasttext``."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def describe(self, text: str) -> dict[str, float]:
        """Shares of words in claims and in premises, each from 0 to 1. Raises InputError."""
        labels = self._client.ask(Request("", text, "text/plain"), _labels) if text.strip() else []
        kinds = [label.partition("-")[0] for label in labels]
        return {
            name: round(sum(kind in wanted for kind in kinds) / max(len(kinds), 1), 6)
            for name, wanted in _KINDS.items()
        }


def _labels(answer: str) -> list[str]:
    """One label per word: ``C-B``, ``C-I``, ``P-B``, ``P-I``, or ``O`` for neither claim nor premise."""
    labels = []
    for place, sentence in enumerate(parse_list(answer), 1):
        if not isinstance(sentence, list) or not all(isinstance(word, dict) for word in sentence):
            raise AnswerError(f"sentence {place} is not a list of tagged words")
        labels += [member(word, "label", str, f"a word of sentence {place}") for word in sentence]
    return labels
