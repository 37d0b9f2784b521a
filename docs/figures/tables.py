"""Tables of README and the pages, as Markdown, from the files of figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

Files = Mapping[str, Any]
"""Name of a file -> its content."""
Figure = Mapping[str, float]
"""A mean with its interval: mean, low, high."""

OURS = "ours"
FIRST = f"{OURS}, first step"
"""Our model without the encoder; ``first-step`` in a mark."""
BASELINES = ("bm25", "bm25-tuned", "dirichlet")
"""The baselines that every task has."""
SEEN = "†"
AHEAD, BEHIND = "▲", "▼"
"""Ours is ahead of a baseline, or behind: the interval of the difference excludes 0."""


def table(words: Sequence[str], files: Files) -> str:
    """The table that a mark asks for: files, a view of them, and the view's own words. Raises KeyError."""
    names, view, *rest = words
    return VIEWS[view](*(files[name] for name in names.split(",")), *rest)


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table."""
    lines = [head, *rows]
    texts = ["|" + "".join(f" {cell} |" if cell else " |" for cell in line) for line in lines]
    return "\n".join([texts[0], "|" + "---|" * len(head), *texts[1:]])


def short(value: float, sign: str = "", decimals: int = 3) -> str:
    """Without a leading zero.

    >>> short(0.5), short(-0.25, "+"), short(1.0)
    ('.500', '-.250', '1.000')
    """
    text = f"{value:{sign}.{decimals}f}"
    return text.replace("0.", ".", 1) if text.lstrip("+-").startswith("0.") else text


def share(figure: Figure) -> str:
    """Two decimals of the mean, for judged@5."""
    return short(figure["mean"], decimals=2)


def interval(figure: Figure, sign: str = "") -> str:
    """``.500 [.400, .600]``."""
    return f"{short(figure['mean'], sign)} [{short(figure['low'], sign)}, {short(figure['high'], sign)}]"


# ---- people's judgments -------------------------------------------------------------------------


def boards_of(human: Any, *tasks: str) -> list[Any]:
    """The boards of the tasks, of all by default, a dimension each: figures by set and ranker, and of the mean."""
    boards = []
    for report in human["figures"]:
        for dimension in report["runs"][0]["dimensions"] if report["task"] in tasks or not tasks else ():
            found = {run["run"]: run["dimensions"][dimension]["measures"] for run in report["runs"]}
            sets = {
                one["name"]: one
                | {"rankers": {run: of[one["name"] + SEEN * bool(one["seen"])] for run, of in found.items()}}
                for one in report["sets"]
                if one["dimension"] == dimension
            }
            mean = {run: of["mean"] for run, of in found.items() if "mean" in of}
            less = {run: of[f"{OURS} minus it"] for run, of in found.items() if run in mean and run != OURS}
            boards.append(
                {"task": report["task"], "dimension": dimension, "sets": sets, "mean": mean, f"{OURS} minus": less}
            )
    return boards


def verdict(difference: Figure) -> str:
    """`AHEAD`, `BEHIND` or nothing."""
    return AHEAD if difference["low"] > 0 else BEHIND if difference["high"] < 0 else ""


def rankers_of(board: Any) -> list[str]:
    """Ours, its first step, ours by the board's dimension alone, and every baseline."""
    names = list(dict.fromkeys(name for one in board["sets"].values() for name in one["rankers"]))
    own = (FIRST, f"{OURS}, {board['dimension']} alone")
    return [name for name in names if not name.startswith(f"{OURS}, ") or name in own]


def people_summary(human: Any, task: str, *rankers: str) -> str:
    """A row a ranker, a column a dimension: means over the sets that trained nothing."""
    boards = [board for board in boards_of(human, task) if board["mean"]]
    rows = []
    named = [FIRST if name == "first-step" else name for name in rankers]
    for ranker in named or [name for name in rankers_of(boards[0]) if not name.endswith(" alone")]:
        cells = []
        for board in boards:
            mean = board["mean"][ranker]
            less = board[f"{OURS} minus"].get(ranker)
            cells.append(f"{short(mean['mean'])} {verdict(less)}".rstrip() if less else interval(mean))
        rows.append([ranker, *cells])
    return markdown(["ranker", *(board["dimension"] for board in boards)], rows)


def people_board(human: Any, task: str, dimension: str) -> str:
    """A row a ranker, a column a set; then the mean over the sets that trained nothing, and ours minus it."""
    (board,) = [board for board in boards_of(human, task) if board["dimension"] == dimension]
    sets, rows = board["sets"], []
    for ranker in rankers_of(board):
        figures = [one["rankers"].get(ranker) for one in sets.values()]
        cells = [short(figure["mean"]) if figure else "" for figure in figures]
        if board["mean"]:
            less = board[f"{OURS} minus"].get(ranker)
            difference = f"{interval(less, '+')} {verdict(less)}".rstrip() if less else ""
            cells += [interval(board["mean"][ranker]), difference]
        rows.append([ranker, *cells])
    head = [f"{name}{SEEN * bool(one['seen'])} ({one['topics']})" for name, one in sets.items()]
    return markdown(["ranker", *head, *(["mean", f"{OURS} minus it"] if board["mean"] else [])], rows)


def people_verdict(human: Any) -> str:
    """A row a task and dimension: ours minus each baseline, and the baselines that it is not shown to be ahead of."""
    rows = []
    for board in boards_of(human):
        if board["mean"]:
            less = {name: board[f"{OURS} minus"][name] for name in BASELINES}
            cells = [f"{interval(figure, '+')} {verdict(figure)}".rstrip() for figure in less.values()]
            missed = [name for name, figure in less.items() if verdict(figure) != AHEAD]
            rows.append([board["task"], board["dimension"], *cells, ", ".join(missed) or "none"])
    head = [f"{OURS} minus {name}" for name in BASELINES]
    return markdown(["task", "judged", *head, "not shown to be ahead of"], rows)


def people_sets(human: Any) -> str:
    """A row a set."""
    rows: dict[tuple[str, str], list[str]] = {}
    for board in boards_of(human):
        for name, one in board["sets"].items():
            seen = f"{board['task']}: {one['seen']}" if one["seen"] else ""
            row = rows.setdefault(
                (name, board["dimension"]),
                [f"`{name}`", board["dimension"], one["what"], str(one["topics"]), one["measure"], "", one["left out"]],
            )
            row[5] = "; ".join(filter(None, (row[5], seen)))
    return markdown(["set", "dimension", "what people judged", "topics", "measure", SEEN, "left out"], rows.values())


# ---- grades by a language model -----------------------------------------------------------------


def supervision(study: Any) -> str:
    """A row a kind of supervision: the mean over dimensions, condensed, and its difference from the reference."""
    figures, measure = study["figures"], "condensed_nDCG@5"
    *_, judgments = [name for name in figures["runs"][0]["dimensions"] if name.startswith("mean of the dimensions")]
    every = [test for test in figures["comparisons"] + figures["untested"] if test["measure"] == measure]
    tests = {test["run"]: test for test in every if test["judgments"] == judgments}
    rows = []
    for run in figures["runs"]:
        found, test = run["dimensions"][judgments]["measures"], tests.get(run["run"])
        p = short(test["adjusted_p"]) if test and "adjusted_p" in test else ""
        difference = [interval(test, "+") if test else "", p]
        cells = [share(found["judged@5"]), interval(found["nDCG@5"]), interval(found[measure])]
        rows.append([run["run"], *cells, *difference])
    less = f"condensed, minus *{figures['baseline']}*"
    return markdown(["rankers", "judged@5", "full", "condensed", less, "p"], rows)


def first_five(report: Any, *runs: str) -> str:
    """A row a run: nDCG@5 in each dimension, the graded share of the first five, and nDCG@5 of graded pairs alone."""
    named = {one["run"].rpartition("/")[2].removesuffix(".txt"): one["dimensions"] for one in report["figures"]["runs"]}
    rows = []
    for name in runs or named:
        figures = [found["measures"] for found in named[name].values()]
        cells = [interval(measures["nDCG@5"]) for measures in figures]
        last = figures[-1]
        rows.append([f"`{name}`", *cells, share(last["judged@5"]), short(last["condensed_nDCG@5"]["mean"])])
    *_, name = head = list(next(iter(named.values())))
    return markdown(["held-out run", *head, "judged@5", f"{name}, condensed"], rows)


WORTH = ("all-three", "graded", "weak", "distant", "bm25", "random")
"""Runs that README shows: each source alone, all of them, and two without any."""


def worth(report: Any) -> str:
    """A row a run: the mean of the dimensions, with its interval, and that of graded pairs alone."""
    named = {one["run"].rpartition("/")[2].removesuffix(".txt"): one["dimensions"] for one in report["figures"]["runs"]}
    rows = []
    for name in WORTH:
        *_, mean = named[name].values()
        full, condensed = (mean["measures"][measure] for measure in ("nDCG@5", "condensed_nDCG@5"))
        rows.append([name.replace("-", " "), interval(full), short(condensed["mean"])])
    return markdown(["learned from", "nDCG@5", "condensed"], rows)


VIEWS: Mapping[str, Callable[..., str]] = {
    "summary": people_summary,
    "board": people_board,
    "verdict": people_verdict,
    "sets": people_sets,
    "supervision": supervision,
    "first-five": first_five,
    "worth": worth,
}
