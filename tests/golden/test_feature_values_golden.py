"""Values of every feature on the sample, and the data files that features read.

They may only change together with a version: models are refused for another version of a feature, and for nothing else,
and kept values are found by it. After a change, raise ``version`` and record the new values:
``PYTHONPATH=.:tests python tests/golden/test_feature_values_golden.py``. It refuses to record changes without a
version.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import grimp
import numpy as np
import pytest
from support.encoders import word_encoder

import features
from features.core.feature import all_features, column_features, columns
from ltr.corpora.source import open_corpus
from ltr.data.topics import read_topics
from ltr.files import sha256
from ltr.index.cache import open_index
from ltr.progress import Progress
from ltr.ranking.source import RankingSource
from ltr.ranking.steps import describe_head, described
from ltr.ranking.task import find_task, task_names

RECORDED = Path(__file__).with_name("feature_values.json")
DATA = Path(__file__).with_name("feature_data.json")
ROOT = Path(features.__path__[0]).parent
TASKS = {task.kind: task for task in map(find_task, task_names())}
ROWS = 200
DIGITS = 4
"""Significant digits of what is recorded: processors differ in the last ones of a value."""

Values = dict[str, dict[str, Any]]


def computed(folder: Path) -> Values:
    """Feature -> its version, and a summary of each column that it fills."""
    found: Values = {}
    for kind, task in TASKS.items():
        index = open_index(open_corpus(str(task.sample.folder)), folder / kind, Progress(quiet=True))
        topic = read_topics(task.sample.topics)[0]
        source = RankingSource(task, index, task.config)
        table = described(source, topic)
        every = np.ones(len(table), bool)
        features = describe_head(source, table, every, columns(kind, head=True), word_encoder()).features
        for column in columns(kind) + columns(kind, head=True):  # what the reader says is in tests of what ships
            feature = column_features(kind)[column]
            entry = found.setdefault(feature.name, {"version": feature.version, "columns": {}})
            entry["columns"][f"{kind} {column}"] = summary(features[column].to_numpy(np.float64)[:ROWS])
    return found


def summary(values: np.ndarray[Any, np.dtype[np.float64]]) -> list[float]:
    """Lowest, highest and mean value, and a mean that depends on the order of rows."""
    order = 1 + np.arange(len(values)) % 7
    parts = (values.min(), values.max(), values.mean(), np.average(values, weights=order))
    return [float(f"{part:.{DIGITS}g}") for part in parts]


def differences(old: Values, new: Values) -> dict[str, str]:
    """Feature -> what to do, where values and version do not go together."""
    found = dict.fromkeys(new.keys() - old.keys(), "is new: record it")
    found |= dict.fromkeys(old.keys() - new.keys(), "is gone: record that")
    for name in old.keys() & new.keys():
        same = old[name]["columns"].keys() == new[name]["columns"].keys() and all(
            np.allclose(values, new[name]["columns"][column], rtol=2e-3, atol=1e-6)
            for column, values in old[name]["columns"].items()
        )
        if old[name]["version"] != new[name]["version"]:
            found[name] = "has another version: record it"
        elif not same:
            found[name] = "has other values: raise its version"
    return found


def data_files() -> dict[str, dict[str, Any]]:
    """Data file -> its digest, and the versions of the features that may read it: by imports, at any distance."""
    graph = grimp.build_graph("features", "ltr", cache_dir=None)
    paths = [path for room in ("features", "ltr/tasks") for path in sorted((ROOT / room).rglob("*.*"))]
    sources = {path: path.read_text("utf-8") for path in paths if path.suffix == ".py"}
    found: dict[str, dict[str, Any]] = {}
    for file in paths:
        if not file.is_file() or file.suffix in (".py", ".pyc"):
            continue
        readers = [path for path, source in sources.items() if f'"{file.name}"' in source]
        modules = {".".join(path.relative_to(ROOT).with_suffix("").parts) for path in readers}
        modules |= {later for module in modules for later in graph.find_downstream_modules(module)}
        versions = {one.name: one.version for one in all_features() if one.compute.__module__ in modules}
        if versions:
            found[str(file.relative_to(ROOT))] = {"sha256": sha256(file), "versions": versions}
    return found


def changed_data(old: dict[str, dict[str, Any]], new: dict[str, dict[str, Any]]) -> dict[str, str]:
    """Data file -> what to do, where it changed."""
    found = dict.fromkeys(old.keys() ^ new.keys(), "is new or gone: record that")
    for name in old.keys() & new.keys():
        if old[name]["sha256"] != new[name]["sha256"]:
            versions = old[name]["versions"] != new[name]["versions"]
            found[name] = (
                "has new versions of features: record it" if versions else "changed: raise a feature's version"
            )
    return found


@pytest.fixture(scope="module")
def now(tmp_path_factory: pytest.TempPathFactory) -> Values:
    return computed(tmp_path_factory.mktemp("indexes"))


def test_values_change_only_with_the_version(now: Values) -> None:
    recorded: Values = json.loads(RECORDED.read_text("utf-8"))
    for entry in recorded.values():  # of the tasks that are there
        entry["columns"] = {name: of for name, of in entry["columns"].items() if name.partition(" ")[0] in TASKS}
    assert differences({name: entry for name, entry in recorded.items() if entry["columns"]}, now) == {}


def test_data_files_change_only_with_the_version_of_a_feature() -> None:
    known = data_files()
    assert changed_data(json.loads(DATA.read_text("utf-8")), known) == {}
    other = {name: facts | {"sha256": "0"} for name, facts in known.items()}
    assert set(changed_data(known, other).values()) == {"changed: raise a feature's version"}
    assert "convincing" in known["features/learned/convincing.json"]["versions"]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        values = computed(Path(scratch))
    before = json.loads(RECORDED.read_text("utf-8")) if RECORDED.exists() else {}
    files, files_before = data_files(), json.loads(DATA.read_text("utf-8")) if DATA.exists() else {}
    todo = differences(before, values) | changed_data(files_before, files)
    unversioned = [name for name, what in todo.items() if "raise" in what]
    if unversioned:
        sys.exit(f"a version must rise first: {', '.join(sorted(unversioned))}")
    RECORDED.write_text(json.dumps(values, indent=1, sort_keys=True) + "\n", "utf-8")
    DATA.write_text(json.dumps(files, indent=1, sort_keys=True) + "\n", "utf-8")
