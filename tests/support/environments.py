"""Packages of others, which the project does not depend on, beside its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest


def packages_beside(place: Path, *packages: str) -> dict[str, str]:
    """Variables with which this Python also finds these packages, without what they need; skips where that fails."""
    command = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--no-deps", "--target", place, *packages]
    try:
        run(*command)
    except subprocess.CalledProcessError as error:
        skip(" ".join(packages), error)
    return {**os.environ, "PYTHONPATH": str(place)}


def skip(what: str, error: subprocess.CalledProcessError) -> NoReturn:
    """Skip the test, with the last line that the installer said."""
    said = (error.stderr or "").strip().splitlines() or ["no reason given"]
    pytest.skip(f"{what} cannot be installed: {said[-1][:200]}")


def run(*command: object) -> str:
    """The output of a command. Raises CalledProcessError, after what the command said."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, timeout=900)
    print(done.stderr)
    done.check_returncode()
    return done.stdout
