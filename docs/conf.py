"""Sphinx: the pages of this folder, and tables that the registries and the commands write themselves."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from features.__main__ import table  # noqa: E402
from features.registry import all_features, column_features  # noqa: E402
from ltr.labelling import labelling_functions  # noqa: E402
from ltr.supervision import DEFAULT  # noqa: E402
from models.base import baselines, rankers  # noqa: E402

project = "Riposte"
author = "the Riposte authors"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "Riposte"
exclude_patterns = ["generated"]
myst_heading_anchors = 3

COMMANDS = (
    *("ltr.train", "ltr.predict", "ltr.evaluate", "ltr.search", "ltr.explain", "ltr.export"),
    *("experiments.effectiveness", "experiments.ablation", "experiments.compare", "experiments.report"),
    *("experiments.learning_curve", "experiments.supervision", "experiments.recall"),
    *("experiments.synthetic", "experiments.scale", "experiments.pool"),
)


def groups() -> str:
    """A row a feature group."""
    rows = ["| group | features | columns | learned from |", "|---|---|---|---|"]
    for group in dict.fromkeys(feature.group for feature in all_features()):
        features = [feature for feature in all_features() if feature.group == group]
        columns = [f for f in column_features().values() if f.group == group]
        rows.append(f"| {group} | {len(features)} | {len(columns)} | {sum(f.sign != 0 for f in columns)} |")
    return "\n".join(rows)


def functions() -> str:
    """A row a labelling function."""
    rows = ["| function | looks at judgments | default for | what it votes |", "|---|---|---|---|"]
    for name, function in labelling_functions().items():
        used = ", ".join(dimension for dimension, names in DEFAULT.items() if name in names) or "-"
        rows.append(f"| `{name}` | {'yes' if function.anchor else 'no'} | {used} | {function.description} |")
    return "\n".join(rows)


def ranker_table() -> str:
    """A row a ranker."""
    rows = ["| ranker | kind | what it is |", "|---|---|---|"]
    for name, description in rankers().items():
        rows.append(f"| `{name}` | {'teacher' if name in baselines() else 'learned'} | {description} |")
    return "\n".join(rows)


def options(command: str) -> str:
    """The help text of a command."""
    text = importlib.import_module(command).parser().format_help()
    return f"```text\n{text.rstrip()}\n```"


def write(name: str, text: str) -> None:
    """A page part, touched only when it changed."""
    path = HERE / "generated" / name
    path.parent.mkdir(exist_ok=True)
    if not path.exists() or path.read_text("utf-8") != text + "\n":
        path.write_text(text + "\n", "utf-8")


write("features.md", table(all_features()))
write("groups.md", groups())
write("functions.md", functions())
write("rankers.md", ranker_table())
for command in COMMANDS:
    write(f"{command}.md", options(command))
