"""A sample of what the scripts beside this file try by hand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from faults import shim

ROOT = Path(__file__).resolve().parents[2]
TESTS = Path(__file__).resolve().parents[1]
ENVIRONMENT = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{TESTS}"}

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(shim.why_not()), reason=shim.why_not() or "there is a shim")]


def script(*argv: object) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *map(str, argv)], capture_output=True, text=True, env=ENVIRONMENT, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


CALLS = """
import json, os, sys
from pathlib import Path
import numpy as np
from faults.shim import Shim
from support.corpora import SMALL, write_corpus
from features.core.text import Analyzer
from ltr.corpora.source import open_corpus
from ltr.index.build import build_index
from ltr.index.reader import Index
from ltr.progress import Progress

folder, work = Path(sys.argv[1]), Path(sys.argv[1]) / "work"
below = Shim(folder)

def do():
    corpus = open_corpus(str(write_corpus(work / "corpus", SMALL)))
    build_index(corpus, work / "index", Analyzer(), Progress(quiet=True))
    Index(next(work.glob("index/riposte-index-*"))).texts(range(2))
    os.symlink("base", work / "link")

def count():
    calls = below.calls(do, str(work))
    print(json.dumps([len(calls), *calls]))

if below.loaded:
    count()
else:
    os.execve(sys.executable, [sys.executable, "-c", sys.argv[2], *sys.argv[1:]], os.environ | below.environment)
"""


def test_the_shim_sees_python_the_engine_and_numpy(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CALLS, str(tmp_path), CALLS], capture_output=True, text=True, env=ENVIRONMENT, check=True
    )
    number, *calls = json.loads(done.stdout)
    assert number > 300
    kinds = {kind for kind, _ in calls}
    assert kinds == {1 << n for n in range(11)} - {shim.TRUNCATE}
    seen = {(what.partition(" ")[0], Path(what).suffix or Path(what).name) for _, what in calls}
    assert {("write", ".idx"), ("open64", ".store"), ("mmap", ".term"), ("mmap", ".npy"), ("write", ".npy")} <= seen
    assert {("pread64", ".bin"), ("renameat2", ".json"), ("symlinkat", "link")} <= seen


def test_calls_that_fail(tmp_path: Path) -> None:
    faults = ["full", "denied", "kill"]
    said = script("faults.sweep", "fuse", *(f"--fault={one}" for one in faults), "--seconds", 300, "--folder", tmp_path)
    assert all(f"fuse, {one}: " in said for one in faults)
    assert said.endswith("\n0 findings\n")


def test_commands_that_are_killed_at_any_moment(tmp_path: Path) -> None:
    said = script("faults.kills", "reindex", "--times", 3, "--folder", tmp_path)
    assert said.endswith("\n0 findings\n")


def test_several_at_once(tmp_path: Path) -> None:
    said = script("faults.crowd", "index", "collect", "--times", 1, "--most", 3, "--folder", tmp_path)
    assert said.endswith("\n0 findings\n")


def test_a_corpus_that_changes_while_it_is_read(tmp_path: Path) -> None:
    changes = ["replaced", "index gone"]
    options = [*(f"--change={change}" for change in changes), "--every=60", "--seconds=300", f"--folder={tmp_path}"]
    said = script("faults.changes", "index", *options)
    assert said.endswith("\n0 findings\n")
