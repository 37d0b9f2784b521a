"""``python -m experiments.lab.weigh_sides -i DIR``: fit what the stages of an answer weigh, and write the weights.

Logistic regressions on the texts whose sides were read: of each corpus of ``own_texts`` and of all of them in one,
whether an argument is on the matter; of the open collection (``-i``) the same by its debate; and the side of all, with
no constant, so that a question and its opposite have opposite sides.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression

from experiments.lab.program import Program
from experiments.lab.read_sides import OWN_TEXTS, SHOWN, read_by_question
from features.core.statistics import FloatArray
from ltr.answers.sides import Sides
from ltr.answers.texts import text_of
from ltr.answers.understand import Subject, is_small, whole_signs
from ltr.answers.weights import FILE
from ltr.cli.process import run_command
from ltr.data.ids import argument_of, parts_of
from ltr.escapes import say
from ltr.searcher import Searcher
from ltr.settings.shared import CORPUS, INDEX
from ltr.text_models.reader import SideReader


class Row(NamedTuple):
    """An argument for a question."""

    whole: bool
    matter: Sequence[float]
    side: Sequence[float]
    read: int | None
    """Its side, 0 for neither; None where it is not on the matter."""


def rows_of(corpus: Path, tables: Sequence[Path], folder: Path | None) -> Iterator[Row]:
    """The arguments that were read for each question, and all others of a whole corpus."""
    with Searcher(corpus, index=folder) as searcher:
        for question, sides in read_by_question(tables).items():
            index, encoder = searcher.index, searcher.model.second_step
            read = {index.row_of[argument_of(parts_of(item)[0])]: side for item, side in sides.items()}
            if is_small(index):
                signs = dict(enumerate(whole_signs(index, encoder, question).tolist()))
                texts = SideReader(index.folder)(question, [text_of(index, row) for row in read])
                subject = Subject(signs=signs, read=dict(zip(read, texts, strict=True)), whole=True)
            else:
                subject = searcher.look_up(question).subject
            judged = Sides(index, question, subject)
            for row, of in (subject.signs or {}).items():
                side = judged.judge.signs(judged.argument(row)) if row in read else ()
                if subject.whole or side:
                    yield Row(subject.whole, of, side, read.get(row))


def fit(options: Any) -> None:
    """Fit the weights and write them. Raises InputError for bad input."""
    tables = sorted(OWN_TEXTS.glob("*/sides.tsv"))
    rows = [*rows_of(options.input, [SHOWN], options.index)]
    with TemporaryDirectory() as folder:
        for number, some in enumerate([*([table] for table in tables), tables]):
            texts = [table.with_name("arguments.jsonl").read_bytes() for table in some]
            (corpus := Path(folder) / f"texts-{number}.jsonl").write_bytes(b"".join(texts))
            rows += rows_of(corpus, some, Path(folder) / f"index-{number}")
    # On the matter of the open collection is what takes a side: what was read there was on some debate.
    whole = fitted([row.matter for row in rows if row.whole], [row.read is not None for row in rows if row.whole])
    head = fitted([row.matter for row in rows if not row.whole], [bool(row.read) for row in rows if not row.whole])
    sided = [row for row in rows if row.read]
    side = fitted([row.side for row in sided], [row.read == 1 for row in sided], both_ways=True)
    weights = {"whole": whole, "head": head, "side": side}
    lines = ",\n".join(f"  {json.dumps(name)}: {of}" for name, of in weights.items())
    FILE.write_text(f"{{\n{lines}\n}}\n", "utf-8")
    say(f"{len(rows)} arguments for questions", *(f"{name}: {of}" for name, of in weights.items()))


def fitted(signs: Sequence[Sequence[float]], labels: Sequence[bool], *, both_ways: bool = False) -> list[float]:
    """Weights of signs for the log-odds of labels; ``both_ways``: as if the opposite had been asked, too."""
    table: FloatArray = np.array(signs, np.float64)
    wanted = np.array(labels)
    if both_ways:
        table, wanted = np.concatenate([table, -table]), np.concatenate([wanted, ~wanted])
    model = LogisticRegression(fit_intercept=False, max_iter=10_000).fit(table, wanted)
    return [round(float(weight), 3) for weight in model.coef_[0]]


main = Program(__file__, fit, "Fit what the stages of an answer weigh.", input=CORPUS, index=INDEX)

if __name__ == "__main__":
    run_command(main)
