"""Files of studies: trials of an ablation, measures, results that a report shows, the key of a pool and its grades."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from support.forged import ODD

from experiments.ablation.log import STUDY, TRIALS, TrialLog
from experiments.figures import MEASURES
from experiments.pool.files import key_text, read_key
from experiments.pool.grades import read_grades
from experiments.pool.selection import PooledPair
from experiments.report.studies import ablation, show_study
from fuzz.cases import NUMBERS
from fuzz.reader import Read, of_file, reader

ABOUT = {"folds": 2, "features": {"a": 1, "b": 2}}
TRIAL = {"trial": "ab12", "dimension": "relevance", "draw": 0, "columns": 3}
TOKENS = [
    *NUMBERS,
    *(f'"{name}"'.encode() for name in MEASURES),
    *(f'"{name}"'.encode() for name in "trial figures variants name kind difference low".split()),
    *(json.dumps(value).encode() for value in ODD),
    *b"{ } [ ] , : null NaN Infinity".split(),
]


def trials() -> list[bytes]:
    """A line a trial."""
    lines = [json.dumps({**TRIAL, "trial": name, "figures": {m: [0.5, None] for m in MEASURES}}) for name in "abc"]
    return ["\n".join([*lines, ""]).encode(), "\n".join([*lines, lines[0][:30]]).encode()]


@reader("trials", trials, tokens=TOKENS)
def _trials(folder: Path) -> Read:
    (folder / STUDY).write_text(json.dumps(ABOUT), "utf-8")

    def read(path: Path) -> None:
        log = TrialLog(folder, ABOUT)
        log.begin(2)
        for values in list(log.trials.values()):
            assert values.shape == (2, len(MEASURES))
            assert (np.isnan(values) | (np.abs(values) <= 1)).all()
        log.add("new", TRIAL, np.full((2, len(MEASURES)), 0.5))

    return of_file(folder / TRIALS, read)


@reader("study", lambda: [json.dumps(ABOUT, indent=1).encode()], tokens=TOKENS)
def _study(folder: Path) -> Read:
    return of_file(folder / STUDY, lambda path: TrialLog(folder, ABOUT))


def results() -> Sequence[bytes]:
    """What an ablation writes."""
    row = {
        "name": "none",
        "dimension": "mean",
        "kind": "leave out",
        "columns": 3,
        "mean": 0.5,
        "low": 0.4,
        "high": 0.6,
        "topics": 4,
    }
    change = {"difference": -0.1, "difference_low": -0.2, "difference_high": 0.1, "effect": 0.2, "p": 0.5, "p_holm": 1}
    return [
        json.dumps(
            {"baseline": "all", "measure": "nDCG@5", "variants": [row | change, row | {"kind": "baseline"}]}
        ).encode()
    ]


@reader("report-study", results, tokens=TOKENS)
def _report(folder: Path) -> Read:
    return of_file(folder / "study.json", lambda path: show_study(path, ablation))


def keyed() -> list[bytes]:
    """The key of a pool of two pairs."""
    pairs = [PooledPair("1", "S1-A1__PREMISE__1,S1-A1__PREMISE__2", anchor) for anchor in (True, False)]
    return [key_text(pairs).encode()]


@reader("pool-key", keyed, tokens=[b"\t", b"\n", b"\r", b"1", b"2", b"-"])
def _key(folder: Path) -> Read:
    return of_file(folder / "key.tsv", read_key)


@reader(
    "booklet-sheet", lambda: [b"# pool abc,,,\nnumber,relevance,quality,coherence\n1,0,,2\n"], tokens=[b",", b";", b"-"]
)
def _sheet(folder: Path) -> Read:
    return of_file(folder / "a.csv", lambda path: read_grades(path, {1: 0, 2: 0, 3: 0}, "abc", missing=True))


@reader("pool-grades", lambda: [b"# pool abc\n1 0 1 2\n2 2 2 2\n"], tokens=[*NUMBERS, b"#", b"# pool ", b"\n", b" "])
def _grades(folder: Path) -> Read:
    return of_file(folder / "grades.txt", lambda path: read_grades(path, {1: 0, 2: 0, 3: 0}, "abc"))
