"""The same input gives the same bytes: runs, models, evaluations and matrices of all tasks, in any environment.

One process has all differences at once. To find the one that a failure is due to, leave out the others.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from support.same_bytes import OLD_LIBM, Change, differences, digests, kernels, vectors

PYTHONS = os.environ.get("RIPOSTE_PYTHONS", "").split()


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    found = digests(tmp_path_factory.mktemp("plain"), Change())
    kinds = {name.split("/", 1)[1] for name in found}
    assert kinds >= {"run/run.txt", "trained/run.txt", "model/manifest.json", "evaluation.json", "matrix.csv"}
    assert kinds >= {"index/files/near_key.npy", "index/files/lsa_vectors.npy", "index/files/texts.bin"}
    return found


def turkish(place: Path) -> dict[str, str]:
    """A locale with another dotless i and a decimal comma, where one can be made; else the plainest."""
    name = "tr_TR.UTF-8"
    made = (
        shutil.which("localedef")
        and not subprocess.run(
            ["localedef", "-i", "tr_TR", "-f", "UTF-8", str(place / name)], capture_output=True, check=False
        ).returncode
    )
    return {"LC_ALL": name, "LOCPATH": str(place)} if made else {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}


def oldest() -> list[str]:
    """The oldest kernel of OpenBLAS, and what numpy can do without; less where this is another processor."""
    return [*kernels()[:1], *(" ".join(names) for names in vectors()[:1])] if kernels() else []


def test_whatever_is_around(plain: dict[str, str], tmp_path: Path) -> None:
    env = turkish(tmp_path) | {"OMP_NUM_THREADS": "7", "PYTHONHASHSEED": "random", "PYTHONOPTIMIZE": "2"}
    env |= {"TZ": "Pacific/Kiritimati", "PYTHONUTF8": "0", "GLIBC_TUNABLES": OLD_LIBM}
    env |= dict(zip(("OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES"), oldest(), strict=False))
    change = Change(
        env=env,
        umask=0o077,
        folder="Ünter ordner/x y",
        relative=True,
        modified=4_102_444_800.0,
        keys_reversed=True,
    )
    (tmp_path / "work").mkdir()
    assert differences(digests(tmp_path / "work", change), plain) == []


@pytest.mark.skipif(not PYTHONS, reason="RIPOSTE_PYTHONS names no other interpreters")
@pytest.mark.parametrize("python", PYTHONS)
def test_whichever_python(python: str, plain: dict[str, str], tmp_path: Path) -> None:
    assert differences(digests(tmp_path, Change(python=python)), plain) == []
