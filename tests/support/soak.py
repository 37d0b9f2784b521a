"""``python tests/support/soak.py commands|serve CORPUS.csv --minutes 60``: does anything grow over an hour?

``commands`` indexes and asks in one process, again and again: each turn other arguments of the corpus, with words that
no other turn has, in a new folder, in this process and in two others. ``serve`` starts `ltr.serve` and asks all tasks,
questions new and old, while others hang up or talk nonsense. Both write a table beside what they print at the end:
memory, open files, threads, processes, temporary files and shared memory over time.
"""

from __future__ import annotations

import argparse
import csv
import functools
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException
from itertools import count, islice
from pathlib import Path
from urllib.parse import urlencode

from support.usage import Log

ARGUMENTS = 1500
"""Of the corpus, in a turn."""

SERVE = """
import sys
from support.soak import small_caches
if most := int(sys.argv.pop(1)):
    small_caches(most)
from ltr.commands import serve
serve.run_command(serve.main)
"""


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("what", choices=["commands", "serve"])
    p.add_argument("corpus", type=Path, help="a CSV of arguments")
    p.add_argument("--minutes", type=float, default=60)
    p.add_argument("--log", type=Path, default=Path("soak.csv"), help="the table (default: %(default)s)")
    p.add_argument("--index", help="of the corpus, for serve: a copy, since values are kept in it")
    p.add_argument("--users", type=int, default=3)
    text = "entries that caches hold at most: they fill for hours, and hide what grows without bound"
    p.add_argument("--caches", type=int, default=0, help=text)
    options = p.parse_args()
    if options.caches:
        small_caches(options.caches)
    csv.field_size_limit(1 << 30)
    with tempfile.TemporaryDirectory() as temporary:
        os.environ["TMPDIR"] = tempfile.tempdir = temporary
        os.environ["RIPOSTE_CACHE"] = str(Path(temporary).with_suffix(".cache"))
        try:
            (soak_commands if options.what == "commands" else soak_server)(options, Path(temporary))
        finally:
            shutil.rmtree(os.environ["RIPOSTE_CACHE"], ignore_errors=True)


def small_caches(most: int) -> None:
    """Whatever is imported from now on has caches of no more entries."""
    usual = functools.lru_cache
    functools.lru_cache = lambda maxsize=128, typed=False: (  # type: ignore[assignment]
        usual(most, typed)(maxsize) if callable(maxsize) else usual(None if maxsize is None else min(maxsize, most))
    )
    from features.content import matching
    from features.core import text
    from features.learned import vectors

    matching.MOST = most
    text.Analyzer.__init__.__defaults__ = (True, True, most)
    vectors.Pieces.__init__.__defaults__ = (most,)


def questions(corpus: Path) -> Iterator[str]:
    """Beginnings of conclusions, each with a word that was never said before; without end."""
    with corpus.open(newline="", encoding="utf-8") as table:
        titles = [row["conclusion"][:80] for row in islice(csv.DictReader(table), 5000) if row["conclusion"].strip()]
    for number in count():
        yield f"{random.Random(number).choice(titles)} qz{number}x"


# ---- commands -------------------------------------------------------------------------------------


def soak_commands(options: argparse.Namespace, temporary: Path) -> None:
    """Index and ask in this process until the time is over."""
    from ltr.commands import predict
    from ltr.data.topics import Topic, write_topics
    from ltr.tasks import find_task

    log, asked = Log(options.log, os.getpid(), temporary), questions(options.corpus)
    place = temporary.with_suffix(".turn")
    for turn in count():
        (place / "corpus").mkdir(parents=True)
        task, jobs = ("pairs", "arguments", "comparative")[turn % 3], str(1 + turn // 3 % 2)
        if task == "comparative":
            source = find_task(task).sample.folder / "passages.jsonl"
            text = source.read_text("utf-8").replace(" the ", f" qz{turn} ")
            (place / "corpus" / source.name).write_text(text, "utf-8")
        else:
            some_arguments(options.corpus, place / "corpus" / "args_processed.csv", turn)
        titles = [next(asked) for _ in range(4)]
        if task == "comparative":
            titles = [f"Which is better, a gas hob or a bread box, says {title}?" for title in titles]
        write_topics(place / "topics.xml", [Topic(str(n), title) for n, title in enumerate(titles, 1)])
        given = ["-i", place / "corpus", "-o", place / "out", "--index", place / "index", "--quiet"]
        given += ["--topics", place / "topics.xml", "--task", task, "--jobs", jobs]
        predict.main(list(map(str, given)))
        shutil.rmtree(place)
        log.note(turn + 1)
        if log.minutes > options.minutes:
            break
    print(log.report())


def some_arguments(corpus: Path, place: Path, turn: int) -> None:
    """Other rows of the corpus each turn, in which one common word is one that no other turn has."""
    with corpus.open(newline="", encoding="utf-8") as table, place.open("w", newline="", encoding="utf-8") as out:
        rows, writer = csv.reader(table), csv.writer(out)
        writer.writerow(next(rows))
        start = turn * ARGUMENTS % 20_000
        for number, row in enumerate(islice(rows, start, start + ARGUMENTS)):
            writer.writerow([cell.replace(" the ", f" qz{turn}w{number} ") for cell in row])


# ---- serve ----------------------------------------------------------------------------------------


def soak_server(options: argparse.Namespace, temporary: Path) -> None:
    """Ask a server of this machine until the time is over."""
    from ltr.tasks import find_task

    given = ["-i", options.corpus, "--comparative", find_task("comparative").sample.folder, "--port", 0, "--jobs", 1]
    given += ["--index", options.index] if options.index else []
    command = [sys.executable, "-c", SERVE, str(options.caches), *map(str, given)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, bufsize=1)
    try:
        assert server.stdout
        port = next(int(line.split(":")[2].split("/")[0]) for line in server.stdout if line.startswith("http://"))
        log, ended, answered = Log(options.log, server.pid, temporary), threading.Event(), count()
        asked, lock = questions(options.corpus), threading.Lock()
        work = [(ask, port, asked, answered, lock, ended)] * options.users + [(disturb, port, ended)]
        users = [threading.Thread(target=one, args=rest) for one, *rest in work]
        for user in users:
            user.start()
        while log.minutes < options.minutes and server.poll() is None:
            ended.wait(10)
            log.note(int(repr(answered)[6:-1]))
        ended.set()
        for user in users:
            user.join()
        print(log.report())
        print("the server lives" if server.poll() is None else f"the server ended by itself: {server.returncode}")
    finally:
        server.terminate()
        server.wait(30)


def ask(port: int, asked: Iterator[str], answered: Iterator[int], lock: threading.Lock, ended: threading.Event) -> None:
    """One user: new questions and earlier ones, each with its reasons, its run or an argument."""
    earlier, chance = ["Should zoos be closed?"], random.Random(threading.get_ident())
    while not ended.is_set():
        if chance.random() < 0.7:
            with lock:
                earlier.append(next(asked))
        question = earlier[-1] if chance.random() < 0.8 else chance.choice(earlier)
        task = chance.choice(["pairs", "arguments", "comparative"])
        if task == "comparative":
            question = f"Which is better, a gas hob or a bread box, says {question}?"
        for path in ("search", chance.choice(["reasons", "run", "search"])):
            with suppress(OSError, HTTPException), closing(HTTPConnection("127.0.0.1", port, timeout=120)) as server:
                server.request("GET", f"/api/{path}?{urlencode({'task': task, 'q': question})}")
                if server.getresponse().read():
                    next(answered)
        del earlier[:-50]


def disturb(port: int, ended: threading.Event) -> None:
    """One who hangs up in the middle, says nothing, or talks nonsense; ten times a second."""
    sayings = [
        b"",
        b"GET /api/search?q=zoo HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",  # and gone before the answer
        b"GET /api/search?q=zo",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP/1.1\r\nHost: " + b"a" * 40_000,
        b"POST /api/search HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\n\r\nhalf",
        b"GET /api/argument?task=pairs&id=%ff HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    ]
    silent: list[socket.socket] = []
    for number in count():
        if ended.wait(0.1):
            break
        with suppress(OSError):
            found = socket.create_connection(("127.0.0.1", port), timeout=5)
            found.sendall(sayings[number % len(sayings)])
            silent.append(found)
        if len(silent) > 20:
            silent.pop(0).close()
    for found in silent:
        found.close()


if __name__ == "__main__":
    main()
