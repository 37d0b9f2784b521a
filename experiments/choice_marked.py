"""Arguments in which people marked the two sentences that carry the gist: `experiments.choice` measures on them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ltr.errors import InputError

if TYPE_CHECKING:
    from ltr.index import Index


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


def measure_marked(
    index: Index, marked: Sequence[Mapping[str, Any]], weights: Mapping[str, Mapping[str, float]]
) -> dict[str, list[float]]:
    """Way -> share of the marked sentences in the best pair, by argument; as in `experiments.effectiveness`."""
    import numpy as np

    from ltr.candidates import TermCache, within_argument
    from ltr.matrix import Matrix
    from ltr.pipeline import describe_candidates
    from models.choice import representativeness

    cache = TermCache(index)
    found: dict[str, list[float]] = {name: [] for name, signs in weights.items() if signs}
    for item in marked:
        query = index.analyzer.distinct(item["query"])
        candidates = within_argument(index, item["row"], query, cache, each=1000)
        matrix = Matrix([describe_candidates(index, item["id"], item["query"], query, candidates, cache)])
        for name, hits in found.items():
            fit = representativeness(matrix.features, matrix.units, weights[name])
            best = int(np.argmax(np.round(fit, 9)))  # rows are sorted by id: ties go to the lowest
            hits.append(len(set(item["gist"]) & {matrix.first[best], matrix.second[best]}) / 2)
    return found
