"""``riposte scale -o DIR``: measure time, memory and disk as a corpus grows, beside other engines.

The corpus is written several times over, with other ids and other long words in each copy. Every figure is that of a
process: wall-clock and processor seconds of it and its children, peak memory of all together, bytes written.
"""

from __future__ import annotations

from pathlib import Path

from ltr.cli.options import Parser, add_number, add_options
from ltr.errors import InputError
from ltr.parallel import usable_cores
from ltr.sample import SAMPLE

PEERS = ("bm25s", "lucene")
STEPS = ("index", "query", "predict", "train")


def parser() -> Parser:
    """The command's options."""
    p = Parser(
        prog="riposte scale",
        description="Measure time, memory and disk of Riposte and other engines on several copies of a corpus.",
    )
    add = p.add_argument
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="scale.json, corpora and indexes")
    add("-i", "--input", type=Path, default=SAMPLE, metavar="DIR", help="corpus (default: the sample)")
    add_options(p, "--task")
    add("--times", type=int, nargs="+", default=[1, 10, 100], metavar="N", help="copies (default: 1 10 100)")
    add("--topics", type=Path, metavar="FILE", help="topics to answer (default: topics.xml of the corpus)")
    add("--train-topics", type=Path, metavar="FILE", help="training topics (default: topics-train.xml)")
    add("--qrels", type=Path, metavar="FILE", help="their judgments (default: qrels-train-relevance.qrels)")
    add("--lucene", type=Path, metavar="PATH", help="a jar with Lucene 8 or 9, or a folder of its jars")
    add("--peers", choices=PEERS, nargs="*", default=PEERS, help="other engines (default: all)")
    add("--steps", choices=STEPS, nargs="+", default=STEPS, help="what to measure (default: all)")
    add_number(p, "--rounds", "measure each step so often, all steps in turn; the figures are medians", 1, 1, 99)
    add_number(p, "--jobs", "processes of each command", usable_cores(), 1, 1024)
    add("--quiet", action="store_true", help="no progress, only results and errors")
    return p


def main(argv: list[str] | None = None) -> int:
    """Measure and report. Raises InputError."""
    options = parser().parse_args(argv)
    if min(options.times) < 1:
        raise InputError("--times", "a corpus has at least one copy", "name numbers from 1 on")
    topics = options.topics or options.input / "topics.xml"
    for path in filter(None, (topics, options.lucene)):
        if not path.exists():
            raise InputError(path, "there is no such file", "see --help")

    from experiments.figures import json_text, write_all
    from experiments.scale.study import Setting, machine, measure_size, table
    from ltr.data.files import writable_folder
    from ltr.progress import Progress

    folder, say = writable_folder(options.output, "output directory").resolve(), Progress(quiet=options.quiet).say
    train = options.train_topics or options.input / "topics-train.xml"
    qrels = options.qrels or options.input / "qrels-train-relevance.qrels"
    training, records = (train.resolve(), qrels.resolve()), []
    for times in sorted(set(options.times)):
        at = Setting(
            folder / f"x{times}", options.task, topics.resolve(), training, options.jobs, options.lucene, options.rounds
        )
        records += measure_size(str(options.input), times, at, (options.steps, options.peers), say)
    here = machine()
    write_all({folder / "scale.json": json_text({"machine": here, "measures": records})})
    print(table(records))
    print(f"{here['processor']}, {here['cores']} cores, Python {here['python']}; medians of {options.rounds}")
    return 0
