"""Files of studies: trials of an ablation, measures, results that a report shows, the key of a pool and its grades."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from support.forged import ODD

from experiments.ablation.trials import KeptTrials
from experiments.figures import MEASURES
from experiments.pool.files import key_text, read_key
from experiments.pool.grades import read_sheet
from experiments.pool.selection import PooledPair
from experiments.report.studies import ablation, show_study
from fuzz.cases import NUMBERS
from fuzz.reader import Read, of_file, reader

TOKENS = [
    *NUMBERS,
    *(f'"{name}"'.encode() for name in MEASURES),
    *(f'"{name}"'.encode() for name in "trial figures variants name kind difference low".split()),
    *(json.dumps(value).encode() for value in ODD),
    *b"{ } [ ] , : null NaN Infinity".split(),
]


@reader("trial", lambda: [json.dumps({m: [0.5, None] for m in MEASURES}).encode()], tokens=TOKENS)
def _trial(folder: Path) -> Read:
    return of_file(folder / "trial.json", KeptTrials(folder, {}, 2).read)


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


@reader("pool-grades", lambda: [b"# pool abc\n1 0 1 2\n2 2 2 2\n"], tokens=[*NUMBERS, b"#", b"# pool ", b"\n", b" "])
def _grades(folder: Path) -> Read:
    return of_file(folder / "grades.txt", lambda path: read_sheet(path, {1: 0, 2: 0, 3: 0}, "abc"))
