"""``python tests/support/load.py ADDRESS QUESTIONS.txt --users N --requests M``: how a server that runs stands load.

Each user asks, waits for the answer and asks again, the next line of the file; the table on docs/serve.md is made of
what this prints. With ``--pid`` it also says how much memory the server holds before and after.
"""

from __future__ import annotations

import argparse
import statistics
import threading
import time
from collections import Counter
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
    lines = options.questions.read_text("utf-8").splitlines()
    left = islice(cycle(lines), options.requests)
    lock, seconds, statuses = threading.Lock(), [], Counter[int]()

    def ask() -> None:
        while True:
            with lock:
                question = next(left, None)
            if question is None:
                return
            start = time.perf_counter()
            try:
                with urlopen(f"{options.address}/api/search?{urlencode({'q': question})}", timeout=120) as response:
                    response.read()
                    status = response.status
            except HTTPError as error:
                status = error.code
            with lock:
                statuses[status] += 1
                seconds.append(time.perf_counter() - start)

    before = memory(options.pid)
    start = time.perf_counter()
    users = [threading.Thread(target=ask) for _ in range(options.users)]
    for user in users:
        user.start()
    for user in users:
        user.join()
    took = time.perf_counter() - start
    median, late, most = statistics.median(seconds), statistics.quantiles(seconds, n=20)[-1], max(seconds)
    print(f"{options.users} users, {len(seconds)} requests in {took:.0f} s: {dict(statuses)}")
    print(f"ms: median {1000 * median:.0f}, 95% below {1000 * late:.0f}, most {1000 * most:.0f}")
    if options.pid:
        print(f"memory, MB: {before:.0f} before, {memory(options.pid):.0f} after")


def memory(pid: int | None) -> float:
    """What a process holds, in MB."""
    if pid is None:
        return 0.0
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024


if __name__ == "__main__":
    main()
