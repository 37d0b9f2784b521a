"""The audit finds what an advisory says of a version, by the rules of the format; the advisories here are invented."""

from __future__ import annotations

from pathlib import Path

import pytest
from packaging.version import Version

from experiments.release.audit import affects, find_advisories, main
from experiments.release.lock import Pin
from ltr.errors import InputError

ADVISORY = """\
id: PYSEC-2020-1
details: |
  A line that is
  too clever.
aliases: [CVE-2020-1]
affected:
- package: {name: NumPy, ecosystem: PyPI}
  ranges:
  - type: GIT
    repo: somewhere
    events: [{introduced: abc}, {fixed: def}]
  - type: ECOSYSTEM
    events: [{introduced: '0'}, {fixed: '1.2'}, {introduced: '2.0'}, {last_affected: '2.1'}]
  versions: ['0.1', '3.0rc1', not-a-version]
"""


@pytest.fixture
def advisories(tmp_path: Path) -> Path:
    folder = tmp_path / "vulns" / "numpy"
    folder.mkdir(parents=True)
    (folder / "PYSEC-2020-1.yaml").write_text(ADVISORY, "utf-8")
    return tmp_path


def found(version: str, advisories: Path) -> list[str]:
    pin = Pin("numpy", version, "", frozenset())
    return [advisory["id"] for advisory in find_advisories(pin, advisories / "vulns")]


@pytest.mark.parametrize(
    ("version", "is_affected"),
    [
        ("0.5", True),
        ("1.2rc1", True),  # comes before 1.2
        ("1.2", False),  # fixed
        ("1.10", False),  # a number, not text
        ("2.0", True),  # introduced again
        ("2.1", True),  # the last one, itself included
        ("2.1.1", False),
        ("3.0.rc1", True),  # listed, spelt otherwise
        ("3.0", False),
    ],
)
def test_which_versions_an_advisory_is_on(version: str, is_affected: bool, advisories: Path):
    assert found(version, advisories) == (["PYSEC-2020-1"] if is_affected else [])


def test_events_come_in_any_order():
    events = [{"fixed": "1.2"}, {"introduced": "0"}]
    assert affects({"ranges": [{"type": "ECOSYSTEM", "events": events}]}, Version("1.1"))
    assert not affects({"ranges": [{"type": "ECOSYSTEM", "events": events}]}, Version("1.2"))


def test_one_that_was_withdrawn_or_is_on_another_package_is_none(advisories: Path):
    (file,) = advisories.rglob("*.yaml")
    for text in (ADVISORY + "withdrawn: '2021-01-01T00:00:00Z'\n", ADVISORY.replace("NumPy", "numpy-like")):
        file.write_text(text, "utf-8")
        assert found("0.5", advisories) == []


def test_the_lock_is_looked_up(advisories: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["--advisories", str(advisories)]) == 0
    assert capsys.readouterr().out.endswith(" packages, 0 advisories\n")
    (file,) = advisories.rglob("*.yaml")
    file.write_text(ADVISORY.replace("'2.1'", "'9999'"), "utf-8")
    assert main(["--advisories", str(advisories)]) == 1
    line, total = capsys.readouterr().out.splitlines()
    assert line.startswith("numpy ")
    assert line.endswith(": PYSEC-2020-1, CVE-2020-1: A line that is too clever.")
    assert total.endswith(" packages, 1 advisories")


@pytest.mark.parametrize("text", ["a: [", "- a", "affected: [{}]", ADVISORY.replace("'1.2'", "yesterday")])
def test_what_cannot_be_read_is_never_taken_for_no_finding(text: str, advisories: Path):
    (file,) = advisories.rglob("*.yaml")
    file.write_text(text, "utf-8")
    with pytest.raises(InputError, match=r"PYSEC-2020-1\.yaml: it is no advisory that can be read"):
        found("1.3", advisories)


def test_a_folder_without_advisories_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match="there is no such folder; clone"):
        main(["--advisories", str(tmp_path)])
