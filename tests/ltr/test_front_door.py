"""``import ltr``: what it offers, at no cost, and where another package has taken the name of one of ours."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEAVY = "numpy", "pandas", "lightgbm", "sklearn", "spacy", "tantivy"


def python(*options: str, where: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *options], cwd=where, capture_output=True, text=True, timeout=100, check=False
    )


def test_importing_it_loads_nothing_heavy() -> None:
    done = python("-c", f"import sys, ltr; print([name for name in {HEAVY} if name in sys.modules])")
    assert done.stdout == "[]\n", done.stderr


def test_a_command_does_not_take_the_name_of_a_function() -> None:
    code = "import ltr, ltr.evaluate; from ltr.evaluate import main; print(callable(ltr.evaluate), ltr.Searcher)"
    assert python("-c", code).stdout == "True <class 'ltr.searcher.Searcher'>\n"
    assert "no attribute 'Seeker'" in python("-c", "import ltr; ltr.Seeker").stderr


@pytest.mark.parametrize("taken", ["models.py", "models/__init__.py", "features/build_features.py"])
@pytest.mark.parametrize("module", ["ltr.predict", "experiments.learning_curve"])
def test_a_package_of_the_user_is_named_and_not_run(taken: str, module: str, tmp_path: Path) -> None:
    (tmp_path / taken).parent.mkdir(exist_ok=True)
    (tmp_path / taken).write_text("open('ran', 'w')")
    name = Path(taken).parts[0]
    done = python("-m", module, "--help", where=tmp_path)
    line = f"takes the place of Riposte's own package '{Path(name).stem}'; rename it, or use `riposte COMMAND`"
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {tmp_path / name}: {line}")
    assert done.stderr.count("\n") == 1
    done = python("-c", "import ltr", where=tmp_path)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(f"ImportError: {tmp_path / name}: {line}")
    assert not (tmp_path / "ran").exists()


def test_other_folders_are_no_matter(tmp_path: Path) -> None:
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments" / "__init__.py").touch()
    assert python("-m", "ltr.predict", "--help", where=tmp_path).returncode == 0
