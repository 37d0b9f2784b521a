"""Topics, judgments and runs with far too much of something."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from support.large_inputs import TOPICS, case, predict, row, table

# ---- topics ---------------------------------------------------------------------------------------


def ask(folder: Path, parts: Iterable[str]) -> list[str]:
    with (folder / "topics.xml").open("w") as out:
        out.writelines(parts)
    return predict(folder, table(folder, [row("S1-A1", ["Ban cars.", "They smell."])]), "--dry-run")


@case(10_000, 100_000, 1_000_000)
def topics(folder: Path, number: int) -> list[str]:
    found = (f"<topic><number>{n}</number><title>Ban cars in city {n}?</title></topic>" for n in range(number))
    return ask(folder, ("<topics>", *found, "</topics>"))


@case(10_000, 100_000, 1_000_000)
def attributes(folder: Path, number: int) -> list[str]:
    return ask(folder, [TOPICS.replace("<topic>", "<topic " + " ".join(f'a{n}="1"' for n in range(number)) + ">")])


@case(10_000, 1_000_000, 15_000_000)
def deep_elements(folder: Path, number: int) -> list[str]:
    return ask(folder, ["<topics>", "<a>" * number, "</a>" * number, "</topics>"])


@case(100_000, 1_000_000, 30_000_000)
def elements(folder: Path, number: int) -> list[str]:
    return ask(folder, [TOPICS.replace("<title>", "<title>" + "<a/>" * number)])


@case(100_000, 1_000_000, 60_000_000)
def objects_compared(folder: Path, number: int) -> list[str]:
    return ask(folder, [TOPICS.replace("</title>", f"</title><objects>{'a,' * number}</objects>")])


# ---- judgments and runs ---------------------------------------------------------------------------


def measure(folder: Path, run: Iterable[str], qrels: Iterable[str]) -> list[str]:
    for name, found in (("run.txt", run), ("a.qrels", qrels)):
        with (folder / name).open("w") as out:
            out.writelines(found)
    return ["-m", "ltr.evaluate", "--run", str(folder / "run.txt"), "--qrels", str(folder / "a.qrels")]


@case(10_000, 100_000, 1_000_000)
def judgments_of_one_topic(folder: Path, number: int) -> list[str]:
    return measure(folder, ["1 Q0 d1 1 1 t\n"], (f"1 0 d{n} {n % 3}\n" for n in range(number)))


@case(10_000, 100_000, 1_000_000)
def judged_topics(folder: Path, number: int) -> list[str]:
    return measure(folder, (f"{n} Q0 d1 1 1 t\n" for n in range(number)), (f"{n} 0 d1 1\n" for n in range(number)))


@case(10_000, 100_000, 1_000_000)
def ranks_of_one_topic(folder: Path, number: int) -> list[str]:
    return measure(folder, (f"1 Q0 d{n} {n} {-n} t\n" for n in range(number)), ["1 0 d1 1\n"])


@case(100_000, 1_000_000, 10_000_000)
def short_lines_of_a_run(folder: Path, number: int) -> list[str]:
    return measure(folder, ["1 Q0 a 1 1 t\n"] * number, ["1 0 a 1\n"])


@case(100_000, 1_000_000, 60_000_000)
def empty_lines_of_a_run(folder: Path, number: int) -> list[str]:
    return measure(folder, ["1 Q0 a 1 1 t\n", *["\n"] * number], ["1 0 a 1\n"])


@case(100_000, 1_000_000, 60_000_000)
def columns_of_a_line(folder: Path, number: int) -> list[str]:
    return measure(folder, ["1 Q0 a 1 1 t ", "x " * number], ["1 0 a 1\n"])
