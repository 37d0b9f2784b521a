"""Environments with packages of others, which the project does not depend on: made once, kept in the user's cache."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest
from filelock import FileLock

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "riposte-tests"
"""RIPOSTE_CACHE is new for every session."""
COMPILE = "RIPOSTE_COMPILE_SERVERS"
"""Variable of the environment that allows half an hour of a compiler."""


def python_with(*packages: str, compiled: bool = False) -> Path:
    """The Python of an environment with these packages; skips the test where they cannot be installed."""
    folder = CACHE / hashlib.sha256(" ".join((sys.version, *packages)).encode()).hexdigest()[:12]
    python, done, what = folder / "bin" / "python", folder / "done", " ".join(packages)
    uv = Path(sys.executable).with_name("uv")  # ten times as fast
    install = [uv, "pip", "install", "--python", python] if uv.exists() else [python, "-m", "pip", "install"]
    install += ["--quiet"]
    install += [] if compiled else ["--only-binary", ":all:"]
    try:
        CACHE.mkdir(parents=True, exist_ok=True)
        with FileLock(CACHE / f"{folder.name}.lock"):
            if not done.exists():
                if compiled and not os.environ.get(COMPILE):
                    pytest.skip(f"{what} has to be compiled for half an hour: set {COMPILE}=1")
                shutil.rmtree(folder, ignore_errors=True)
                run(sys.executable, "-m", "venv", folder)
                run(*install, *packages, limit=3600 if compiled else 900)
                done.touch()
    except subprocess.CalledProcessError as error:
        skip(what, error)
    except subprocess.TimeoutExpired as error:
        pytest.skip(f"{what} cannot be installed: not done after {error.timeout:.0f} seconds")
    except OSError as error:
        pytest.skip(f"{CACHE} cannot be written: {error.strerror}")
    return python


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


def run(*command: object, limit: float = 900) -> str:
    """The output of a command. Raises CalledProcessError, after what the command said."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, timeout=limit)
    print(done.stderr)
    done.check_returncode()
    return done.stdout
