"""Why an item is ranked where it is: what each family of features adds to its score, as numbers, words and bars."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import Any

import numpy as np

from ltr.answers.judge import why
from ltr.answers.search import Items
from ltr.answers.sides import TOWARD_QUESTION, Sides
from ltr.data.runs import DECIMALS, STEP, RunRow
from ltr.errors import InputError
from ltr.escapes import clean
from ltr.index.reader import Index
from ltr.ranking.candidates import Candidates
from models.blend import Blend
from models.contributions import contributions, explain_pair

WIDTH, LEAST = 24, 0.005  # characters of the longest bar; smallest change by a family that has a line of its own
TOLERANCE = 1e-4  # largest difference between a run's scores and the model's: another machine rounds differently


@dataclass(frozen=True)
class Explanation:
    """Contributions of families of features to the score of an item, or to its lead over another."""

    document: Mapping[str, Any]
    """The document that ``riposte explain --json`` writes."""

    def text(self, features: int = 3) -> str:
        """The explanation in words and bars, with so many features per family at most."""
        document = self.document
        items = [document["pair"], *([document["against"]] if document["against"] else [])]
        shown = [line for item in items for line in _item_lines(item, document["weights"])]
        head = [clean(document["question"]), f"Ranked by: {clean(document['model'])}.", ""]
        return "\n".join([*head, *shown, "", _lead(document), *_family_lines(document["families"], features)])

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.text())}</pre>"


def _item_lines(item: Mapping[str, Any], weights: Mapping[str, float]) -> list[str]:
    """An item with its texts, the origin of its side, its scores, and what the final list did to it."""
    side = f", {item['side']} toward the question" if "side" in item else ""
    lines = [f"rank {item['rank']}, {clean(item['stance'])}{side}, score {item['score']:.3f}"]
    lines += [f"  {clean(sentence['text'])}  [{clean(sentence['id'])}]" for sentence in item["sentences"]]
    lines += [f"  {clean(item['why'])}"] if item.get("why") else []
    grades = [f"{name} {grade:.2f} (times {weights[name]:g})" for name, grade in item["expected_grades"].items()]
    return [*lines, f"  scores: {', '.join(grades)}", *(f"  {line}" for line in changed(item))]


def _lead(document: Mapping[str, Any]) -> str:
    """How far the item is ahead of another one, or of the mean."""
    rank, against, adds = document["pair"]["rank"], document["against"], document["adds"]
    if against:
        lead = f"{abs(adds):.3f} " + ("ahead of" if adds >= 0 else "behind")
        return f"By its score rank {rank} is {lead} rank {against['rank']}. By family of features:"
    whose = {"head": "the mean score of the best candidates", "rest": "the mean score of the other candidates"}
    start = whose.get(document.get("step", ""), "the topic's mean score")
    return f"From {start}, {document['mean_score']:.3f}, it is {adds:+.3f}. By family of features:"


def _family_lines(families: Sequence[Mapping[str, Any]], features: int) -> list[str]:
    """Families with a bar and so many of their features; what the small ones add is in one line."""
    large = [family for family in families if abs(family["adds"]) >= LEAST]
    if not large:
        return ["  nothing: the two are alike in all features of the model"]
    longest, lines = max(abs(family["adds"]) for family in large), []
    for family in large:
        bar = ("+" if family["adds"] > 0 else "-") * max(round(WIDTH * abs(family["adds"]) / longest), 1)
        lines.append(f"{family['adds']:+8.3f}  {family['dimension'] + ': ' + family['family']:<30} {bar}")
        reasons = [reason for reason in family["reasons"][:features] if round(reason["adds"], 3) != 0]
        lines += [f"{reason['adds']:+12.3f}  {words(reason)}" for reason in reasons]
    rest = sum(family["adds"] for family in families if abs(family["adds"]) < LEAST)
    return [*lines, *([f"{rest:+8.3f}  all other families"] if round(rest, 3) != 0 else [])]


def rows_at(rows: Iterable[RunRow], topic: str, ranks: Sequence[int], where: object) -> list[RunRow]:
    """The rows of a topic at these ranks. Raises InputError where there are none; ``where`` names the run."""
    listed = {row.rank: row for row in rows if row.topic == topic}
    if not listed:
        raise InputError(where, f"there is no topic {topic} in it", "name one of its topics")
    for rank in ranks:
        if rank not in listed:
            raise InputError(where, f"topic {topic} has no pair at rank {rank}", f"it has {len(listed)}")
    return [listed[rank] for rank in ranks]


def refuse_other_scores(where: object, rows: Iterable[RunRow], scores: Mapping[str, float]) -> None:
    """Raise InputError unless ``rows``, all of a topic, have the ``scores`` that the model gives their items."""
    above = math.inf
    for row in sorted(rows, key=lambda row: row.rank):
        if row.pair not in scores:
            what = f"the pair at rank {row.rank} of topic {row.topic} is not a candidate of this corpus and model"
            raise InputError(where, what, "name its corpus and its model")
        above = min(scores[row.pair], above - STEP)  # as the final list writes them
        if not abs(row.score - above) <= TOLERANCE:
            what = f"its scores are not this model's: topic {row.topic}, rank {row.rank} has {row.score:.6g}"
            what += f", where the model gives {above:.6g}"
            hint = "name the model, the encoder and the weights of the run; baselines cannot be explained"
            raise InputError(where, what, hint)


def explain_rows(
    rows: Sequence[RunRow], model: Blend, table: Candidates, index: Index, sides: Sides | None
) -> dict[str, Any]:
    """The figures of an `Explanation`: of the first of ``rows``, or of its lead over the second.

    ``table`` has the candidates of their topic alone, and ``sides`` are toward it; None for documents.
    """
    position = {item: row for row, item in enumerate(table.ids)}
    places = [position[row.pair] for row in rows]
    head = table.in_head
    two_steps = bool(head.any())
    if len({*head[places].tolist()}) > 1:  # of the two steps, the first alone scored both
        model, head = model.first_step(), np.zeros(len(table), bool)
        table = table.assign(head=False)
    scores, grades = model.score(table), model.grades(table)
    same = np.flatnonzero(head == head[places[0]])
    parts = contributions(model, table).iloc[same]
    features = table[[*table.feature_columns, *filter(table.__contains__, model.reader_weights)]].iloc[same]
    parts = parts[[key for key in parts.columns.tolist() if features[key[1]].notna().all()]]
    families = explain_pair(features, parts, *np.searchsorted(same, places).tolist())
    items, shown = Items(index, table, sides, ()), []
    # As in the final list: by score, then by ids; the rows are in the order of ids.
    alone = np.argsort(-np.round(scores, DECIMALS), kind="stable").tolist()
    for row, place in zip(rows, places, strict=True):
        side = {"side": TOWARD_QUESTION[items.side(place)], "why": why(items.verdicts(place))} if sides else {}
        item = {
            "rank": row.rank,
            "stance": row.stance,
            "pair": row.pair,
            "score": float(scores[place]),
            "score_in_run": row.score,
            "expected_grades": {name: float(values[place]) for name, values in grades.items()},
            "rank_by_score": alone.index(place) + 1,
            "candidates": len(table),
            "below_head": two_steps and not head[places[0]],
            "sentences": [asdict(snippet) for snippet in items.snippets(place)],
        }
        shown.append(side | item)
    return {
        "weights": {name: {**model.weights, **model.reader_weights}[name] for name in grades},
        "step": ("head" if head[places[0]] else "rest") if head.any() else "all",
        "mean_score": float(scores[same].mean()),
        "pair": shown[0],
        "against": shown[1] if len(shown) > 1 else None,
        "adds": math.fsum(family["adds"] for family in families),
        "families": families,
    }


def changed(pair: Mapping[str, Any]) -> list[str]:
    """Effects of the final list on the item, beside its score: a line each."""
    lines = []
    alone = f"by score alone at rank {pair['rank_by_score']} of {pair['candidates']:,}"
    if pair["rank_by_score"] < pair["rank"]:
        lines.append(f"{alone}: a pair above repeats the pair or a sentence, or is from the same arguments")
    if pair["rank_by_score"] > pair["rank"]:
        lines.append(f"{alone}: near-duplicates and pairs with sentences or arguments already shown were moved down")
    if abs(pair["score"] - pair["score_in_run"]) > TOLERANCE and not pair.get("below_head"):  # a run lowers these
        lines.append(f"written with the score {pair['score_in_run']:.3f}, to stay below the pair above it")
    return lines


def words(reason: Mapping[str, Any]) -> str:
    """A feature in a line."""
    value, column = f"{reason['description']}: {reason['value']:.3g}", f"[{reason['feature']}]"
    if reason["other"] is not None:
        return f"{value} against {reason['other']:.3g}  {column}"
    return f"{value}, above {round(100 * reason['percentile'])}% of the candidates  {column}"
