"""How often a run names the side that its documents take: macro-averaged F1 over judged documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain
from statistics import fmean
from typing import Any

from ltr.data.ids import pair_key
from ltr.data.qrels import VOCABULARIES, read_stances
from ltr.data.runs import RunRow
from ltr.errors import InputError
from ltr.evaluation.further import FURTHER, FurtherFigures
from ltr.evaluation.rankings import rankings
from ltr.evaluation.tables import Table


def stance_figures(rows: Iterable[RunRow], judged: Mapping[str, Mapping[str, str]], k: int) -> dict[str, Any]:
    """Compare the second column of a run with the judged sides, at all ranks; of a repeated document, the best one.

    "macro_f1" is the mean over the judged sides, "documents" the number of judged ones in the run, the only ones that
    count, and "confusion" is judged side -> side in the run -> number of documents. "both_sides" is the
    mean of `both_sides`, where a topic has both. Raises InputError where no document is judged, or in other words.
    """
    sides = sorted({side for topic in judged.values() for side in topic.values()})
    rows = list(rows)
    said_of: dict[tuple[str, str], str] = {}
    for row in sorted(rows, key=lambda row: -row.score):
        if (document := pair_key(row.pair)) in judged.get(row.topic, ()):
            said_of.setdefault((row.topic, document), row.stance.upper())
    if not said_of:
        raise InputError("stance qrels", "judge no document of a run", "name those of its topics")
    known = set(chain.from_iterable(words for words in VOCABULARIES if {*sides} <= {*words}))
    if other := {*said_of.values()} & set(chain.from_iterable(VOCABULARIES)) - known:
        what = f"judge {', '.join(sides)}, and a run names {', '.join(sorted(other))}"
        raise InputError("stance qrels", what, "write the sides of both in the same words")
    pairs = Counter((judged[topic][document], side) for (topic, document), side in said_of.items())
    truth, said = Counter[str](), Counter[str]()
    for (side, named), number in pairs.items():
        truth[side] += number
        said[named] += number
    # 2 tp / (2 tp + fp + fn); 0 for a side that is neither judged there nor named.
    scores = [2 * pairs[side, side] / max(truth[side] + said[side], 1) for side in sides]
    confusion = {side: {named: pairs[side, named] for named in sorted(said)} for side in sides}
    figures = {"macro_f1": fmean(scores), "documents": sum(truth.values()), "confusion": confusion}
    by_topic = both_sides(rows, judged, k)
    return figures | ({"both_sides": fmean(by_topic.values()), "topics": len(by_topic)} if by_topic else {})


def both_sides(rows: Iterable[RunRow], judged: Mapping[str, Mapping[str, str]], k: int = 5) -> dict[str, float]:
    """Topic -> how well its first ``k`` documents cover both sides, from 0 to 1; over topics judged to have both.

    The number of documents of the rarer side, by the largest number that a ranking could have: half of ``k``, or all.
    """
    ranked, found = rankings(rows), {}
    for topic, of in judged.items():
        first = list(dict.fromkeys(map(pair_key, ranked.get(topic, ()))))[:k]
        for sides in (pro[:2] for pro in VOCABULARIES):
            there = Counter(side for side in of.values() if side in sides)
            if possible := min(k // 2, *(there[side] for side in sides)):
                shown = Counter(of.get(document) for document in first)
                found[topic] = min(shown[side] for side in sides) / possible
    return found


def _table(by_run: Mapping[str, Mapping[str, Any]], k: int) -> Table:
    rows = [["side", "macro-F1", "judged", f"both sides@{k}", "judged side: documents by the side that the run names"]]
    for run, figures in by_run.items():
        named = (
            f"{side}: " + " ".join(f"{number} {name}" for name, number in names.items() if number)
            for side, names in figures["confusion"].items()
        )
        both = f"{figures['both_sides']:.3f}" if "both_sides" in figures else "-"
        rows.append([run, f"{figures['macro_f1']:.3f}", f"{figures['documents']:,}", both, "; ".join(named)])
    return Table("sides that the runs name", rows)


FURTHER.add("stance", FurtherFigures(stance_figures, _table, read_stances))
