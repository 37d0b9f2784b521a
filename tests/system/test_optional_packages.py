"""Tests that the other suites skip, with packages that the project does not install for its developers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.environments import packages_beside

ROOT = Path(__file__).resolve().parents[2]

CASES = {
    "pyterrier": (
        "ltr/integrations/test_pyterrier.py",
        "pyjnius deprecated more-itertools dill statsmodels formulaic interface-meta patsy wrapt",
    ),
}
"""Package -> the tests that need it, and what it imports that we do not have."""


@pytest.mark.parametrize("package", CASES)
def test_with_the_package_nothing_is_skipped(package: str, tmp_path: Path) -> None:
    file, others = CASES[package]
    variables = packages_beside(tmp_path, package, *others.split())
    command = [sys.executable, "-m", "pytest", "-n0", "-rs", "-p", "no:cacheprovider", f"tests/{file}"]
    done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "SKIPPED" not in done.stdout
