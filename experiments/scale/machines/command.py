"""``python -m experiments.scale.machines -o DIR``: measure the parts of indexing, compute what a cluster needs.

Indexing and predicting are measured on Dask clusters of this machine, and the steps that machines share out each in a
process of its own. The merge is measured on several copies of the parts. Time, memory and traffic of larger corpora on
more machines follow, if each step's time grows with the number of sentences.
"""

from __future__ import annotations

from pathlib import Path

from ltr.cli.options import Parser, add_number
from ltr.errors import InputError
from ltr.sample import SAMPLE


def parser() -> Parser:
    """The command's options."""
    p = Parser(
        prog="python -m experiments.scale.machines",
        description="Measure the parts of indexing on this machine, and compute what more machines and texts need.",
    )
    add = p.add_argument
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="machines.json, indexes and parts")
    add("-i", "--input", type=Path, default=SAMPLE, metavar="DIR", help="corpus (default: the sample)")
    add("--topics", type=Path, metavar="FILE", help="topics to answer (default: topics.xml of the corpus)")
    add("--workers", type=int, nargs="*", default=[1, 2, 4], metavar="N", help="clusters (default: 1 2 4)")
    add("--times", type=int, nargs="+", default=[1, 4], metavar="N", help="copies that are merged (default: 1 4)")
    add("--machines", type=int, nargs="+", default=[1, 10, 100], metavar="N", help="default: 1 10 100")
    add_number(p, "--cores", "cores of each of these machines", 16, 1, 1024)
    add("--sentences", type=float, default=1e8, metavar="N", help="in the larger corpus (default: 1e8)")
    add("--quiet", action="store_true", help="no progress, only results and errors")
    return p


def main(argv: list[str] | None = None) -> int:
    """Measure, compute and report. Raises InputError."""
    options = parser().parse_args(argv)
    topics = options.topics or options.input / "topics.xml"
    if not topics.exists():
        raise InputError(topics, "there is no such file", "see --help")
    for name, values in (("--workers", options.workers), ("--times", options.times), ("--machines", options.machines)):
        if min(values, default=1) < 1:
            raise InputError(name, "there is at least one", "name numbers from 1 on")

    from experiments.figures import json_text, write_all
    from experiments.scale.machines.needs import cluster_table, needs_table, steps_table
    from experiments.scale.machines.study import measure_clusters, measure_steps
    from experiments.scale.study import machine
    from ltr.data.files import writable_folder
    from ltr.progress import Progress

    folder = writable_folder(options.output, "output directory").resolve()
    say = Progress(quiet=options.quiet).say
    clusters = measure_clusters(str(options.input), topics, folder, sorted(set(options.workers)), say)
    measured = measure_steps(str(options.input), folder, sorted(set(options.times)), say)
    results = {"machine": machine(), "clusters": clusters, "steps": measured._asdict()}
    write_all({folder / "machines.json": json_text(results)})
    tables = [cluster_table(clusters)] if clusters else []
    tables += [steps_table(measured), needs_table(measured, options.sentences, options.machines, options.cores)]
    print("\n\n".join(tables))
    return 0
