"""Limits of a process, small disks and folders that one may not write: one line, and what was there is left."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.corpora import SMALL, write_corpus
from support.sample_model import sample_index

from ltr.sample import SAMPLE

ROOT = Path(__file__).resolve().parents[2]
QUESTION = "<topics><topic><number>1</number><title>Should cars be banned?</title></topic></topics>"

pytestmark = pytest.mark.system


def predict(*argv: object, prefix: list[str] | None = None, **limit: int) -> subprocess.CompletedProcess[str]:
    """Run it under limits by their names, as FSIZE."""

    def limited() -> None:
        for name, number in limit.items():
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (number, number))

    return subprocess.run(
        [*(prefix or []), sys.executable, "-m", "ltr.predict", "--quiet", "--jobs", "1", *map(str, argv)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        preexec_fn=limited,
        check=False,
    )


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = write_corpus(tmp_path / "corpus", SMALL)
    (folder / "topics.xml").write_text(QUESTION)
    return folder


@pytest.mark.parametrize("limit", [{"FSIZE": 0}, {"NOFILE": 16}])
def test_a_limit_of_the_process(limit: dict[str, int], corpus: Path, tmp_path: Path) -> None:
    done = predict("-i", corpus, "-o", tmp_path / "out", "--index", tmp_path / "index", "-m", "bm25", **limit)
    assert (done.returncode, done.stdout) == (2, "")
    what = "file too large" if "FSIZE" in limit else "too many open files"
    assert done.stderr.startswith(f"error: {tmp_path / 'index'}: {what}")
    assert done.stderr.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix != ".lock") == ["corpus", "out"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    mounted = shutil.which("mount") and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "none", place], capture_output=True, check=False
    )
    if not mounted or mounted.returncode:
        pytest.skip("nothing can be mounted here")
    yield place
    subprocess.run(["umount", place], check=True)


def test_a_disk_that_is_full(small_disk: Path, tmp_path: Path) -> None:
    (small_disk / "run.txt").write_text("old")
    done = predict("-i", SAMPLE, "-o", small_disk, "--index", small_disk / "index", "-m", "bm25")
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {small_disk / 'index'}: no space left on device; ")
    assert sorted(path.name for path in small_disk.iterdir() if path.suffix != ".lock") == ["run.txt"]
    (small_disk / "ballast").write_bytes(bytes((1 << 20) - 40_000))
    done = predict("-i", SAMPLE, "-o", small_disk, "--index", sample_index(), "-m", "bm25")
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {small_disk / 'run.txt'}: no space left on device; ")
    assert (small_disk / "run.txt").read_text() == "old"
    assert sorted(path.name for path in small_disk.iterdir() if path.suffix != ".lock") == ["ballast", "run.txt"]


def test_an_index_in_a_folder_that_one_may_not_write(tmp_path: Path) -> None:
    prefix = []
    if not os.geteuid():  # who may write everywhere
        if not shutil.which("setpriv"):
            pytest.skip("root may write in any folder")
        prefix = ["setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner", "--"]
    without = shutil.ignore_patterns("values.bin", "*.lock")
    index = Path(shutil.copytree(sample_index(), tmp_path / "kept" / "index", ignore=without))
    folders = [index.parent, index, *(path for path in index.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    try:
        done = predict("-i", SAMPLE, "-o", tmp_path / "out", "--index", index, "-m", "bm25", prefix=prefix)
    finally:
        for folder in folders:
            folder.chmod(0o755)
    assert (done.returncode, done.stderr) == (0, "")
    assert not list(index.rglob("values.bin"))
    again = predict("-i", SAMPLE, "-o", tmp_path / "again", "--index", index, "-m", "bm25")
    assert again.returncode == 0
    assert (tmp_path / "out" / "run.txt").read_bytes() == (tmp_path / "again" / "run.txt").read_bytes()
