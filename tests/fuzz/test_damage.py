"""Accidents in files of an index and a model: the same run, an index that is built again, or one line."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from support.corpora import SMALL, write_corpus
from support.sample_model import sample_model

from ltr.commands import predict
from ltr.errors import InputError

CASES = 12
TOPICS = "<topics><topic><number>1</number><title>Should cities ban cars and zoos?</title></topic></topics>"

pytestmark = pytest.mark.slow


def answer(folder: Path) -> bytes:
    """The run of the command. Raises InputError."""
    paths = {"-i": "corpus", "-o": "out", "--index": "index", "-m": "model"}
    predict.main(
        [*(word for name, value in paths.items() for word in (name, str(folder / value))), "--quiet", "--jobs", "1"]
    )
    return (folder / "out" / "run.txt").read_bytes()


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus with topics, its index, a model and a run."""
    folder = tmp_path_factory.mktemp("damage") / "world"
    write_corpus(folder / "corpus", SMALL)
    (folder / "corpus" / "topics.xml").write_text(TOPICS)
    shutil.copytree(sample_model(), folder / "model")
    answer(folder)
    return folder


def damage(path: Path, rng: Random) -> None:
    """Flip a bit, cut the file, fill a part with zeros, lengthen it or remove it."""
    content = bytearray(path.read_bytes())
    path.unlink()  # another process may have it mapped
    kind = rng.choice(("flip", "flip", "cut", "zero", "lengthen", "remove"))
    position = rng.randrange(len(content)) if content else 0
    if kind == "flip" and content:
        content[position] ^= 1 << rng.randrange(8)
    elif kind == "cut":
        del content[position:]
    elif kind == "zero":
        content[position : position + 4096] = bytes(len(content[position : position + 4096]))
    elif kind == "lengthen":
        content += rng.randbytes(7)
    if kind != "remove":
        path.write_bytes(content)


@pytest.mark.parametrize("number", range(CASES))
def test_damage_never_changes_a_run(number: int, world: Path, tmp_path: Path) -> None:
    rng = Random(number)
    right = (world / "out" / "run.txt").read_bytes()
    files = [path for name in ("index", "model") for path in sorted((world / name).rglob("*")) if path.is_file()]
    name = rng.choice([path for path in files if path.suffix not in (".md", ".lock")]).relative_to(world)
    place = Path(shutil.copytree(world, tmp_path / "world", symlinks=True))
    damage(place / name, rng)
    with suppress(InputError):
        assert answer(place) == right
        return
    if name.parts[0] == "index":
        assert answer(place) == right, "the next command builds the index again"
