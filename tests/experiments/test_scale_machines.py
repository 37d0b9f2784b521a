"""What more machines need follows from measured steps, and copies of parts are parts of a larger corpus."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from experiments.scale.machines.command import main
from experiments.scale.machines.needs import Measured, cluster_table, in_turns, line, needs, needs_table, steps_table
from experiments.scale.merging import copy_parts, index_parts, merge_parts
from ltr.errors import InputError
from ltr.sample import SAMPLE

MEASURED = Measured(
    {"sentences": 1e6, "cpu": 40.0, "wall": 41.0, "memory": 5e8, "bytes": 2e8},
    {"bytes": 1 << 29, "cpu": 0.5, "wall": 0.6, "memory": 1e7},
    [
        {"sentences": 1 << 20, "wall": 4.0, "cpu": 4.0, "memory": 4e8, "ranges": 1.0, "merge": 2.0, "sums": 0.5},
        {"sentences": 1 << 24, "wall": 60.0, "cpu": 59.0, "memory": 6e8, "ranges": 16.0, "merge": 30.0, "sums": 10.0},
    ],
)
"""A part of 512 MB takes 40 s, and a range 8 s."""


def test_needs_by_hand() -> None:
    found = needs(MEASURED, 1e8, 32)
    assert (found.part_tasks, found.range_tasks) == (100, 12)
    assert found.parts == pytest.approx(4 * 40)  # 100 tasks are four turns of 32 cores
    assert found.fingerprint == pytest.approx(50)
    assert found.ranges == pytest.approx(1e8 / 2**20 / 12)  # 95.4 s, shared by 12 of the cores
    assert found.merge == pytest.approx(2.5 + 37.5 * (1e8 - 2**20) / (2**24 - 2**20))
    assert found.merge_memory == pytest.approx(4e8 + 2e8 * (1e8 - 2**20) / (2**24 - 2**20))
    assert found.read == pytest.approx(2 * 100 * 2**29 + 2e10)
    assert found.written == pytest.approx(2e10)
    assert found.seconds == pytest.approx(160 + found.ranges + found.merge)


def test_more_cores_than_tasks_do_not_help_and_the_fingerprint_remains() -> None:
    some, many = needs(MEASURED, 1e8, 100), needs(MEASURED, 1e8, 1600)
    assert some == many
    assert some.parts == pytest.approx(40)
    assert some.seconds == pytest.approx(50 + some.ranges + some.merge)


def test_tasks_in_turns_and_lines_by_hand() -> None:
    assert [in_turns(12, 6, cores) for cores in (1, 2, 4, 6, 100)] == [12, 6, 4, 2, 2]
    assert line({10: 1, 20: 5, 30: 7}, 40) == 10
    assert line({10: 4}, 5) == 2
    assert line({10: 4, 20: 3}, 90) == 4


def test_tables() -> None:
    row = needs_table(MEASURED, 1e8, [2], 16).splitlines()[1]
    assert row.startswith("100,000,000 sentences, 2 x 16 cores  100 + 12     160            50")
    steps = steps_table(MEASURED).splitlines()
    assert [line.split(",")[0] for line in steps[1:]] == ["parts", "fingerprint", "merge", "merge"]
    assert steps[-1].split()[-6:] == ["60.0", "59.0", "0.60", "16.0", "30.0", "10.0"]
    record = {"step": "index", "workers": 4, "wall": 9.5, "cpu": 17.0, "memory": 1e9, "sent": 250_000}
    assert cluster_table([record]).splitlines()[1].split() == "index, 4 workers 9.5 17.0 1.00 0.25".split()


def test_copies_of_parts_are_merged_as_a_larger_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = index_parts(str(SAMPLE), str(tmp_path / "parts"))
    merged = {}
    for times in (1, 3):
        copy_parts(str(tmp_path / "parts"), str(tmp_path / f"copies{times}"), str(times))
        target = tmp_path / f"merged{times}"
        merged[times] = merge_parts(str(tmp_path / f"copies{times}"), str(target))
        assert merged[times]["sentences"] == times * parts["sentences"]
        assert merged[times]["arguments"] == times * parts["arguments"]
    once, thrice = (
        {
            name: np.load(tmp_path / f"merged{times}" / f"{name}.npy")
            for name in ("near_count", "debate_size", "cf_argument")
        }
        for times in (1, 3)
    )
    assert thrice["near_count"].tolist() == 3 * once["near_count"].tolist(), "copies are not duplicates"
    assert thrice["debate_size"].tolist() == 3 * once["debate_size"].tolist()
    assert thrice["cf_argument"].tolist() == (3 * once["cf_argument"]).tolist()


@pytest.mark.cluster
def test_the_whole_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("distributed", reason="Dask is not installed: pip install 'riposte-ltr[dask]'")
    assert main(["-o", str(tmp_path), "--workers", "1", "--times", "1", "2", "--machines", "1", "10", "--quiet"]) == 0
    found = json.loads((tmp_path / "machines.json").read_text())
    assert [record["step"] for record in found["clusters"]] == ["index", "predict"]
    assert min(record["sent"] for record in found["clusters"]) > 1_000
    assert len({record["digest"] for record in found["steps"]["merges"]}) == 2
    clusters, steps, computed = capsys.readouterr().out.split("\n\n")
    assert [len(table.splitlines()) for table in (clusters, steps, computed)] == [3, 5, 3]


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--machines", "0"], "--machines: there is at least one"),
        (["--workers", "-1"], "--workers: there is at least one"),
        (["--topics", "nowhere.xml"], "nowhere.xml: there is no such file"),
    ],
)
def test_options_that_are_refused(options: list[str], line: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=line):
        main(["-o", str(tmp_path / "out"), *options])
    assert not (tmp_path / "out").exists()
