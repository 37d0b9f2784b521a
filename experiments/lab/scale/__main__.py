"""``python -m experiments.lab.scale -o DIR``: measure time, memory and disk as a corpus grows, beside Lucene.

The corpus is written several times over, with other ids and other long words in each copy. Every figure is that of a
process: wall-clock and processor seconds of it and its children, peak memory of all together, bytes written.
"""

from __future__ import annotations

import platform
from pathlib import Path

from ltr.cli.options import Parser, add_file, add_number, add_options
from ltr.cli.process import run_command
from ltr.errors import InputError
from ltr.sample import SAMPLE

STEPS = ("index", "query", "predict")


def parser() -> Parser:
    """The command's options."""
    text = "Measure time, memory and disk of Riposte and Lucene on several copies of a corpus."
    p = Parser(prog="python -m experiments.lab.scale", description=text)
    add = p.add_argument
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="scale.json, corpora and indexes")
    add("-i", "--input", type=Path, default=SAMPLE, metavar="DIR", help="corpus (default: the sample)")
    add_options(p, "--task", "--jobs", "--quiet")
    add("--times", type=int, nargs="+", default=[1, 10, 100], metavar="N", help="copies (default: 1 10 100)")
    add_file(p, "--topics", "topics to answer (default: topics.xml of the corpus)")
    add("--lucene", type=Path, metavar="PATH", help="measure Lucene too: a jar with Lucene 8 or 9, or a folder of jars")
    add("--steps", choices=STEPS, nargs="+", default=STEPS, help="what to measure (default: all)")
    add_number(p, "--rounds", "measure each step so often, all steps in turn; the figures are medians", 1, 1, 99)
    return p


def main(argv: list[str] | None = None) -> int:
    """Measure and report. Raises InputError."""
    options = parser().parse_args(argv)
    if min(options.times) < 1:
        raise InputError("--times", "a corpus has at least one copy", "name numbers from 1 on")
    topics = (options.topics or options.input / "topics.xml").resolve()
    lucene = options.lucene and options.lucene.resolve()
    for path in filter(None, (topics, lucene)):
        if not path.exists():
            raise InputError(path, "there is no such file", "see --help")

    from experiments.lab.scale.study import Setting, measure_size, table
    from experiments.output import json_text, write_all
    from ltr.data.files import writable_folder
    from ltr.progress import Progress

    folder, say = writable_folder(options.output, "output directory").resolve(), Progress(quiet=options.quiet).say
    records = []
    for times in sorted(set(options.times)):
        at = Setting(folder / f"x{times}", options.task, topics, options.jobs, lucene, options.rounds)
        records += measure_size(str(options.input), times, at, options.steps, say)
    write_all({folder / "scale.json": json_text({"system": platform.platform(), "measures": records})})
    print(table(records))
    print(f"{platform.platform()}, {options.jobs} processes, medians of {options.rounds}")
    return 0


if __name__ == "__main__":
    run_command(main)
