"""The model card of a model folder, written from its manifest: what it learned from, how well, and what it is not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ltr.escapes import escaped

CARD = "MODEL_CARD.md"

_SUPERVISION = {
    "graded": "grades of what is ranked",
    "distant": "judgments of arguments that pairs inherit",
    "weak": "votes of labelling functions",
}
_LIMITS = (
    "Features know English alone, and the model its corpus: of other languages and genres nothing is known.",
    "A grade is what readers preferred. Nothing checks whether an argument is true, or fair.",
    "Figures are means of the topics that are named: differences inside the intervals say nothing.",
    "Topics that the model was trained on are no fair test of it.",
)


def model_card(manifest: Mapping[str, Any]) -> str:
    """The card as Markdown; it leaves out what is not in the manifest."""
    return "\n".join(_lines(manifest))


def _lines(manifest: Mapping[str, Any]) -> Iterator[str]:
    task, weights = manifest["task"], manifest["blend"]["weights"]
    yield f"# Model card: {task}"
    yield ""
    yield f"A model of `--task {task}`; a score is the weighted sum of {_sum(weights)}."
    yield "`ltr.train` of Riposte wrote this card from `manifest.json`."
    yield ""
    yield "## What it learned from"
    yield ""
    yield from _data(manifest)
    yield ""
    yield "## What it is"
    yield ""
    yield from _rankers(manifest)
    figures = manifest.get("cross_validation", {}).get("figures", {})
    if figures:
        yield ""
        yield "## How well it ranks topics that it has not seen"
        yield ""
        measures = manifest["cross_validation"].get("measures", "")
        yield f"By cross-validation over topics: {measures}. In brackets 95% t intervals over topics."
        for name, table in figures.items():
            topics = next(iter(table.values()))["full"]["topics"]
            yield ""
            yield f"### {name}, {topics} topics"
            yield ""
            yield from _table(["ranker", "nDCG@5", "judged@5", "condensed nDCG@5"], _rows(table))
    yield ""
    yield "## What it is not"
    yield ""
    yield from (f"* {limit}" for limit in _LIMITS)
    yield ""


def _sum(weights: Mapping[str, float]) -> str:
    return ", ".join(
        f"{name} ({weight:g})" for name, weight in sorted(weights.items(), key=lambda one: -one[1]) if weight
    )


def _data(manifest: Mapping[str, Any]) -> Iterator[str]:
    data, folds = manifest["data"], manifest.get("cross_validation", {}).get("folds", [])
    if corpus := data.get("corpus"):
        size = f"{corpus['arguments']:,} arguments, {corpus['sentences']:,} sentences"
        yield f"* corpus: {size}, SHA-256 {corpus['fingerprint'][:16]}"
    if data.get("topics"):
        number = f"{sum(map(len, folds))} topics of " if folds else ""
        yield f"* topics: {number}{_names(data['topics'])}"
    for kind, files in data.get("qrels", {}).items():
        yield f"* judgments of {kind}: {_names(files)}"
    if sources := [text for name, text in _SUPERVISION.items() if manifest.get("sources", {}).get(name)]:
        yield f"* supervision: {', '.join(sources)}"
    for dimension, counts in manifest.get("labels", {}).items():
        shown = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)
        yield f"* labels of {dimension}: {shown or 'none'}"


def _names(files: Iterable[str]) -> str:
    """Names of files as Markdown shows them: no tags, and nothing that cannot be seen."""
    return ", ".join(escaped(file).replace("<", "\\<") for file in files)


def _rankers(manifest: Mapping[str, Any]) -> Iterator[str]:
    for name, ranker in manifest["rankers"].items():
        parameters = ranker["parameters"]
        objective = parameters["objective"] + (f", {parameters['trees']} trees" if "trees" in parameters else "")
        yield f"* {name}: {ranker['ranker']}, objective {objective}, {len(ranker['inputs'])} inputs"
    if dropped := manifest.get("dropped"):
        yield f"* without the features {', '.join(dropped)}"
    if versions := manifest.get("versions"):
        yield f"* made with {', '.join(f'{name} {version}' for name, version in versions.items())}"
    if top := manifest.get("cross_validation", {}).get("relevance_of_top_five"):
        means = f"{top['expected']:.2f} expected, {top['graded']:.2f} graded, of 2"
        yield f"* relevance of the five best, mean of {top['topics']} held-out topics: {means}"


def _rows(table: Mapping[str, Any]) -> Iterator[list[str]]:
    for ranker, found in sorted(table.items(), key=lambda one: (-one[1]["full"]["mean"], one[0])):
        full, judged, condensed = (found[name] for name in ("full", "judged", "condensed"))
        yield [ranker, _interval(full), f"{judged['mean']:.2f}", _interval(condensed)]


def _interval(found: Mapping[str, float]) -> str:
    return f"{found['mean']:.3f} [{found['low']:.3f}, {found['high']:.3f}]"


def _table(heads: Sequence[str], rows: Iterator[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield "|---" * len(heads) + "|"
    yield from (f"| {' | '.join(row)} |" for row in rows)
