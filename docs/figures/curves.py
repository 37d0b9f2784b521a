"""Measure what drawings show: the line of the blend by people, and expected grades beside those that were given.

``python docs/figures/curves.py --collection DIR --data DIR --json FILE``; `make.py` runs it, `drawings.py` draws.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from experiments.human.command import mean_over
from experiments.human.sets import read_sets
from experiments.human.study import graded_set, values_of
from ltr.data.ids import parts_of
from ltr.data.qrels import read_pair_qrels
from ltr.data.topics import read_topics
from ltr.files import json_text, write_all
from ltr.model_folder.choice import load_model
from ltr.parallel import Workers
from ltr.progress import Progress
from ltr.ranking.corpus import IndexedCorpus
from ltr.ranking.source import Resources
from ltr.ranking.task import find_task
from ltr.text_models.reader import expected_grades
from models.base import DIMENSIONS
from models.blend import Blend

GRADED = Path(__file__).resolve().parents[2] / "ltr" / "learning" / "graded"
TESTS = ("narrow-test", "unseen")
"""Graded sets that the reader has not learned from."""
LINE = ((0.5, 0.3), (0.7, 0.4), (0.95, 0.55), (1.2, 0.7), (1.45, 0.85), (1.7, 1.0), (2.1, 1.25))
"""Weights of quality and coherence beside 1 of relevance."""
BINS = 8
"""Equal parts of the scale."""
PAIRS = "pairs"


def points(blend: Blend) -> Iterator[tuple[str, Blend]]:
    """The blend with the weights of `LINE`, without the reader and with it."""
    for share in (0.0, blend.reading):
        for quality, coherence in LINE:
            weights = dict(zip(DIMENSIONS, (1.0, quality, coherence), strict=True))
            yield f"{quality:g} {share:g}", replace(blend.reweighted(weights), reading=share)


def people(collection: Path, data: Path, resources: Resources) -> dict[str, dict[str, float]]:
    """Point of the line -> dimension -> the mean over the sets that trained nothing."""
    task = find_task(PAIRS)
    model = load_model(task, progress=resources.progress)
    found: dict[str, dict[str, list[Mapping[str, float]]]] = {}
    for judged in read_sets(collection, data, None):
        if PAIRS not in judged.tasks or PAIRS in judged.seen:
            continue
        with TemporaryDirectory() as folder:
            known, table = graded_set(judged, task, model, model.blend.columns, resources, Path(folder))
            for name, blend in points(model.blend):
                values = values_of(known, table, [blend.score(table)])
                found.setdefault(name, {}).setdefault(judged.dimension, []).append(values)
    return {name: {one: mean_over(sets).mean for one, sets in of.items()} for name, of in found.items()}


def reliability(collection: Path, resources: Resources) -> dict[str, dict[str, list[list[float]]]]:
    """Set -> dimension -> mean expected grade, mean grade and number of pairs of each of the `BINS` that has some."""
    index = IndexedCorpus.open(find_task(PAIRS), collection).open_index(resources)
    drawn: dict[str, dict[str, list[list[float]]]] = {}
    for name in TESTS:
        titles = {topic.number: topic.title for topic in read_topics(GRADED / f"topics-{name}.xml")}
        qrels = read_pair_qrels((one, GRADED / f"pairs-{name}-{one}.qrels") for one in DIMENSIONS)
        rows = []
        for topic, graded in qrels["relevance"].items():
            known = index.find_sentences([part for pair in graded for part in parts_of(pair)])
            ids = [pair for pair in graded if all(part in known for part in parts_of(pair))]
            texts = [(index.text(known[a]), index.text(known[b])) for a, b in map(parts_of, ids)]
            grades = [[qrels[one][topic][pair] for one in DIMENSIONS] for pair in ids]
            rows.append(np.stack([expected_grades(index.folder, titles[topic], texts), np.array(grades)]))
        expected, given = np.concatenate(rows, axis=1).astype(float)
        bins = np.minimum((expected / 2 * BINS).astype(int), BINS - 1)
        for column, one in enumerate(DIMENSIONS):
            parts = [bins[:, column] == part for part in np.unique(bins[:, column])]
            found = [[expected[part, column].mean(), given[part, column].mean(), int(part.sum())] for part in parts]
            drawn.setdefault(name, {})[one] = found
    return drawn


def main(argv: list[str] | None = None) -> None:
    """Measure, and write the figures."""
    parser = argparse.ArgumentParser(prog="curves.py", description=__doc__)
    for name in ("collection", "data", "json"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    options = parser.parse_args(argv)
    resources = Resources(Workers(1), Progress(quiet=True))
    figures: dict[str, Any] = {"reliability": reliability(options.collection, resources)}
    figures["people"] = people(options.collection, options.data, resources)
    write_all({options.json: json_text(figures)})


if __name__ == "__main__":
    main()
