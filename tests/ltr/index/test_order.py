"""The order of a corpus's rows decides nothing."""

from __future__ import annotations

import csv
import random
from pathlib import Path

from ltr.predict import main
from ltr.sample import SAMPLE


def test_rows_in_another_order_give_the_same_run(tmp_path: Path) -> None:
    runs = []
    with (SAMPLE / "args_processed_sample.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    for seed in (None, 3):
        if seed:
            random.Random(seed).shuffle(rows)
        folder = tmp_path / f"corpus-{seed}"
        folder.mkdir()
        with (folder / "args_processed.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([header, *rows])
        command = ["-i", str(folder), "-o", str(folder / "out"), "--index", str(folder / "index"), "--quiet"]
        assert main([*command, "--topics", str(SAMPLE / "topics.xml"), "--jobs", "1"]) == 0
        runs.append((folder / "out" / "run.txt").read_bytes())
    assert runs[0] == runs[1]
