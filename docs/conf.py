"""Sphinx configuration, and the parts of pages that are made from the registries, the commands and the figures."""

from __future__ import annotations

import importlib
import json
import pkgutil
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE), str(HERE / "figures")]

from make import sources  # noqa: E402
from notebooks import NOTEBOOK, page  # noqa: E402
from tables import boards_of, people_board, people_sets, supervision  # noqa: E402

from features.core.feature import ALL_KINDS, Feature, all_features, column_features  # noqa: E402
from ltr.cli.main import commands  # noqa: E402
from ltr.learning.functions import labelling_functions  # noqa: E402
from ltr.model_folder.card import CARD  # noqa: E402
from ltr.model_folder.store import MANIFEST, PRETRAINED  # noqa: E402
from models.base import DIMENSIONS, baselines, rankers  # noqa: E402
from models.baselines import DENSE  # noqa: E402
from models.learned import columns_of  # noqa: E402

project = "Riposte"
author = "the Riposte authors"
INHERITED = "get_metadata_routing, set_fit_request, set_predict_request, set_score_request"
"""Methods that scikit-learn adds to an estimator; their docstrings link into its own pages."""

extensions = ["myst_parser", "sphinx.ext.autodoc"]
autodoc_default_options = {
    "members": True,
    "member-order": "bysource",
    "exclude-members": INHERITED,
    "ignore-module-all": True,  # what a package exports is described where it is written
}
autodoc_typehints_format = "short"
html_theme = "furo"
html_title = "Riposte"
exclude_patterns = ["generated/*.md", "generated/commands"]  # parts of pages
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3


def groups() -> str:
    """Table of feature groups, with the number of columns that each ranker of the shipped model uses."""
    rankers = json.loads((PRETRAINED / "pairs" / MANIFEST).read_text("utf-8"))["rankers"]
    used = {name: set(columns_of(ranker["inputs"])) for name, ranker in rankers.items() if "inputs" in ranker}
    dimensions = [name for name in DIMENSIONS if name in used]
    head = ["group", "features", "columns", *dimensions]
    rows = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for group in dict.fromkeys(feature.group for feature in all_features()):
        features = [feature for feature in all_features() if feature.group == group]
        columns = [column for column, feature in column_features().items() if feature.group == group]
        numbers = [len(features), len(columns), *(len(used[name] & set(columns)) for name in dimensions)]
        rows.append(f"| {group} | {' | '.join(map(str, numbers))} |")
    total = [len(all_features()), len(column_features()), *(len(used[name]) for name in dimensions)]
    return "\n".join([*rows, f"| all | {' | '.join(map(str, total))} |"])


def functions() -> str:
    """Table of labelling functions."""
    rows = ["| function | dimension | supervision | weight | what it votes |", "|---|---|---|---|---|"]
    for name, function in labelling_functions().items():
        kind = "distant" if function.uses_qrels else "weak"
        cells = f"`{name}`", function.dimension, kind, f"{function.weight:g}", function.description
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


FEATURE_HEAD = "| feature | group | scope | columns | unit | what it is | source |\n|---|---|---|---|---|---|---|"


def feature_table(features: list[Feature]) -> str:
    """Table of features, sorted by group and name."""
    rows = []
    for f in sorted(features, key=lambda f: (f.group, f.name)):
        cells = [f"`{f.name}`", f.group, f.scope, ", ".join(f.lift) or "-", f.measured_in, f.description, f.source]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join([FEATURE_HEAD, *rows])


def ranker_table() -> str:
    """Table of rankers."""
    rows = ["| ranker | baseline of | what it is |", "|---|---|---|"]
    for name, description in rankers().items():
        items = [f"{kind}s" for kind in ALL_KINDS if name in baselines(kind)]
        without = "an encoder" if name == DENSE else "none: it is learned"
        rows.append(f"| `{name}` | {', '.join(items) or without} | {description} |")
    return "\n".join(rows)


def reference(package: str) -> str:
    """Reference page of a package, from the docstrings of its modules."""
    found = importlib.import_module(package)
    inside = pkgutil.iter_modules(getattr(found, "__path__", []))
    names = [package, *(f"{package}.{module.name}" for module in inside if not module.ispkg)]
    parts = [f"## `{name}`\n\n```{{eval-rst}}\n.. automodule:: {name}\n```" for name in names[1:]]
    head = f"# `{package}`\n\n```{{eval-rst}}\n.. automodule:: {package}\n```"
    return "\n\n".join([head, *parts])


def options(module: str) -> str:
    """Help text of the command in ``module``."""
    text = importlib.import_module(module).main.parser().format_help()
    return f"```text\n{text.rstrip()}\n```"


def boards(human: dict[str, Any]) -> str:
    """Tables of the figures by people's judgments, a row a ranker and a column a set."""
    parts = []
    for task in ("pairs", "arguments", "comparative"):
        for board in boards_of(human, task):
            dimension = board["dimension"]
            parts += [f"**{task}, {dimension}**", people_board(human, task, dimension)]
    return "\n\n".join(parts)


WRITTEN: set[Path] = set()


def write(name: str, text: str) -> None:
    """Write a part of a page if its text has changed."""
    path = HERE / "generated" / name
    WRITTEN.add(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text("utf-8") != text + "\n":
        path.write_text(text + "\n", "utf-8")


PACKAGES = (
    *(f"ltr.{name}" for name in ("data", "corpora", "remote", "index", "retrieval", "ranking", "answers", "tasks")),
    *("ltr.text_models", "ltr.learning"),
    *("ltr.model_folder", "ltr.evaluation", "ltr.parallel", "ltr.cluster", "ltr.web", "ltr.integrations"),
    *("models", "features.core"),
)

FIGURES = sources()
write("human-sets.md", people_sets(FIGURES["human.json"]))
write("human-figures.md", boards(FIGURES["human.json"]))
write("supervision-figures.md", supervision(FIGURES["supervision.json"]))
write("notebook.md", page(json.loads(NOTEBOOK.read_text("utf-8"))))
write("features.md", feature_table(all_features()))
write("groups.md", groups())
write("functions.md", functions())
write("rankers.md", ranker_table())
for folder in PRETRAINED.iterdir():
    write(f"models/{folder.name}.md", (folder / CARD).read_text("utf-8"))
for command, (module, _) in commands().items():
    write(f"commands/{command.replace('-', '_')}.md", options(module))
for package in PACKAGES:
    write(f"reference/{package}.md", reference(package))
for path in (HERE / "generated").rglob("*.md"):
    if path not in WRITTEN:  # of a module or model that is gone
        path.unlink()
