"""Environments with packages of others, which the project does not depend on: made once, kept in the user's cache."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "riposte-tests"


def python_with(*packages: str) -> Path:
    """The Python of an environment with these packages; skips the test where they cannot be installed."""
    folder = CACHE / hashlib.sha256(" ".join((sys.version, *packages)).encode()).hexdigest()[:12]
    python, done = folder / "bin" / "python", folder / "done"
    try:
        CACHE.mkdir(parents=True, exist_ok=True)
        with FileLock(CACHE / f"{folder.name}.lock"):
            if not done.exists():
                shutil.rmtree(folder, ignore_errors=True)
                run(sys.executable, "-m", "venv", folder)
                run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages)
                done.touch()
    except subprocess.CalledProcessError as error:
        said = (error.stderr or "").strip().splitlines() or ["no reason given"]
        pytest.skip(f"{' '.join(packages)} cannot be installed: {said[-1][:200]}")
    except OSError as error:
        pytest.skip(f"{CACHE} cannot be written: {error.strerror}")
    return python


def run(*command: object) -> str:
    """The output of a command. Raises CalledProcessError, after what the command said."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, timeout=900)
    print(done.stderr)
    done.check_returncode()
    return done.stdout
