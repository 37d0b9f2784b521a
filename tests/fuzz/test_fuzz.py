"""Every reader against some cases, and the frame against a reader that is broken."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest
from support.broken_reader import broken

from fuzz import campaign
from fuzz.campaign import run_apart, run_cases
from fuzz.cases import Cases
from fuzz.reader import READERS, all_readers

CASES = 200


@pytest.mark.parametrize("name", sorted(all_readers()))
def test_some_cases(name: str, tmp_path: Path):
    one = READERS[name]
    read = one.start(tmp_path)
    for seed in one.seeds():
        read(one.pack(seed) if one.pack else seed)
    tally = run_cases(one, 0, range(CASES))
    assert not tally.findings, "\n".join(f"{found.kind}\n{found.report}" for found in tally.findings.values())
    assert tally.read + tally.refused == CASES
    assert tally.read, "the cases are too wild to get anywhere"


@pytest.mark.fuzz
@pytest.mark.parametrize("name", sorted(all_readers()))
def test_for_a_while(name: str, tmp_path: Path):
    """Other cases every day; what is found says of which seed."""
    seconds, seed = float(os.environ.get("FUZZ_SECONDS", "60")), int(time.time() // 86400)
    tally = run_apart(name, seed, range(sys.maxsize), seconds, tmp_path)
    assert not tally.findings, "\n".join(
        f"seed {seed}: {found.kind}\n{found.content[:1000]!r}\n{found.report}" for found in tally.findings.values()
    )


def test_a_case_is_known_by_its_seed_and_its_number():
    one = all_readers()["topics"]
    first = [Cases(one, 3)[number] for number in range(50)]
    again = Cases(one, 3)
    assert [again[number] for number in reversed(range(50))] == first[::-1]
    assert [Cases(one, 4)[number] for number in range(50)] != first


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        (b"RAISE", "ValueError"),
        (b"LEAVE", "SystemExit"),
        (b"NO HINT", "refusal without a hint"),
        (b"TELL ALL", "refusal that is too long"),
        (b"LOOP", "TooSlow"),
    ],
)
def test_a_defect_is_found(word: bytes, kind: str, monkeypatch: pytest.MonkeyPatch):
    if kind == "TooSlow":
        monkeypatch.setattr(campaign, "SECONDS", 0.02)
    kept: list[int] = []
    tally = run_cases(broken(word), 0, range(30), keep=lambda _, number: kept.append(number))
    assert {found.partition(" at ")[0] for found in tally.findings} == {kind}
    assert tally.read + tally.refused + tally.found == 30
    assert min(tally.read, tally.refused, tally.found) > 0
    (finding, *_) = tally.findings.values()
    assert word in finding.content
    assert finding.content == Cases(broken(word), 0)[kept[-1]]


@pytest.mark.slow
def test_what_ends_the_process_is_found_and_the_next_case_follows(tmp_path: Path):
    tally = run_apart("support.broken_reader:fatal", 0, range(40), 600, tmp_path)
    kinds = {kind.partition(" in ")[0].partition(" at ")[0] for kind in tally.findings}
    assert kinds == {"end of the process (-11)", "MemoryError"}
    assert tally.read + tally.refused + tally.found == 40
    assert len(list(tmp_path.glob("*.input"))) == len(tally.findings)
