from __future__ import annotations

import io
import re

import pytest

from ltr.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_nothing_moves_without_a_terminal() -> None:
    out = io.StringIO()
    progress = Progress(stream=out)
    with progress.stage("index", unit="arguments", total=10) as tick:
        for _ in range(10):
            tick()
    progress.say("a line")
    assert out.getvalue() == "a line\n"


def test_a_terminal_sees_share_and_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(1000))
    monkeypatch.setattr("time.perf_counter", lambda: float(next(clock)))  # a second a look
    out = Terminal()
    with Progress(stream=out).stage("index", unit="arguments", total=4) as tick:
        tick()
        tick(1, 0.75)
    shown = [line for line in out.getvalue().split("\r\x1b[K") if line]
    # One of four after one second leaves three; at 75% after two seconds, two thirds of a second are left.
    assert shown == ["index ...", "index 25%: 1 arguments, 1/s, 3 s left", "index 75%: 2 arguments, 1/s, 1 s left"]
    assert out.getvalue().endswith("\r\x1b[K"), "the line is gone in the end"


def test_quiet_silences_progress_but_no_warning() -> None:
    out = Terminal()
    progress = Progress(quiet=True, stream=out)
    with progress.stage("index") as tick:
        tick()
    progress.say("chatter")
    progress.warn("topic 7 is not in the run")
    assert out.getvalue() == "warning: topic 7 is not in the run\n"


def test_seconds_add_up_by_stage_and_a_stage_inside_another_counts_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 1.5, 10.0, 12.0, 20.0, 20.25, 30.0, 31.0, 34.0, 40.0])
    monkeypatch.setattr("time.perf_counter", lambda: next(clock))
    out = io.StringIO()
    progress = Progress(stream=out)
    for name in ("index", "model", "index"):
        with progress.stage(name):
            pass
    with progress.stage("features"), progress.stage("rank"):
        pass
    assert progress.seconds == {"index": 1.75, "model": 2.0, "rank": 3.0, "features": 7.0}
    progress.print_report()
    assert [re.split(r"  +", line) for line in out.getvalue().splitlines()] == [
        *([name, f"{seconds:.2f} s"] for name, seconds in progress.seconds.items()), ["sum", "13.75 s"]
    ]  # fmt: skip
