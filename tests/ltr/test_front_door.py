"""``import ltr``: what it offers, at no cost, and where another package has taken the name of one of ours."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from support.processes import python

RIPOSTE = str(Path(sys.executable).with_name("riposte"))
HEAVY = "numpy", "pandas", "lightgbm", "sklearn", "spacy", "tantivy"


def test_importing_it_loads_nothing_heavy() -> None:
    done = python("-c", f"import sys, ltr; print([name for name in {HEAVY} if name in sys.modules])")
    assert done.stdout == "[]\n", done.stderr


def test_a_question_that_was_asked_before_is_answered_without_what_others_need(tmp_path: Path) -> None:
    code = "import sys; from ltr.commands.search import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    question = ["Should cities ban cars from their centres?", "--index", str(tmp_path / "index"), "--quiet"]
    first, second = (set(python("-c", code, *question).stderr.split()) for _ in range(2))
    assert "onnxruntime" in first, "new texts are encoded"
    assert {"pandas", "ltr.searcher"} <= second, "the command ran"
    packages = ("onnxruntime", "tokenizers", "scipy.special", "scipy.stats", "scipy.sparse.csgraph", "joblib")
    reports = ("httpx", "jinja2", "ir_measures", "ltr.evaluation.report")
    assert not second & {*packages, *reports, *HEAVY} - {"numpy", "pandas", "tantivy"}


def test_a_command_does_not_take_the_name_of_a_function() -> None:
    code = "import ltr, ltr.evaluate, ltr.train; from ltr.evaluate import main; from ltr.train import main as other"
    code += "; print(callable(ltr.evaluate), callable(ltr.train), ltr.Searcher)"
    assert python("-c", code).stdout == "True True <class 'ltr.searcher.searcher.Searcher'>\n"
    assert "no attribute 'Seeker'" in python("-c", "import ltr; ltr.Seeker").stderr


def take_names(folder: Path, *files: str) -> None:
    """Put Python files there that leave a trace when they are imported, and fail."""
    for file in files:
        (folder / file).parent.mkdir(exist_ok=True)
        (folder / file).write_text(f"open({str(folder / 'ran')!r}, 'w')\nraise ImportError('a file of the user')")


@pytest.mark.parametrize("words", ["ltr.predict", "ltr.cli.main learning-curve"])
def test_files_of_the_user_are_not_run_in_place_of_modules(words: str, tmp_path: Path) -> None:
    ours = ["models.py", "features/__init__.py", "features/build_features.py"]
    others = [f"{name}.py" for name in (*sys.stdlib_module_names, *HEAVY) if not name.startswith("_")]
    take_names(tmp_path, *ours, *others)
    done = python("-m", *words.split(), "--help", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: riposte ")
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("command", [("-m", "ltr.predict"), (RIPOSTE, "predict")], ids=["module", "riposte"])
@pytest.mark.parametrize("taken", ["models.py", "models/__init__.py", "features/build_features.py"])
def test_a_package_with_a_name_of_ours_on_the_path_is_named_and_not_run(
    taken: str, command: tuple[str, ...], tmp_path: Path
) -> None:
    take_names(tmp_path, taken)
    name = Path(taken).parts[0]
    line = f"{tmp_path / name}: takes the place of Riposte's own package '{Path(name).stem}'; rename it, or take its"
    done = python("-c", "import ltr", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(f"ImportError: {line}")
    done = python(*command, "--help", cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {line}")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "ran").exists()


def test_the_working_directory_stays_for_programs_of_the_user(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "__init__.py").write_text("import ltr")
    (tmp_path / "mine" / "__main__.py").write_text("import beside")
    (tmp_path / "beside.py").write_text("print('found')")
    assert python("-m", "mine", cwd=tmp_path).stdout == "found\n"
