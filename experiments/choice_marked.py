"""Arguments in which people marked the two sentences that carry the gist: `experiments.choice` measures on them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ltr.errors import InputError

if TYPE_CHECKING:
    from ltr.index import Index
    from ltr.matrix import Matrix
    from models.base import Scores


def read_gist(path: Path, index: Index) -> list[dict[str, Any]]:
    """The marked arguments that the corpus holds; none without the file. Raises InputError."""
    items = []
    for number, line in enumerate(path.read_bytes().splitlines() if path.is_file() else [], 1):
        if not line.strip():
            continue
        try:
            item = json.loads(line)
            items.append({key: item[key] for key in ("id", "topic", "query", "gist")})
        except (ValueError, TypeError, KeyError):
            mend = "write id, topic, query and gist as a JSON object"
            raise InputError(f"{path} line {number}", "is no marked argument", mend) from None
    held = index.argument_rows([item["id"] for item in items])
    return [item | {"row": held[item["id"]]} for item in items if item["id"] in held]


def described(index: Index, marked: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], Matrix]]:
    """Each marked argument with the pairs inside it: it is its own candidate list, for the query it was found with."""
    from ltr.candidates import TermCache, within_argument
    from ltr.matrix import Matrix
    from ltr.pipeline import describe_candidates

    cache = TermCache(index)
    for item in marked:
        query = index.analyzer.distinct(item["query"])
        candidates = within_argument(index, item["row"], query, cache, each=1000)
        if len(candidates):
            yield item, Matrix([describe_candidates(index, item["id"], item["query"], query, candidates, cache)])


def share_found(item: Mapping[str, Any], matrix: Matrix, scores: Scores) -> float:
    """Share of the marked sentences that are in the best pair."""
    import numpy as np

    best = int(np.argmax(np.round(scores, 9)))  # rows are sorted by id: ties go to the lowest
    return len(set(item["gist"]) & {matrix.first[best], matrix.second[best]}) / 2


def measure_marked(
    index: Index, marked: Sequence[Mapping[str, Any]], weights: Mapping[str, Mapping[str, float]]
) -> dict[str, list[float]]:
    """Way -> share of the marked sentences in the best pair, by argument; as in `experiments.effectiveness`."""
    from models.choice import representativeness

    found: dict[str, list[float]] = {name: [] for name, signs in weights.items() if signs}
    for item, matrix in described(index, marked):
        for name, hits in found.items():
            hits.append(share_found(item, matrix, representativeness(matrix.features, matrix.units, weights[name])))
    return found
