"""The task's CSV with far too much of something."""

from __future__ import annotations

from pathlib import Path

from support.large_inputs import case, predict, row, table


@case(100_000, 1_000_000, 10_000_000)
def short_rows(folder: Path, number: int) -> list[str]:
    rows = (row(f"S{n:x}-A{n:x}", ["Cars smell."]) for n in range(number))
    return predict(folder, table(folder, rows))


@case(10_000_000, 30_000_000, 100_000_000)
def a_field(folder: Path, number: int) -> list[str]:
    return predict(folder, table(folder, [row("S1-A1", ["Ban cars.", "They smell."], text="x" * number)]))


@case(10_000_000, 100_000_000, 1_000_000_000)
def a_line_without_end(folder: Path, number: int) -> list[str]:
    return predict(folder, table(folder, ["x" * 1_000_000] * (number // 1_000_000)))


@case(10_000_000, 100_000_000, 1_000_000_000)
def a_cell_of_many_lines(folder: Path, number: int) -> list[str]:
    return predict(folder, table(folder, ['"', *["\n" * 1_000_000] * (number // 1_000_000)]))


@case(30_000_000, 100_000_000, 300_000_000)
def lines_between_which_no_row_begins(folder: Path, number: int) -> list[str]:
    """Where a file is cut, the next row is looked for."""
    return predict(folder, table(folder, ['"', *["x" * 499_999 + "\n"] * (number // 500_000)]))


@case(10_000, 100_000, 1_000_000)
def arguments_of_one_debate(folder: Path, number: int) -> list[str]:
    rows = (row(f"S1-A{n:x}", [f"Cars smell of oil {n}.", "Ban cars in cities now."]) for n in range(number))
    return predict(folder, table(folder, rows), "--timings", model="")


@case(10_000, 100_000, 1_000_000)
def copies_of_an_argument(folder: Path, number: int) -> list[str]:
    rows = (row(f"S1-A{n:x}", ["Cars smell.", "Ban cars in cities."]) for n in range(number))
    return predict(folder, table(folder, rows), "--timings", model="")


@case(10_000, 100_000, 1_000_000)
def sentences_of_one_argument(folder: Path, number: int) -> list[str]:
    rows = [row("S1-A1", (f"Cars in cities smell of oil number {n}." for n in range(number)))]
    return predict(folder, table(folder, rows), "--timings", model="")


@case(10_000, 100_000, 1_000_000)
def sentences_of_one_argument_as_a_whole(folder: Path, number: int) -> list[str]:
    return [*sentences_of_one_argument(folder, number), "--task", "arguments"]


@case(100_000, 1_000_000, 10_000_000)
def a_word(folder: Path, number: int) -> list[str]:
    rows = [row("S1-A1", ["Ban cars " + "x" * number, "Ban cities " + "y" * number])]
    return predict(folder, table(folder, rows), "--timings", model="")


@case(100_000, 1_000_000, 10_000_000)
def two_sentences(folder: Path, number: int) -> list[str]:
    rows = [row("S1-A1", ["Ban cars in cities " * (number // 19), "Ban all cars cities " * (number // 20)])]
    return predict(folder, table(folder, rows), "--timings", model="")


@case(100_000, 1_000_000, 10_000_000)
def two_arguments_of_short_words(folder: Path, number: int) -> list[str]:
    texts = ["ban cars " + " ".join(f"w{n:x}" for n in range(number // 6)), "ban " + "cars cities " * (number // 12)]
    rows = [row(f"S1-A{n}", [text]) for n, text in enumerate(texts)]
    return [*predict(folder, table(folder, rows), "--timings", model=""), "--task", "arguments"]


@case(100, 10_000, 1_000_000)
def a_deep_literal(folder: Path, number: int) -> list[str]:
    return predict(folder, table(folder, [f"S1-A1,Ban cars,[],{{}},{'[' * number}{']' * number}\n"]))


@case(100_000, 1_000_000, 10_000_000)
def a_literal_of_empty_dicts(folder: Path, number: int) -> list[str]:
    return predict(folder, table(folder, [f'S1-A1,Ban cars,[],{{}},"[{"{}," * number}]"\n']))


@case(100_000, 1_000_000, 10_000_000)
def titles(folder: Path, number: int) -> list[str]:
    rows = [
        row("S1-A1", ["Ban cars.", "They smell."], title="Cars " * (number // 5), conclusion="Ban " * (number // 4))
    ]
    return predict(folder, table(folder, rows), "--timings", model="")
