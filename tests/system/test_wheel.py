"""What is installed from the wheel works without the checkout: packages, data and the shipped model are in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from ltr.sample import SAMPLE

pytestmark = pytest.mark.system

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("ltr", "features", "models", "experiments")


def done(*command: object, cwd: Path, **environment: str) -> str:
    found = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert found.returncode == 0, found.stdout + found.stderr
    return found.stdout


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which the wheel alone was unpacked, far from the checkout; nothing is downloaded."""
    place = tmp_path_factory.mktemp("wheel")
    names = done("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=ROOT).split("\0")
    for name in filter(None, names):  # a copy, since building writes into the tree; without what git ignores
        if (ROOT / name).exists() and not name.startswith(("tests/", "docs/")):
            (place / "source" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, place / "source" / name)
    build = "from setuptools import build_meta; import sys; build_meta.build_wheel(sys.argv[1])"
    done(sys.executable, "-c", build, place, cwd=place / "source")
    (wheel,) = place.glob("riposte_ltr-*.whl")
    zipfile.ZipFile(wheel).extractall(place / "site")
    shutil.move(wheel, place / "site")
    shutil.rmtree(place / "source")
    return place / "site"


def test_the_wheel_has_every_file_but_those_of_maintainers(site: Path):
    own = ("experiments/lab/",)
    names = [name for name in done("git", "ls-files", "-z", *PACKAGES, cwd=ROOT).split("\0") if name]
    wanted = [name for name in names if (ROOT / name).exists() and not name.startswith(own)]
    assert [name for name in wanted if not (site / name).exists()] == []
    assert [name for name in own if (site / name).exists()] == []


def test_twine_takes_the_wheel(site: Path):
    if find_spec("twine") is None:
        pytest.skip("twine is not installed: pip install twine")
    (wheel,) = site.glob("riposte_ltr-*.whl")
    assert "PASSED" in done(sys.executable, "-m", "twine", "--no-color", "check", "--strict", wheel, cwd=site)


def test_the_wheel_has_the_command(site: Path):
    (metadata,) = site.glob("riposte_ltr-*.dist-info")
    assert "riposte = ltr.cli.main:main" in (metadata / "entry_points.txt").read_text("utf-8").splitlines()
    options = "import sys; from ltr.cli.main import main; sys.argv = ['riposte', '--version']; main()"
    assert done(sys.executable, "-c", options, cwd=site).startswith("riposte ")


def test_the_run_of_an_installation_is_that_of_the_checkout(site: Path, tmp_path: Path):
    shutil.copytree(SAMPLE, tmp_path / "corpus")
    for name, path in (("checkout", ROOT), ("wheel", site)):
        options = ["-i", "corpus", "-o", name, "--index", f"index-{name}", "--quiet"]
        done(sys.executable, "-m", "ltr.predict", *options, cwd=tmp_path, PYTHONPATH=str(path))
        where = "import ltr, sys; sys.exit(not ltr.__file__.startswith(sys.argv[1]))"
        done(sys.executable, "-c", where, path, cwd=tmp_path, PYTHONPATH=str(path))
    assert (tmp_path / "wheel" / "run.txt").read_bytes() == (tmp_path / "checkout" / "run.txt").read_bytes()
