"""Chat servers that others wrote."""

from __future__ import annotations

import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path


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
