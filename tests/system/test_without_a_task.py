"""A task is in its room: with the room taken away, everything else works."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support.processes import ROOT, printed

ROOM = Path("tasks") / "comparative"
SUITES = (
    "contract/test_features_contract.py",
    "contract/test_labelling_contract.py",
    "contract/test_rankers_contract.py",
    "contract/test_tasks_contract.py",
    "golden/test_feature_values_golden.py::test_values_change_only_with_the_version",
    "features",
    "models/test_baselines.py",
    "ltr/corpora/test_own_texts.py",
    "ltr/evaluation",
    "ltr/ranking",
    "ltr/learning/test_functions.py",
)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("copy")
    for name in ("features", "ltr", "models", "tests"):
        shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", place)
    shutil.rmtree(place / "ltr" / ROOM)
    shutil.rmtree(place / "tests" / "ltr" / ROOM)
    return place


def run(copy: Path, *words: str) -> str:
    return printed(*words, cwd=copy, PYTHONPATH=str(copy))


def test_suites_are_green_without_comparative_questions(copy: Path) -> None:
    suites = [f"tests/{name}" for name in SUITES]
    run(copy, "-m", "pytest", "-p", "no:cacheprovider", "-q", "-m", "not slow and not browser", *suites)


def test_commands_work_without_comparative_questions(copy: Path) -> None:
    assert "  collect " not in run(copy, "-m", "ltr.cli.main", "--help")
    for task, model in {"pairs": [], "arguments": ["-m", "elrond"]}.items():
        words = ["-i", str(copy / "ltr" / "sample"), "-o", task, "--task", task, "--quiet", *model]
        run(copy, "-m", "ltr.predict", *words)
        topics = {line.split()[0] for line in (copy / task / "run.txt").read_text("utf-8").splitlines()}
        assert len(topics) == 4
