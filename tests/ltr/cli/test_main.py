"""The command ``riposte``."""

from __future__ import annotations

import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

from ltr import __version__
from ltr.cli.main import COMMANDS, commands, main
from ltr.sample import SAMPLE

ROOT = Path(__file__).resolve().parents[3]


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> object:
    monkeypatch.setattr(sys, "argv", ["riposte", *arguments])
    with pytest.raises(SystemExit) as caught:
        main()
    return caught.value.code


def test_every_command_has_a_name() -> None:
    files = {f"ltr.commands.{path.stem}" for path in (ROOT / "ltr" / "commands").glob("[!_]*.py")}
    modules = {module for module, _ in COMMANDS.values()}
    assert files <= modules
    assert all(find_spec(module) for module in modules)


def test_an_installed_package_adds_a_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    about = tmp_path / "mine-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[riposte.commands]\ncount-words = count_words\n")
    (tmp_path / "count_words.py").write_text("def main(argv):\n    return len(argv)\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert run(monkeypatch, "count-words", "a", "b", "c") == 3


@pytest.mark.parametrize("name", ["learning-curve", "learning_curve", "train"])
def test_studies_are_commands_too(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, name, "--help") == 0
    assert capsys.readouterr().out.startswith(f"usage: riposte {name.replace('_', '-')} ")


def test_it_is_what_pip_installs() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
    assert scripts == {"riposte": "ltr.cli.main:main"}
    for package in ("ltr", "features", "models", "experiments"):
        assert (ROOT / package / "py.typed").exists()


def test_a_command_runs_with_its_options(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    qrels = SAMPLE / "qrels-test-pairs-relevance.qrels"
    topic, _, pair, _ = qrels.read_text().splitlines()[0].split()
    (tmp_path / "run.txt").write_text(f"{topic} PRO {pair} 1 1.0 t\n")
    options = ["--run", str(tmp_path / "run.txt"), "--pair-qrels", f"relevance={qrels}"]
    assert run(monkeypatch, "evaluate", *options, "--brief") == 0
    assert "nDCG@5" in capsys.readouterr().out
    assert run(monkeypatch, "evaluate", "--nope") == 2
    assert capsys.readouterr().err.startswith("error: usage: ")


def test_what_it_says_of_itself(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ([], ["--help"]):
        assert run(monkeypatch, *arguments) == 0
        shown = capsys.readouterr().out
        lines = dict(line.strip().split(maxsplit=1) for line in shown.splitlines() if line.startswith("  "))
        assert lines.keys() == commands().keys()
        assert lines["fuse"] == "fuse several runs into one"
    assert run(monkeypatch, "--version") == 0
    assert capsys.readouterr().out == f"riposte {__version__}\n"
    assert run(monkeypatch, "answer") == 2
    assert "there is no command 'answer'; use one of train, predict, evaluate, search, " in capsys.readouterr().err
    assert run(monkeypatch, "learning-curves") == 2
    assert capsys.readouterr().err.endswith("there is no command 'learning-curves'; did you mean learning-curve?\n")
