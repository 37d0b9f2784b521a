"""Text about people's grades for a data card, with the figures filled in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from experiments.agreement.coefficients import Estimate
from experiments.agreement.study import Row, Table
from experiments.booklet.study import MEAN, READER


def card_text(booklet: str, people: int, pairs: int, missing: int, tables: Mapping[str, Sequence[Table]]) -> str:
    """A paragraph and a table in Markdown; ``tables`` are those of `experiments.booklet.study` by dimension."""
    found = {name: {table.key: table.rows for table in of} for name, of in tables.items()}
    first = next(iter(found.values()))
    topics = max(int(row["topics"]) for row in first["agreement"])
    orders = ", ".join(f"{brief(with_reader(of)['order'])} in {name}" for name, of in found.items())
    means = ", ".join(
        f"{row['as read']:.2f} to {brief(row['corrected'])} in {name}"
        for name, of in found.items()
        for row in of["mean"]
    )
    paragraph = (
        f"**People beside the reader.** {people} people graded {pairs} pairs of {topics} topics, in one drawn "
        f"order, without the reader's grades (`riposte booklet`, booklet `{booklet}`). The pairs were drawn so that "
        "each grade of the reader is frequent; a random sample would have other kappas. "
        f"{missing} of {3 * people * pairs} grades are missing. "
        f"Where the mean of people puts two pairs of a topic in order, the reader has the same order in {orders} of "
        f"the cases (chance: .5). People's grades would change the mean of the reader's grades from {means}. "
        "Intervals are over topics; those of people's means are over topics and people."
    )
    rows: dict[str, list[str]] = {}
    for of in found.values():
        couples = sorted(
            row["quadratic kappa"].value for row in of["agreement"] if row["quadratic kappa"].value is not None
        )
        among = f"{number(couples[0])} to {number(couples[-1])}" if couples else "-"
        rows.setdefault("people with each other: quadratic kappa, lowest to highest", []).append(among)
        if "alpha" in of:
            rows.setdefault("people: Krippendorff's alpha, ordinal", []).append(brief(of["alpha"][0]["ordinal"]))
        for figure in ("equal", "quadratic kappa", "difference", "order"):
            rows.setdefault(f"{MEAN} and {READER}: {figure}", []).append(brief(with_reader(of)[figure]))
        for row in of["levels"]:
            rows.setdefault(f"{MEAN} where the {READER} gave {row['reader']}", []).append(brief(row["people"]))
        for row in of["mean"]:
            rows.setdefault("mean of all read grades, corrected", []).append(brief(row["corrected"]))
    lines = [["", *found], ["---"] * (len(found) + 1), *([name, *cells] for name, cells in rows.items())]
    return "\n".join([paragraph, "", *(f"| {' | '.join(line)} |" for line in lines), ""])


def with_reader(tables: Mapping[str, Sequence[Row]]) -> Row:
    """The row of the mean of people beside the reader."""
    return next(row for row in tables["reader"] if row["graders"] == f"{MEAN} / {READER}")


def brief(value: Estimate) -> str:
    """A figure for a page: ``.53 [.45, .60]``."""
    if value.value is None:
        return "-"
    return number(value.value) + ("" if value.low is None else f" [{number(value.low)}, {number(value.high or 0)}]")


def number(value: float) -> str:
    """Two decimals without a leading zero.

    >>> number(0.5), number(-0.25), number(1.5)
    ('.50', '-.25', '1.50')
    """
    text = f"{value:.2f}"
    return text.replace("0.", ".", 1) if abs(value) < 0.995 else text
