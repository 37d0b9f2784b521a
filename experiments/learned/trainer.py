"""What the trainers of learned text scores share: options, topics in folds, matrices of features, what is written."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ltr.cli.options import Parser, whole_number
from ltr.errors import InputError

if TYPE_CHECKING:  # numpy and scikit-learn are slow to import, and --help should not wait for them
    from scipy.sparse import csr_matrix

Features = Mapping[str, float]
PUBLISHED = "use the data sets as published"


def trainer_parser(name: str, description: str, epilog: str) -> Parser:
    """The options that every trainer has."""
    from argparse import RawDescriptionHelpFormatter

    parser = Parser(
        prog=f"python -m experiments.learned.{name}",
        description=description,
        epilog=epilog,
        formatter_class=RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("-o", "--output", type=Path, metavar="FILE", help="where the weights go as JSON (default: only measure)")
    add("--seed", type=whole_number(0), default=0, metavar="N", help="seed (default: %(default)s)")
    return parser


def data_folder(path: Path, content: str) -> Path:
    """The folder of the labelled data. Raises InputError when there is none."""
    if not path.is_dir():
        raise InputError(path, "no such directory", f"name the folder that holds {content}")
    return path


def topic_folds(topics: Sequence[str], folds: int, where: str) -> list[set[str]]:
    """The topics that each fold holds out. Raises InputError naming ``where`` when there are fewer than ``folds``."""
    from sklearn.model_selection import GroupKFold

    if len(set(topics)) < folds:
        raise InputError(where, f"needs {folds} topics", PUBLISHED)
    if folds == 1:
        return [set(topics)]
    return [{topics[row] for row in held} for _, held in GroupKFold(folds).split(topics, groups=topics)]


def names_of_many_topics(examples: Iterable[tuple[Features, str]], topics: int) -> list[str]:
    """Features that so many topics have: what belongs to one topic says nothing about the next. Raises InputError."""
    found: dict[str, set[str]] = defaultdict(set)
    for features, topic in examples:
        for name in features:
            found[name].add(topic)
    if not (names := sorted(name for name, where in found.items() if len(where) >= topics)):
        raise InputError("training data", f"no word is in {topics} topics", PUBLISHED)
    return names


def feature_matrix(rows: Iterable[Features], names: Iterable[str]) -> csr_matrix:
    """(n_rows, n_names) sparse values; features without a column are left out. The columns are in order of name."""
    from sklearn.feature_extraction import DictVectorizer

    matrix = DictVectorizer().fit([dict.fromkeys(names, 1.0)]).transform(rows)
    matrix.sort_indices()
    return matrix


def versions(*packages: str) -> dict[str, str]:
    """What was installed."""
    from importlib.metadata import version

    return {name: version(name) for name in packages}


def finish(output: Path | None, document: Mapping[str, Any], lines: Iterable[str]) -> int:
    """Print the figures, and write the weights with what is told about them."""
    from ltr.data.files import atomic_text

    print("\n".join(lines))
    if output:
        with atomic_text(output) as out:
            out.write(json.dumps(document, indent=0, ensure_ascii=True, allow_nan=False) + "\n")
    return 0
