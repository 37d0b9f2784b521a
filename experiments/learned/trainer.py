"""What the trainers of learned text scores share: options, folds of topics, figures with intervals, the data card."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ltr.cli.options import Parser, add_seed_option
from ltr.errors import InputError

if TYPE_CHECKING:  # numpy and scikit-learn are slow to import, and --help should not wait for them
    from argparse import Namespace

    from scipy.sparse import csr_matrix

    from features.core.statistics import FloatArray, IntArray

PUBLISHED = "use the data sets as published"


def trainer_parser(name: str, description: str, file: str) -> Parser:
    """The options that every trainer has."""
    parser = Parser(f"python -m experiments.learned.{name}", description, file)
    what = "where the weights go (default: only measure)"
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help=what)
    add_seed_option(parser)
    return parser


def topic_folds(topics: Sequence[Any], folds: int, where: str, hint: str = PUBLISHED) -> list[set[Any]]:
    """The topics that each fold holds out. Raises InputError naming ``where`` when there are fewer than ``folds``."""
    from sklearn.model_selection import GroupKFold

    if len(set(topics)) < folds:
        raise InputError(where, f"needs {folds} topics", hint)
    if folds == 1:
        return [set(topics)]
    return [{topics[row] for row in held} for _, held in GroupKFold(folds).split(topics, groups=topics)]


def common_columns(matrix: csr_matrix, rows: IntArray, topics: Sequence[str], least: int) -> IntArray:
    """Columns that ``rows`` of so many topics have: what belongs to one topic says nothing about the next.

    ``topics`` are those of the ``rows``. Raises InputError when there is no such column.
    """
    import numpy as np
    from scipy.sparse import csr_matrix

    _, place = np.unique(topics, return_inverse=True)
    of_topic = csr_matrix((np.ones(len(rows)), (place, rows)), (place.max(initial=0) + 1, matrix.shape[0]))
    columns = np.flatnonzero((of_topic @ matrix).getnnz(axis=0) >= least)
    if not len(columns):
        raise InputError("training data", f"no word is in {least} topics", PUBLISHED)
    return columns


def topic_auc(labels: IntArray, scores: FloatArray, topics: IntArray) -> FloatArray:
    """AUC of each topic that has both labels."""
    import numpy as np
    from sklearn.metrics import roc_auc_score

    order = np.argsort(topics, kind="stable")
    rows = np.split(order, np.flatnonzero(np.diff(topics[order])) + 1)
    return np.array([roc_auc_score(labels[own], scores[own]) for own in rows if 0 < labels[own].mean() < 1])


def mean_figure(values: FloatArray) -> list[float]:
    """Mean of the values of topics, from 0 to 1, and its 95% interval."""
    from ltr.evaluation.significance import mean_interval

    return [round(float(value), 4) for value in (values.mean(), *mean_interval(values, (0, 1)))]


def finish(options: Namespace, about: dict[str, Any], packages: str, model: Mapping[str, Any]) -> int:
    """Print the data and the figures of ``about``, and write it with the model."""
    from importlib.metadata import version

    from ltr.data.files import atomic_text

    for part in ("training", "figures"):
        print(part)
        for name, value in _flat(about[part]):
            print(f"  {name:<70} {value}")
    about["versions"] = {name: version(name) for name in packages.split()}
    if options.output:
        with atomic_text(options.output) as out:
            out.write(json.dumps({"about": about, **model}, indent=0, ensure_ascii=True, allow_nan=False) + "\n")
    return 0


def _flat(figures: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    for name, value in figures.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{name}: ")
        elif isinstance(value, list):
            yield before + name, "{:.3f} [{:.3f}, {:.3f}]".format(*value)
        else:
            yield before + name, f"{value:,}" if isinstance(value, int) else str(value)
