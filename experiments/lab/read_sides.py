"""``python -m experiments.lab.read_sides``: are the sides of results those that a careful reader finds?

By default on the small corpora of ``own_texts``, with questions that were kept aside until the weights were fitted, and
on all their texts in one; with ``-i`` on the open collection. A table has a question, an argument or pair, and the side
that it takes toward the question: 1 for, -1 against, 0 neither. A row without an id says that the corpus has nothing on
the question. Results that are folded away are not shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from experiments.lab.program import Program
from experiments.published import read_table
from features.core.sides import FOR_AND_AGAINST
from ltr.answers.judge import LIKELY, SURE, deciding
from ltr.answers.sides import Sides
from ltr.cli.process import run_command
from ltr.data.ids import argument_of, parts_of
from ltr.errors import InputError
from ltr.escapes import say
from ltr.searcher import Searcher
from ltr.settings import setting
from ltr.settings.kinds import File
from ltr.settings.shared import INDEX

OWN_TEXTS = Path(__file__).with_name("own_texts")
SHOWN = Path(__file__).with_name("shown_sides.tsv")
"""What the open collection showed first for new questions."""
PROBABILITIES = [0.0, LIKELY, 0.65, 0.75, SURE, 0.85, 0.9, 1.01]
SIGNS = dict(zip(map(str, FOR_AND_AGAINST), (1, -1), strict=True))


def compare(options: Any) -> None:
    """Ask all questions and print how the sides agree. Raises InputError for bad input."""
    if not options.input and (options.read or options.index):
        raise InputError("--read, --index", "these need a corpus", "name it with -i")
    if options.input:
        found = {options.input.name: _rows(options.input, [options.read or SHOWN], options.index)}
    else:
        tables = sorted(OWN_TEXTS.glob("*/sides.tsv"))
        found = {table.parent.name: _rows(table.parent, [table]) for table in tables}
        found["all"] = pd.concat([rows.assign(question=rows["question"] + name) for name, rows in found.items()])
        found["kept"] = pd.concat(_rows(table.parent, [table]) for table in sorted(OWN_TEXTS.glob("*/kept.tsv")))
        with TemporaryDirectory() as folder:
            texts = [table.with_name("arguments.jsonl").read_bytes() for table in tables]
            (corpus := Path(folder) / "texts.jsonl").write_bytes(b"".join(texts))
            found["in one"] = _rows(corpus, tables, Path(folder) / "index")
    for name, rows in [*found.items()][-3:]:  # of the small corpora those in one
        named = rows[rows["shown"].fillna(0) != 0]
        by = (named["side"] == named["shown"]).groupby(
            pd.cut(named["right"], PROBABILITIES, right=False), observed=True
        )
        bins = (
            f"from {one.left:g}: {share:.2f} of {size}" for one, share, size in by.agg(["mean", "size"]).itertuples()
        )
        say(f"{name}, right by probability: {'; '.join(bins)}")
    columns = {name: {what: f"{value:.3g}" for what, value in figures(rows).items()} for name, rows in found.items()}
    say(*pd.DataFrame(columns).to_string().splitlines())


def read_by_question(tables: Sequence[Path]) -> dict[str, dict[str, int]]:
    """Question -> item that was read -> its side; a question without items where the corpus has nothing on it."""
    read: dict[str, dict[str, int]] = {}
    for path in tables:
        for question, id_, side in read_table(path, "question id side", lambda *row: (*row[:2], int(row[2] or 0))):
            read.setdefault(question, {}).update({id_: side} if id_ else {})
    return read


def _rows(corpus: Path, tables: Sequence[Path], index: Path | None = None) -> pd.DataFrame:
    """A row an item that was read: its question, id and ``side``, the side that is ``shown``, if it is ``likely``, and
    the probability that it is ``right``.

    ``shown`` is 0 for unclear, and NaN where the item is not shown; an argument counts in the first result that shows
    it. Where the corpus has nothing: one row without an id, of the first result that is shown all the same.
    """
    rows = []
    with Searcher(corpus, index=index) as searcher:
        for question, sides in read_by_question(tables).items():
            shown: dict[str, tuple[int | None, bool]] = {}
            for result in searcher.search(question).results:
                for id_ in () if result.weak else (result.id, *(sentence.argument for sentence in result.sentences)):
                    shown.setdefault(id_, (SIGNS.get(result.stance, 0), result.likely))
            shown[""] = (0 if shown else None, False)
            asked = searcher.read(question).question
            judged = Sides(searcher.index, asked, searcher.look_up(asked).subject)
            for id_, side in (sides or {"": 0}).items():
                of = judged.of(searcher.index.row_of[argument_of(part)] for part in parts_of(id_) if part)
                right = max((verdict.right for verdict in deciding(of)), default=0.0)
                rows.append((question, id_, side, *shown.get(id_, (None, False)), right))
    return pd.DataFrame(rows, columns=["question", "id", "side", "shown", "likely", "right"])


def figures(rows: pd.DataFrame) -> dict[str, float]:
    """The figures of rows of `_rows`."""
    read, nothing = rows[rows["id"] != ""], rows[rows["id"] == ""]
    sided, named = read[read["side"] != 0], read[read["shown"].fillna(0) != 0]
    sure = named[~named["likely"]]
    right, wrong = (sided["shown"] == sign * sided["side"] for sign in (1, -1))
    by_question = sided["question"]
    inverted = wrong.groupby(by_question).sum() > right.groupby(by_question).sum().clip(lower=1)
    return {
        "texts with a side": len(sided),
        "shown on it": right.mean(),
        "shown on the other": wrong.mean(),
        "shown as unclear": (sided["shown"] == 0).mean(),
        "not shown": sided["shown"].isna().mean(),
        "surely on it": (right & ~sided["likely"]).mean(),
        "surely on the other": (wrong & ~sided["likely"]).mean(),
        "results with a side": len(named),
        "right": (named["side"] == named["shown"]).mean(),
        "right, of sure ones": (sure["side"] == sure["shown"]).mean(),
        "questions turned round": inverted.sum(),
        "questions without a text": len(nothing),
        "answered all the same": nothing["shown"].notna().sum(),
    }


main = Program(
    __file__,
    compare,
    "Compare the sides of results with those that were read.",
    input=setting(File(), "corpus (default: the small ones of own_texts)", "-i", "--input"),
    read=setting(File(), f"table of question, id and side (default: {SHOWN.name})"),
    index=INDEX,
)

if __name__ == "__main__":
    run_command(main)
