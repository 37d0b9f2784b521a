"""``python -m experiments.lab.paraphrases -i DIR``: do the sides of results survive other words?

Each group of questions (``paraphrases.tsv``: group, sign, question) asks one thing (1) or its opposite (-1) in other
words, or takes no side (0). A result that several of them show should have the same side, turned by the sign, and none
where no side is asked for. Exits with 1 below the bar.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from experiments.lab.program import Program
from experiments.lab.read_sides import SIGNS
from experiments.published import read_table
from ltr.cli.process import run_command
from ltr.escapes import say
from ltr.searcher import Searcher
from ltr.settings import setting
from ltr.settings.kinds import Number
from ltr.settings.shared import CORPUS, INDEX

GROUPS = Path(__file__).with_name("paraphrases.tsv")
AGREE, NAMED = 0.98, 0.85
"""Least share of sides that are those of most wordings, and of results that have a side, which may be likely."""


def ask_all(options: Any) -> int:
    """Ask all questions and print what agrees. Raises InputError for bad input."""
    asked = pd.DataFrame(read_table(GROUPS, "group sign question"), columns=["group", "sign", "question"])
    asked = asked[asked["group"].isin(asked["group"].unique()[: options.first])]
    with Searcher(options.input, index=options.index) as searcher:
        results = asked.join(pd.DataFrame(list(shown_sides(searcher, asked))).set_index("row"))
    results["side"] *= results["sign"].astype(int)
    none = results[(results["sign"] == "0") & results["argument"].notna()]
    results = results[results["sign"] != "0"]
    of_question = results["side"].notna().groupby(results["question"], sort=False).any()
    sided = results.dropna(subset="side").drop_duplicates(["question", "argument"], keep="last")
    votes = sided.groupby(["group", "argument"], sort=False)["side"].agg(["size", "sum"])
    votes = votes[votes["size"] > 1]
    votes["same"] = (votes["size"] + votes["sum"].abs()) // 2  # sides that most wordings have; of two that differ, one
    groups = votes.groupby("group")[["same", "size"]].sum().reindex(asked["group"].unique(), fill_value=0).astype(int)
    for name, same, size in groups[groups["same"] < groups["size"]].itertuples():
        say(f"{name}: {same} of {size} sides agree")
    for question in of_question.index[~of_question]:
        say(f"without a side: {question}")
    agree = groups["same"].sum() / max(groups["size"].sum(), 1)
    share, silent = results["side"].count() / max(results["argument"].count(), 1), (~of_question).sum()
    whole = (groups["same"] == groups["size"]).mean()
    say(f"{len(groups)} groups; all sides agree in {whole:.3f} of them, and {agree:.3f} of all sides (bar: {AGREE})")
    say(f"results with a side, or a likely one: {share:.3f} (bar: {NAMED}); questions without any: {silent} (bar: 0)")
    say(f"of questions that take no side, results without one: {none['side'].isna().mean():.3f}")
    return int(agree < AGREE or share < NAMED or silent > 0)


def shown_sides(searcher: Searcher, asked: pd.DataFrame) -> Iterator[dict[str, object]]:
    """A row a result: the row of its question, its argument and its side, if any; weak ones if nothing else is shown.

    A question without results has a row without an argument.
    """
    for row, question in asked["question"].items():
        results = searcher.search(question).results
        yield {"row": row, "argument": None, "side": None}
        for one in [result for result in results if not result.weak] or results:
            yield {"row": row, "argument": one.sentences[0].argument, "side": SIGNS.get(one.stance)}


WHAT = "Do the sides of results survive other words?"
FIRST = setting(Number(1), "number of groups to ask (default: all)")
main = Program(__file__, ask_all, WHAT, input=CORPUS, index=INDEX, first=FIRST)

if __name__ == "__main__":
    run_command(main)
