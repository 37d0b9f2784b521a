"""The model card of a model folder, written from its manifest: what it learned from, how well, and what it is not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from features.core.feature import all_columns
from ltr.escapes import escaped

CARD = "MODEL_CARD.md"
OF_HEAD = "head-"
"""Before the name of a dimension: its ranker of the second step."""

_LIMITS = (
    "Features know English alone, and the model its corpus: of other languages and genres nothing is known.",
    "A grade is what readers preferred. Nothing checks whether an argument is true, or fair.",
    "Figures are means of the topics that are named: differences inside the intervals say nothing.",
    "Topics that the model was trained on are no fair test of it.",
)

_HEAD = ("| ranker | nDCG@5 | judged@5 | condensed nDCG@5 |", "|---|---|---|---|")


def model_card(manifest: Mapping[str, Any]) -> str:
    """The card as Markdown; it leaves out what is not in the manifest."""
    task, checked = manifest["task"], manifest.get("cross_validation", {})
    blend, by_reader = manifest["blend"], "the reader's grades, by these weights"
    weights = sorted({**blend["weights"], by_reader: blend.get("reading", 0)}.items(), key=lambda item: -item[1])
    lines = [
        f"# Model card: {task}",
        "",
        f"A model of `--task {task}`; a score is the weighted sum of "
        + ", ".join(f"{name} ({weight:g})" for name, weight in weights if weight)
        + ".",
        "`riposte train` wrote this card from `manifest.json`.",
        *("", "## What it learned from", "", *_data(manifest)),
        *("", "## What it is", "", *_rankers(manifest)),
    ]
    if figures := checked.get("figures"):
        lines += ["", "## How well it ranks topics that it has not seen", ""]
        measures = checked.get("measures", "")
        lines += [f"By cross-validation over topics: {measures}. In brackets 95% t intervals over topics."]
        if any(map(_of_votes, figures)):
            lines += ["Tables of votes say how well the rankers repeat votes that they did not see: nobody judged."]
        lines += ["The row *first step* is the blend without the encoder."] if "encoder" in manifest else []
    for name, table in (figures or {}).items():
        topics = max(row["full"]["topics"] for row in table.values())  # the same in every row
        lines += ["", f"### {name}, {topics} topics", "", *_HEAD]
        for ranker, row in sorted(table.items(), key=lambda item: (-item[1]["full"]["mean"], item[0])):
            full, condensed = (
                "{mean:.3f} [{low:.3f}, {high:.3f}]".format_map(row[name]) for name in ("full", "condensed")
            )
            lines.append(f"| {ranker} | {full} | {row['judged']['mean']:.2f} | {condensed} |")
    return "\n".join([*lines, "", "## What it is not", "", *(f"* {limit}" for limit in _LIMITS), ""])


def _data(manifest: Mapping[str, Any]) -> Iterator[str]:
    data, folds = manifest["data"], manifest.get("cross_validation", {}).get("folds", [])
    if corpus := data.get("corpus"):
        size = f"{corpus['arguments']:,} arguments, {corpus['sentences']:,} sentences"
        yield f"* corpus: {size}, SHA-256 {corpus['fingerprint'][:16]}"
    if data.get("topics"):
        number = f"{sum(map(len, folds))} topics of " if folds else ""
        yield f"* topics: {number}{_names(data['topics'])}"
    for kind, files in data.get("qrels", {}).items():
        yield f"* {'' if _of_votes(kind) else 'judgments of '}{kind}: {_names(files)}"
    for dimension, counts in manifest.get("labels", {}).items():
        shown = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)
        yield f"* labels of {dimension}: {shown or 'none'}"


def _of_votes(name: str) -> bool:
    """Whether a set of judgments, by its name from `ltr.learning.judgments.JudgedSet`, is of votes."""
    return name.startswith("votes of ") or " (votes), " in name


def _names(files: Iterable[str]) -> str:
    """Names of files as Markdown shows them: no tags, and nothing that cannot be seen."""
    return ", ".join(escaped(file).replace("<", "\\<") for file in files)


def _rankers(manifest: Mapping[str, Any]) -> Iterator[str]:
    for name, ranker in manifest["rankers"].items():
        parameters = ranker["parameters"]
        objective = parameters["objective"] + (f", {parameters['trees']} trees" if "trees" in parameters else "")
        dimension = name.removeprefix(OF_HEAD) + (" in the head" if name.startswith(OF_HEAD) else "")
        yield f"* {dimension}: {ranker['ranker']}, objective {objective}, {len(ranker['inputs'])} inputs"
    if encoder := manifest.get("encoder"):
        known = all_columns()
        of_head = [name for name in manifest["features"] if name in known and known[name].needs_encoder]
        read = [name for name in of_head if not known[name].needs_reader]
        name = f"{_names([encoder['name']])} ({encoder['digest'][:16]}) as well: {', '.join(read) or 'nothing'}"
        yield f"* head: the best candidates of each topic, described with the encoder {name}"
    if dropped := manifest.get("dropped"):
        yield f"* without the features {', '.join(dropped)}"
    if versions := manifest.get("versions"):
        yield f"* made with {', '.join(f'{name} {version}' for name, version in versions.items())}"
    if top := manifest.get("cross_validation", {}).get("relevance_of_top_five"):
        means = f"{top['expected']:.2f} expected, {top['graded']:.2f} graded, of 2"
        yield f"* relevance of the five best, mean of {top['topics']} held-out topics: {means}"
