"""`support.all_commands` in a process of its own, with another environment around it."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KERNELS = {
    "Prescott": "sse3 pni",
    "Nehalem": "sse4_2",
    "Sandybridge": "avx",
    "Haswell": "avx2",
    "Zen": "avx2",
    "SkylakeX": "avx512bw",
    "Cooperlake": "avx512_bf16",
    "Sapphirerapids": "amx_bf16",
}
"""Of OpenBLAS, and what a processor must have for each."""


@dataclass(frozen=True)
class Change:
    """How the environment of a process differs."""

    env: Mapping[str, str] = field(default_factory=dict)
    umask: int = -1
    folder: str = "corpora"
    relative: bool = False
    modified: float | None = None
    """When the files of the corpora were changed."""
    keys_reversed: bool = False
    """Of JSON objects."""
    python: str = sys.executable


OLD_LIBM = "glibc.cpu.hwcaps=-AVX512F,-AVX2,-AVX,-FMA,-FMA4,-ERMS"
"""What exp and log are computed with; the last digit of one in a thousand is another."""


def kernels() -> list[str]:
    """Those of OpenBLAS that this processor has."""
    if platform.machine() != "x86_64" or not Path("/proc/cpuinfo").exists():
        return []
    flags = next(line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("flags")).split()
    return [name for name, needed in KERNELS.items() if not {*needed.split()}.isdisjoint(flags)]


def vectors() -> list[list[str]]:
    """Vector instructions that numpy can do without: the newest, the two newest, and so on to all."""
    from numpy._core import _multiarray_umath as core

    used = [name for name in core.__cpu_dispatch__ if core.__cpu_features__.get(name)]
    return [used[start:] for start in range(len(used))]


def make_corpora(place: Path, change: Change) -> None:
    """The sample by task, and its arguments once more as args.me JSON in several files."""
    from ltr.corpora.source import open_corpus
    from ltr.ranking.task import find_task, task_names
    from ltr.sample import SAMPLE

    def line(document: dict[str, object]) -> str:
        return json.dumps(dict(reversed(document.items())) if change.keys_reversed else document) + "\n"

    for name, sample in ((name, find_task(name).sample) for name in task_names()):
        shutil.copytree(sample.folder, place / name, ignore=shutil.ignore_patterns("comparative", "__*"))
    file = place / "comparative" / "passages.jsonl"
    file.write_text("".join(line(json.loads(one)) for one in file.read_text("utf-8").splitlines()), "utf-8")
    (place / "argsme").mkdir()
    shutil.copy(SAMPLE / "topics.xml", place / "argsme")
    arguments = [
        {
            "id": one.id,
            "conclusion": one.conclusion,
            "premises": [{"text": s.text, "stance": one.stance or "PRO"} for s in one.sentences[:-1]],
        }
        for one in open_corpus(str(SAMPLE))
    ]
    for number in range(3):
        documents = [json.loads(line(one)) for one in arguments[number::3]]
        (place / "argsme" / f"{number}.json").write_text(line({"arguments": documents, "more": {}}), "utf-8")
    if change.modified is not None:
        for path in [*place.rglob("*"), place]:
            os.utime(path, (change.modified, change.modified))


def digests(place: Path, change: Change) -> dict[str, str]:
    """Of all files that the commands write in a process with this change. Raises RuntimeError with what they say."""
    corpora = place / change.folder
    make_corpora(corpora, change)
    (place / "tmp").mkdir()
    here = ["-m", "support.all_commands"]
    where = [os.path.relpath(one, place) if change.relative else str(one) for one in (corpora, place / "out")]
    env = os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}", "TMPDIR": str(place / "tmp")} | dict(change.env)
    done = subprocess.run(
        [change.python, *here, *where],
        cwd=place,
        env=env,
        umask=change.umask,
        check=False,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    found: dict[str, str] = json.loads(done.stdout)
    return found


def differences(one: Mapping[str, str], other: Mapping[str, str]) -> list[str]:
    """Files that are not the same."""
    return sorted(name for name in {*one, *other} if one.get(name) != other.get(name))
