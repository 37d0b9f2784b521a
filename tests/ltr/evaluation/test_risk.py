"""Risk against a baseline, worked out by hand, and in both commands."""

from __future__ import annotations

import json
import math
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest

import ltr
from ltr.commands import evaluate
from ltr.evaluation.risk import geo_risk, pool_rows, t_risk, u_risk
from ltr.evaluation.significance import EFFECT_LIMIT

BASE, RUN = np.array([0.5, 0.5, 0.2, 0.8]), np.array([0.9, 0.3, 0.2, 0.9])


def test_losses_count_more_than_gains() -> None:
    # Differences .4, -.2, 0, .1; with alpha 1 they weigh .4, -.4, 0, .1, with alpha 5 .4, -1.2, 0, .1.
    assert u_risk(RUN, BASE) == pytest.approx(0.1 / 4)
    assert u_risk(RUN, BASE, 5) == pytest.approx(-0.7 / 4)
    assert u_risk(RUN, BASE, 0) == pytest.approx(0.3 / 4)
    deviation = math.sqrt((0.375**2 + 0.425**2 + 0.025**2 + 0.075**2) / 3)
    assert t_risk(RUN, BASE) == pytest.approx(0.025 / (deviation / 2))
    assert t_risk(BASE, BASE) == 0
    assert t_risk(BASE + 0.1, BASE) == pytest.approx(2 * EFFECT_LIMIT)


def test_the_risk_of_several_runs() -> None:
    # Means .5 and .7, sums of topics .8 and 1.6: expected 1/3, 2/3 of the first, 7/15, 14/15 of the second.
    found = geo_risk(np.array([[0.2, 0.8], [0.6, 0.8]]), 1)
    apart = [(0.2 - 1 / 3) / math.sqrt(1 / 3), (0.8 - 2 / 3) / math.sqrt(2 / 3)]
    other = [(0.6 - 7 / 15) / math.sqrt(7 / 15), (0.8 - 14 / 15) / math.sqrt(14 / 15)]
    first = math.sqrt(0.5 * NormalDist().cdf((2 * apart[0] + apart[1]) / 2))
    second = math.sqrt(0.7 * NormalDist().cdf((other[0] + 2 * other[1]) / 2))
    assert found.tolist() == pytest.approx([first, second])
    assert geo_risk(np.zeros((2, 3))).tolist() == [0, 0]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Topic 1 has one relevant argument, topic 2 six; the second run finds the first's and loses three of topic 2."""
    qrels = ["1 0 S1-A1 1", "1 0 S1-A2 0", *(f"2 0 S2-A{n} 1" for n in range(6)), "2 0 S2-A9 0"]
    (tmp_path / "q").write_text("".join(f"{line}\n" for line in qrels))
    lists = {"base": {"1": "2", "2": "012345"}, "run": {"1": "1", "2": "90129"}}
    for name, by_topic in lists.items():
        rows = [
            f"{topic} Q0 S{topic}-A{n} {rank} {-rank} {name}\n"
            for topic, numbers in by_topic.items()
            for rank, n in enumerate(dict.fromkeys(numbers), 1)
        ]
        (tmp_path / name).write_text("".join(rows))
    return tmp_path


def test_it_says_what_a_run_loses(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [str(files / name) for name in ("base", "run")]
    given = ["--qrels", str(files / "q"), "--json", str(files / "j")]
    gain = 1 / np.log2(np.arange(2, 7))
    lost = 1 - gain[1:4].sum() / gain.sum()
    expected = {"u_risk": (1 - 3 * lost) / 2, "won": 1, "lost": 1, "items_won": 1, "items_lost": 2}
    for named in (
        ["--run", runs[0], "--run", runs[1], "--baseline", runs[0]],
        [*runs, "--baseline", runs[0], "--brief"],
        [*runs, "--test", "nDCG@5"],
    ):
        assert evaluate.main([*named, *given, "--alpha", "2"]) == 0
        said = capsys.readouterr().out
        (row,) = json.loads((files / "j").read_text())["risks"]
        assert {name: row[name] for name in expected} == pytest.approx(expected)
        assert "1/1" in said
        assert "1/2" in said
        assert f"{(1 - 3 * lost) / 2:+.3f}" in said
        assert ("1 to 5 (1 topics)  6 to 15 (1 topics)" in said) == ("--brief" not in named)
    (found,) = ltr.evaluate({"base": files / "base", "run": files / "run"}, files / "q", ["nDCG@5"]).risks
    assert (found.run, found.won, found.items_lost) == ("run", 1, 2)
    assert pool_rows(ltr.evaluate(files / "run", files / "q").figures, "qrels", "nDCG@5")[1] == [
        "run",
        "1.000",
        f"{1 - lost:.3f}",
    ]
