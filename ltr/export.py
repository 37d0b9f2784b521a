"""``python -m ltr.export``: the feature matrix of the candidates as a file for other tools.

LETOR (SVMlight with ``qid``) for rankers, Parquet and CSV for data frames. Without judgments there are no labels.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ltr.cli.options import Parser, add_file, add_pair_qrels_option, add_run_options
from ltr.cli.process import run_command
from ltr.errors import InputError
from ltr.parallel.processes import Processes

if TYPE_CHECKING:
    import pandas as pd

    from ltr.pipeline.matrix import Matrix
    from ltr.supervision.labels import Labels

LETOR = (".svm", ".letor", ".txt")
FORMATS = {**dict.fromkeys(LETOR, "letor"), ".parquet": "parquet", ".csv": "csv"}
SIDE = ".features.tsv"
PARTS = {"pair": ("first", "second"), "argument": ("argument",), "document": ("document",)}
"""Unit -> the columns with the ids of its parts."""


def parser() -> Parser:
    """The command's options."""
    p = Parser(
        prog="python -m ltr.export",
        description="Write the feature matrix of the candidates, with labels where there are judgments.",
        file=__file__,
    )
    dimension = "what the labels are of (default: %(default)s)"
    p.add_argument("-i", "--input", required=True, metavar="DIR", help="corpus, as for ltr.predict")
    p.add_argument("-o", "--output", required=True, type=Path, metavar="FILE", help="where the matrix goes")
    add_file(p, "--topics", "topics XML (default: topics.xml in the input directory)")
    add_file(p, "--qrels", "judgments of arguments (qid 0 id grade) to make labels from", several=True)
    add_pair_qrels_option(p)
    p.add_argument("--dimension", choices=("relevance", "quality", "coherence"), default="relevance", help=dimension)
    add_run_options(p)
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the command. Raises InputError for anything that the user can correct."""
    start = time.perf_counter()
    options = parser().parse_args(argv)
    check_output(options.output)

    from ltr.corpora.source import find_topics, open_corpus
    from ltr.data.files import refuse_to_overwrite, writable_place
    from ltr.index.cache import index_place, open_index
    from ltr.pipeline.extract import describe_topics, refuse_empty
    from ltr.progress import Progress
    from ltr.supervision.labels import make_labels
    from ltr.tasks import find_task
    from ltr.training.data import held_judgments, read_judgments

    progress = Progress(quiet=options.quiet, since=start)
    corpus = open_corpus(options.input)
    read = [options.topics, *options.qrels, *(path for _, path in options.pair_qrels), getattr(corpus, "path", None)]
    refuse_to_overwrite(options.output, read)
    topics = find_topics(corpus, options.topics)
    name, task = options.dimension, find_task(options.task)
    if options.qrels and name == "coherence":
        what = "judgments of arguments do not speak of coherence"
        raise InputError("--qrels", what, "name --pair-qrels coherence=FILE")
    judgments = read_judgments(task, {name: options.qrels}, options.pair_qrels, topics)
    if options.pair_qrels and not options.qrels and name not in judgments.graded:
        hint = f"add --pair-qrels {name}=FILE or --dimension"
        raise InputError("--pair-qrels", f"no pairs are graded in {name}", hint)
    writable_place(options.output, "matrix")
    place = index_place(corpus, options.index, progress, [options.output])
    index = open_index(corpus, place, progress)
    graded, workers = judgments.graded_ids(), Processes(options.jobs)
    matrix = describe_topics(task, index, topics, task.config, graded=graded, workers=workers, progress=progress)
    refuse_empty(matrix, corpus.name)
    labels = None
    if judgments.topics():
        if options.qrels and not any(held_judgments(index, judgments).values()):
            what = "no judged argument is in this corpus"
            raise InputError(options.qrels[0], what, "name the judgments of this corpus")
        with progress.stage("labels"):
            labels = make_labels(matrix, judgments, name)
    for number in matrix.unmatched:
        progress.warn(f"topic {number}: no argument shares a word with it; it is not in the matrix")
    with progress.stage("write"):
        rows = write_matrix(options.output, matrix, labels)
    size = len(matrix.topics), matrix.features.shape[1]
    said = "{}: {:,} {}s of {} topics, {} features".format(options.output, rows, task.unit, *size)
    if labels is not None:
        used = int(labels.used.sum())
        left = "left out" if rows < len(matrix) else "without a label"
        said += f"; {used:,} labelled, {len(matrix) - used:,} {left}"
    print(said)
    if options.timings:
        progress.print_report()
    return 0


def check_output(path: Path) -> str:
    """The format that the suffix of ``path`` asks for. Raises InputError when it cannot be written."""
    from importlib.util import find_spec

    found = FORMATS.get(path.suffix)
    if found is None:
        raise InputError(path, f"no format has the suffix {path.suffix!r}", f"use one of {' '.join(FORMATS)}")
    if found == "parquet" and find_spec("pyarrow") is None:
        hint = "pip install 'riposte[parquet]', or name a .csv file"
        raise InputError(path, "writing Parquet needs the package pyarrow", hint)
    if path.is_dir():
        raise InputError(path, "is a directory", "name a file")
    return found


def write_matrix(path: Path, matrix: Matrix, labels: Labels | None = None) -> int:
    """Write ``matrix`` in the format of the suffix of ``path``; the number of rows written.

    A file is whole or absent, and the same matrix gives the same bytes. Raises InputError for a suffix or a place
    that cannot be written.
    """
    from typing import TextIO, cast

    from ltr.data.files import atomic_text

    kind = check_output(path)
    with atomic_text(path) as out:
        if kind == "letor":
            qids = topic_ids(matrix.topics)
            with atomic_text(path.with_name(path.name + SIDE)) as side:  # in its place before the matrix is
                side.writelines(_side_lines(qids, list(matrix.features.columns)))
                out.writelines(_letor_lines(matrix, labels, qids))
            return len(matrix) if labels is None else int(labels.used.sum())
        frame = matrix_frame(matrix, labels)
        if kind == "csv":
            frame.to_csv(out, index=False, lineterminator="\n")
        else:
            cast("TextIO", out).buffer.write(frame.to_parquet(engine="pyarrow", index=False))
    return len(frame)


def matrix_frame(matrix: Matrix, labels: Labels | None = None) -> pd.DataFrame:
    """The matrix as a table: topic, the ids of the parts, stance, label, weight, used, then the features in float32.

    A pair without a label has NaN as its label, the weight 0, and is not ``used``; without ``labels`` nothing is
    known of weights either, so they are NaN.
    """
    import numpy as np
    import pandas as pd

    nothing = np.full(len(matrix), np.nan)
    known = {
        "topic": np.repeat(np.array(matrix.topics, object), matrix.groups),
        **dict(zip(PARTS[matrix.unit], matrix.parts.T, strict=True)),
        "stance": matrix.stance,
        "label": nothing if labels is None else labels.label,
        "weight": nothing if labels is None else np.where(labels.used, labels.weight, 0.0),
        "used": np.zeros(len(matrix), bool) if labels is None else labels.used,
    }
    return pd.concat([pd.DataFrame(known), matrix.features.reset_index(drop=True)], axis=1)


def topic_ids(topics: list[str]) -> dict[str, int]:
    """Topic -> its ``qid``: the number that it is; the places 1, 2, ... of all where one is no number."""
    plain = all(topic.isascii() and topic.isdigit() and len(topic) < 19 for topic in topics)
    numbers = [int(topic) for topic in topics] if plain else []
    if len(set(numbers)) != len(topics):
        numbers = list(range(1, len(topics) + 1))
    return dict(zip(topics, numbers, strict=True))


def _letor_lines(matrix: Matrix, labels: Labels | None, qids: dict[str, int]) -> Iterator[str]:
    """One line a labelled pair. numpy's own text of a float32 is the shortest that reads back as the same number."""
    values = matrix.features.to_numpy()
    for topic, rows in matrix:
        for row in range(rows.start, rows.stop):
            label, note = "0", ""
            if labels is not None:
                if not labels.used[row]:
                    continue
                label, note = repr(float(labels.label[row])), f" weight = {float(labels.weight[row])!r}"
            features = " ".join(f"{number}:{value!s}" for number, value in enumerate(values[row], 1))
            yield f"{label} qid:{qids[topic]} {features} # {matrix.ids[row]}{note}\n"


def _side_lines(qids: dict[str, int], columns: list[str]) -> Iterator[str]:
    from features.core.registry import all_columns

    known = all_columns()
    for topic, qid in qids.items():
        if topic != str(qid):
            yield f"# qid {qid} is topic {topic}\n"
    yield "number\tcolumn\tgroup\n"
    for number, column in enumerate(columns, 1):
        yield f"{number}\t{column}\t{known[column].group if column in known else ''}\n"


if __name__ == "__main__":
    run_command(main)
