from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ltr.cli import process as command_process
from ltr.cli.process import run_command
from ltr.errors import InputError

ROOT = Path(__file__).resolve().parents[3]


def ending(main: Callable[[list[str] | None], int | None]) -> object:
    with pytest.raises(SystemExit) as caught:
        run_command(main)
    return caught.value.code


def raising(error: BaseException) -> Callable[[list[str] | None], int | None]:
    def main(argv: list[str] | None) -> int:
        raise error

    return main


def process(code: str) -> list[str]:
    names = "import time\nimport os, signal, sys\nfrom ltr.cli.process import *\n"
    return [sys.executable, "-c", names + textwrap.dedent(code)]


def run(code: str, **options: object) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    known: dict[str, object] = {"capture_output": True, "text": True, "timeout": 30, "env": env, **options}
    return subprocess.run(process(code), check=False, **known)  # type: ignore[call-overload,no-any-return]


# ---- messages -------------------------------------------------------------------------------------


def test_where_what_and_the_mend_on_one_line() -> None:
    error = InputError("topics.xml", "topic 3 has\n no title", "give it\ta <title>")
    assert str(error) == "topics.xml: topic 3 has no title; give it a <title>"
    assert str(InputError("a", "b")) == "a: b"
    assert isinstance(error, ValueError), "as Python's own of bad values"


MISSING = "this Python package is not installed"
REMEDY = "install Riposte with its packages, or activate the environment where they are"
ONE_LINE: dict[str, BaseException] = {
    "run.txt line 3: has 5 columns; write 6": InputError("run.txt line 3", "has 5 columns", "write 6"),
    "memory: out of memory; give it more memory, or fewer --jobs": MemoryError(),
    f"starlette.routing: {MISSING}; pip install 'riposte-ltr[web]'": ModuleNotFoundError(name="starlette.routing"),
    f"distributed: {MISSING}; pip install 'riposte-ltr[dask]'": ModuleNotFoundError(name="distributed"),
    f"numpy: {MISSING}; {REMEDY}": ModuleNotFoundError(name="numpy"),
}


@pytest.mark.parametrize("line", ONE_LINE)
def test_what_the_user_can_correct_is_one_line_and_2(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert ending(raising(ONE_LINE[line])) == 2
    assert capsys.readouterr() == ("", f"error: {line}\n")


@pytest.mark.parametrize("number", sorted(command_process._HINTS))
def test_errors_of_the_system_are_one_line_and_2(number: int, capfd: pytest.CaptureFixture[str]) -> None:
    saved = os.dup(1)
    try:
        assert ending(raising(OSError(number, os.strerror(number), "/some/file"))) == 2
    finally:
        os.dup2(saved, 1)
        os.close(saved)
    line = capfd.readouterr().err
    assert re.fullmatch(r"error: /some/file: [^;\n]+; [^\n]+\n", line)
    assert os.strerror(number).lower() in line


@pytest.mark.parametrize("error", [ValueError("a bug"), KeyError("k"), OSError(errno.ECHILD, "odd"), OSError("odd")])
def test_our_own_mistakes_keep_their_traceback(error: Exception) -> None:
    with pytest.raises(type(error)) as caught:
        run_command(raising(error))
    assert caught.value is error


# ---- streams --------------------------------------------------------------------------------------


def test_a_reader_that_goes_away_is_no_error() -> None:
    code = "run_command(lambda argv: [print('line ' * 20) for _ in range(100_000)] and 0)"
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(process(code), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        assert child.stdout.readline().startswith("line")
        child.stdout.close()
        assert child.stderr.read() == ""
    assert child.returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_stdout_is_one_line_and_2() -> None:
    with Path("/dev/full").open("w") as full:
        done = run("run_command(lambda argv: print('result'))", capture_output=False, stdout=full, stderr=-1)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "no space left on device" in done.stderr


# ---- Ctrl-C ---------------------------------------------------------------------------------------


INTERRUPTIONS = {
    "plain": "os.kill(os.getpid(), signal.SIGINT)",
    # CPython ends by SIGINT where the interrupt passed through exec(), whoever catches it.
    "through exec": "exec('os.kill(os.getpid(), signal.SIGINT)')",
    # As numpy's C API does when it is interrupted while it is imported.
    "turned into another error": """
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except BaseException:
            raise ImportError('numpy.core.multiarray failed to import')
        """,
}


@pytest.mark.parametrize("how", INTERRUPTIONS)
def test_ctrl_c_however_it_comes(how: str) -> None:
    body = textwrap.indent(textwrap.dedent(INTERRUPTIONS[how]), " " * 4)
    done = run(f"def main(argv):\n{body}\n\nrun_command(main)\n")
    assert (done.returncode, done.stderr) == (130, "interrupted; earlier output is untouched\n")
    assert done.stdout == ""


# ---- streams --------------------------------------------------------------------------------------

PRINTS = """
    def main(_):
        print("caf\\u00e9 \\udce9")
        with open(sys.argv[1], "w") as out:
            out.write(str(out.fileno()))
    run_command(main)
"""


@pytest.mark.parametrize(
    ("encoding", "printed"), [("ascii", b"caf\\xe9 \\udce9\n"), ("utf-8", b"caf\xc3\xa9 \\udce9\n")]
)
def test_what_a_terminal_cannot_show_is_escaped(encoding: str, printed: bytes, tmp_path: Path) -> None:
    env = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": f"{encoding}:strict"}
    command = [*process(PRINTS), str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, check=False, env=env, timeout=30)
    assert (done.returncode, done.stdout, done.stderr) == (0, printed, b"")


def test_sigterm_ends_a_command_as_ctrl_c_does() -> None:
    done = run("run_command(lambda _: os.kill(os.getpid(), signal.SIGTERM) or time.sleep(60))")
    assert (done.returncode, done.stderr) == (143, "interrupted; earlier output is untouched\n")


ENDLESS = {
    "an interrupt that is swallowed": """
        def main(_):
            try:
                os.kill(os.getpid(), signal.SIGTERM)
            except BaseException:
                time.sleep(60)
        """,
    "an interrupt where Python can only tell of errors": """
        class Held:
            def __del__(self):
                os.kill(os.getpid(), signal.SIGTERM)
        def main(_):
            Held()
            time.sleep(60)
        """,
    "workers whose results somebody still holds": """
        from ltr.parallel import Workers
        held = Workers(2).map([(time.sleep, (n * 20,)) for n in range(8)])
        def main(_):
            next(held)
            os.kill(os.getpid(), signal.SIGTERM)
        """,
    "a file that is being written": """
        from pathlib import Path
        from ltr.files import atomic_text
        def main(_):
            with atomic_text(Path("out.txt")):
                try:
                    os.kill(os.getpid(), signal.SIGTERM)
                except BaseException:
                    time.sleep(60)
        """,
}


@pytest.mark.parametrize("what", ENDLESS)
def test_a_signal_ends_a_command_within_five_seconds(what: str, tmp_path: Path) -> None:
    began = time.monotonic()
    done = run(f"{textwrap.dedent(ENDLESS[what])}\nrun_command(main)\n", cwd=tmp_path)
    assert (done.returncode, done.stderr, [*tmp_path.iterdir()]) == (143, f"{command_process.UNTOUCHED}\n", [])
    assert time.monotonic() - began < command_process.GRACE + 4, "from the start of Python on"
