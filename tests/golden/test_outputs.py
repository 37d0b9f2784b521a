"""The script that records what the commands write finds a difference, and none where there is none."""

from __future__ import annotations

from pathlib import Path

from support.processes import python

SCRIPT = Path(__file__).with_name("outputs.py")


def run(*words: str | Path) -> tuple[int, str]:
    done = python(SCRIPT, *words)
    return done.returncode, done.stdout + done.stderr


def test_two_recordings_are_the_same_until_a_byte_changes(tmp_path: Path) -> None:
    places = [tmp_path / "one", tmp_path / "other"]
    for place in places:
        code, said = run("record", place, "--only", "sample/pairs/(bm25|no-encoder).run")
        assert code == 0, said
    assert run("compare", *places) == (0, "2 of 2 files are the same\n\n")
    changed = places[1] / "sample" / "pairs" / "bm25.run"
    changed.write_bytes(changed.read_bytes().replace(b"Q0", b"q0", 1) + b"\n")
    assert run("compare", *places) == (1, "1 of 2 files are the same\nsample/pairs/bm25.run\n")
