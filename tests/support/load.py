"""``python tests/support/load.py ADDRESS QUESTIONS.txt --users N --requests M``: the response times of a server.

Each user asks, waits for the answer and asks again, the next line of the file. The table of docs/serve.md is made with
this. With ``--pid`` it also prints the memory of the server before and after.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode, urlsplit
from urllib.request import urlopen


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("address")
    p.add_argument("questions", type=Path)
    p.add_argument("--users", type=int, default=1)
    p.add_argument("--requests", type=int, default=50)
    p.add_argument("--pid", type=int)
    options = p.parse_args()
    if urlsplit(options.address).hostname != "127.0.0.1":
        raise SystemExit("only a server of this machine")

    def ask(question: str) -> tuple[float, int]:
        start = time.perf_counter()
        try:
            with urlopen(f"{options.address}/api/search?{urlencode({'q': question})}", timeout=120) as response:
                response.read()
                status = response.status
        except HTTPError as error:
            status = error.code
        return time.perf_counter() - start, status

    questions = islice(cycle(options.questions.read_text("utf-8").splitlines()), options.requests)
    before, start = memory(options.pid), time.perf_counter()
    with ThreadPoolExecutor(options.users) as users:
        seconds, statuses = zip(*users.map(ask, questions), strict=True)
    print(f"{options.users} users, {len(seconds)} requests in {time.perf_counter() - start:.0f} s: {Counter(statuses)}")
    median, late, most = statistics.median(seconds), statistics.quantiles(seconds, n=20)[-1], max(seconds)
    print(f"ms: median {1000 * median:.0f}, 95% below {1000 * late:.0f}, most {1000 * most:.0f}")
    if options.pid:
        print(f"memory, MB: {before:.0f} before, {memory(options.pid):.0f} after")


def memory(pid: int | None) -> float:
    """The resident memory of a process, in MB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines() if pid else ["VmRSS 0"]
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


if __name__ == "__main__":
    main()
