"""An explanation, the document that ltr.explain writes, in words and bars."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ltr.escapes import clean

WIDTH = 24
"""Characters of the longest bar."""

LEAST = 0.005
"""What a family has to add to have a line of its own."""

TOLERANCE = 1e-4
"""How far the written scores of a run may be from the model's: another machine rounds otherwise."""


def report(document: Mapping[str, Any], features: int) -> str:
    """The explanation in words and bars, with so many features a family at most."""
    pair, against = document["pair"], document["against"]
    lines = [clean(document["question"]), f"Ranked by: {clean(document['model'])}.", ""]
    for one in (pair, against) if against else (pair,):
        side = f", {one['side']} toward the question" if "side" in one else ""
        lines.append(f"rank {one['rank']}, {clean(one['stance'])}{side}, score {one['score']:.3f}")
        lines += [f"  {clean(sentence['text'])}  [{clean(sentence['id'])}]" for sentence in one["sentences"]]
        grades = [
            f"{name} {grade:.2f} (times {document['weights'][name]:g})"
            for name, grade in one["expected_grades"].items()
        ]
        lines += [f"  expected: {', '.join(grades)}", *(f"  {line}" for line in changed(one))]
    lines.append("")
    if against:
        lead = f"{abs(document['adds']):.3f} " + ("ahead of" if document["adds"] >= 0 else "behind")
        lines.append(f"By its score rank {pair['rank']} is {lead} rank {against['rank']}. What makes the difference:")
    else:
        lines.append(
            f"From the topic's mean score, {document['mean_score']:.3f}, it is {document['adds']:+.3f}. What makes it:"
        )
    families = document["families"]
    longest = max((abs(family["adds"]) for family in families), default=0.0)
    told = [family for family in families if abs(family["adds"]) >= LEAST]
    for family in told:
        bar = ("+" if family["adds"] > 0 else "-") * max(round(WIDTH * abs(family["adds"]) / longest), 1)
        name = f"{family['dimension']}: {family['family']}"
        lines.append(f"{family['adds']:+8.3f}  {name:<30} {bar}")
        for reason in family["reasons"][:features]:
            if round(reason["adds"], 3) != 0:
                lines.append(f"{reason['adds']:+12.3f}  {words(reason)}")
    rest = sum(family["adds"] for family in families if abs(family["adds"]) < LEAST)
    if told and round(rest, 3) != 0:
        lines.append(f"{rest:+8.3f}  all others together")
    if not told:
        lines.append("  nothing: the two are alike in all that the model looks at")
    return "\n".join(lines)


def changed(pair: Mapping[str, Any]) -> list[str]:
    """What the final list did to the pair, beside its score: a line each."""
    lines = []
    alone = f"by its score alone at {pair['rank_by_score']} of {pair['candidates']:,}"
    if pair["rank_by_score"] < pair["rank"]:
        lines.append(f"{alone}: a pair above repeats it or a sentence of it, or shows its argument")
    if pair["rank_by_score"] > pair["rank"]:
        lines.append(f"{alone}: above it copies, repeated sentences and more of an argument that was shown gave way")
    if abs(pair["score"] - pair["score_in_run"]) > TOLERANCE:
        lines.append(f"written with the score {pair['score_in_run']:.3f}, to stay below the pair above it")
    return lines


def words(reason: Mapping[str, Any]) -> str:
    """A feature in a line."""
    said, column = f"{reason['description']}: {reason['value']:.3g}", f"[{reason['feature']}]"
    if reason["other"] is not None:
        return f"{said} against {reason['other']:.3g}  {column}"
    return f"{said}, above {round(100 * reason['percentile'])}% of the candidates  {column}"
