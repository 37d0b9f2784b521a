"""Chat servers that others wrote, each in an environment of its own, kept in the user's cache."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from filelock import FileLock

COMPILE = "RIPOSTE_COMPILE_SERVERS"
"""Variable of the environment that allows half an hour of a compiler."""


def environment(name: str, packages: Sequence[str], *, compiled: bool = False) -> Path:
    """The Python of an environment with these packages; skips the test where they cannot be installed."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")  # RIPOSTE_CACHE is new for every session
    folder = cache / "riposte-test-servers" / name
    folder.parent.mkdir(parents=True, exist_ok=True)
    python, done = folder / "bin" / "python", folder / "installed"
    with FileLock(f"{folder}.lock"):
        if done.exists() and done.read_text() == " ".join(packages):
            return python
        if compiled and not os.environ.get(COMPILE):
            pytest.skip(f"{name} has to be compiled for half an hour: set {COMPILE}=1")
        limit = 3600 if compiled else 600
        try:
            subprocess.run(
                [sys.executable, "-m", "venv", "--clear", folder], check=True, capture_output=True, timeout=120
            )
            install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            install += [] if compiled else ["--only-binary", ":all:"]
            subprocess.run([*install, *packages], check=True, capture_output=True, text=True, timeout=limit)
        except subprocess.CalledProcessError as error:
            lines = str(error.stderr).strip().splitlines() or ["no reason given"]
            pytest.skip(f"{name} cannot be installed here: {lines[-1][:200]}")
        except subprocess.TimeoutExpired:
            pytest.skip(f"{name} cannot be installed here: not done after {limit} seconds")
        done.write_text(" ".join(packages))
    return python


@contextmanager
def running(command: Sequence[object], folder: Path, *, ready: str, wait: float = 300) -> Iterator[str]:
    """The address of a server while it runs; {port} in the command becomes a free port."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = found.getsockname()[1]
    address, log = f"http://127.0.0.1:{port}", folder / "server.log"
    inherited = ("PATH", "HOME", "LANG", "TMPDIR")
    offline = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_TELEMETRY": "False", "NO_PROXY": "*"}
    variables = {name: os.environ[name] for name in inherited if name in os.environ} | offline
    with log.open("wb") as out:
        words = [str(part).replace("{port}", str(port)) for part in command]
        server = subprocess.Popen(words, cwd=folder, stdout=out, stderr=subprocess.STDOUT, env=variables)
    try:
        until = time.monotonic() + wait
        while not _answers(address + ready):
            assert server.poll() is None, log.read_text("utf-8", "replace")[-2000:]
            assert time.monotonic() < until, f"no answer after {wait} seconds"
            time.sleep(0.5)
        yield address
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=5) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False
