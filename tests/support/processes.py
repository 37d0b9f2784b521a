"""Python in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def python(*words: object, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python on ``words``, with these variables beside those of this process."""
    command, env = [sys.executable, *map(str, words)], os.environ | environment
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=900, check=False)


def printed(*words: object, cwd: Path = ROOT, **environment: str) -> str:
    """The standard output of Python on ``words``, which has to end well."""
    done = python(*words, cwd=cwd, **environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
