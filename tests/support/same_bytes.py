"""``python tests/support/same_bytes.py``: do all commands write the same bytes whatever is around them?

Runs `support.all_commands` in a process of its own for each of `CHANGES`, and compares with a process without any.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
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
    """What is other around a process."""

    env: Mapping[str, str] = field(default_factory=dict)
    jobs: int = 1
    umask: int = -1
    folder: str = "corpora"
    relative: bool = False
    modified: float | None = None
    """When the files of the corpora were changed."""
    keys_reversed: bool = False
    """Of JSON objects."""
    files_renamed: bool = False
    """So that they are read in another order."""
    python: str = sys.executable


def changes() -> dict[str, Change]:
    """Those that this machine can make, by name."""
    found = {f"{name}={n}": Change({name: str(n)}) for name in THREADS for n in (1, 2, 7)}
    found |= {f"kernel {name}": Change({"OPENBLAS_CORETYPE": name}) for name in kernels()}
    found |= {
        f"numpy without {' '.join(left)}": Change({"NPY_DISABLE_CPU_FEATURES": " ".join(left)}) for left in vectors()
    }
    found["libm of an old processor"] = Change({"GLIBC_TUNABLES": OLD_LIBM})
    found |= {f"jobs {n}": Change(jobs=n) for n in (2, 3, 7)}
    found |= {f"hash seed {seed}": Change({"PYTHONHASHSEED": seed}) for seed in ("0", "1", "random")}
    for name in locales():
        found[f"locale {name}"] = Change({"LC_ALL": name, "LANG": name, "LOCPATH": os.environ.get("LOCPATH", "")})
    found |= {f"PYTHONUTF8={n}": Change({"PYTHONUTF8": n, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}) for n in "01"}
    found |= {f"TZ {zone}": Change({"TZ": zone}) for zone in ("Pacific/Kiritimati", "America/St_Johns")}
    found |= {f"umask {mask:03o}": Change(umask=mask) for mask in (0o077, 0o000)}
    found |= {f"files of {year}": Change(modified=at) for year, at in (("1970", 1.0), ("2100", 4_102_444_800.0))}
    found["another folder"] = Change(folder="Ünter ordner/x y")
    found["relative paths"] = Change(relative=True)
    found["keys reversed"] = Change(keys_reversed=True)
    found["files renamed"] = Change(files_renamed=True)
    found["optimised"] = Change({"PYTHONOPTIMIZE": "1"})
    return found | {f"Python {path}": Change(python=path) for path in os.environ.get("RIPOSTE_PYTHONS", "").split()}


THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
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


def locales() -> list[str]:
    """Those of interest that are installed, or in the folder LOCPATH."""
    found = []
    for name in ("C", "C.UTF-8", "de_DE.UTF-8", "tr_TR.UTF-8", "de_DE", "tr_TR"):
        code = "import locale; locale.setlocale(locale.LC_ALL, '')"
        env = os.environ | {"LC_ALL": name}
        done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=False)
        found += [name] if done.returncode == 0 else []
    return found


def make_corpora(place: Path, change: Change) -> None:
    """The sample by task, and its arguments once more as args.me JSON in several files."""
    from ltr.corpora.source import open_corpus
    from ltr.sample import SAMPLE
    from ltr.tasks import find_task, task_names

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
        name = f"{(2 - number) if change.files_renamed else number}.json"
        (place / "argsme" / name).write_text(line({"arguments": documents, "more": {}}), "utf-8")
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
        [change.python, *here, *where, "--jobs", str(change.jobs)],
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


def compared(names: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Changes, and what differs with each."""
    with tempfile.TemporaryDirectory() as place:
        plain = digests(Path(place), Change())
    for name, change in changes().items():
        if names and not any(one in name for one in names):
            continue
        with tempfile.TemporaryDirectory() as place:
            try:
                yield name, differences(digests(Path(place), change), plain)
            except RuntimeError as error:
                yield name, [str(error).strip()]


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("names", nargs="*", help="parts of the names of changes (default: all)")
    for name, found in compared(p.parse_args().names):
        print(f"{name}: {'the same' if not found else ' '.join(found)}", flush=True)
