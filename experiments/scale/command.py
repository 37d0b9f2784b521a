"""``python -m experiments.scale -o DIR``: time, memory and disk of our commands as a corpus grows, beside peers'.

Synthetic corpora of several sizes are made, or found. Every figure is that of a real process: wall-clock and processor
seconds of it and its children, the peak of what they hold in memory together, bytes written. What was measured is a
line of ``DIR/measures.jsonl``; the same command again measures only what is missing there.
"""

from __future__ import annotations

from pathlib import Path

from experiments.scale.peers import PEERS
from experiments.scale.synthetic import FILES, WHOLE
from ltr.cli.options import Parser, add_number, share
from ltr.errors import InputError
from ltr.parallel import usable_cores

MEASURES = "measures.jsonl"
OURS = ("index", "query", "predict", "train")


def parser() -> Parser:
    """The command's options."""
    p = Parser(
        prog="python -m experiments.scale",
        description="Measure time, memory and disk of our commands and of peers on synthetic corpora of several sizes.",
    )
    add = p.add_argument
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="measures, scale.json, indexes")
    task = "comparative: passages, which peers index as they are and not as sentences (default: pairs)"
    add("--task", choices=tuple(FILES), default="pairs", help=task)
    add_number(p, "--arguments", "the full size", WHOLE, 1)
    sizes = "of the full size; peers run on the largest (default: .01 .1 1)"
    add("--shares", type=share, nargs="+", default=[0.01, 0.1, 1.0], metavar="X", help=sizes)
    kept = "where corpora are kept, p1 for 1%% (default: DIR/corpora)"
    add("--corpora", type=Path, metavar="DIR", help=kept)
    add("--lucene", type=Path, metavar="PATH", help="a jar with Lucene 8 or 9, or a folder of its jars")
    peers = f"any of {', '.join(PEERS)}, or none (default: all)"
    add("--peers", choices=tuple(PEERS), nargs="*", default=list(PEERS), metavar="NAME", help=peers)
    ours = f"any of {', '.join(OURS)}, or none (default: all); what was measured before is shown all the same"
    add("--measures", choices=OURS, nargs="*", default=list(OURS), metavar="NAME", help=ours)
    add_number(p, "--topics", "to answer", 50, 1, 500)
    add_number(p, "--jobs", "processes of each command", usable_cores(), 1, 1024)
    add("--quiet", action="store_true", help="no progress, only results and errors")
    return p


def main(argv: list[str] | None = None) -> int:
    """Measure and report. Raises InputError for anything that the user can correct."""
    options = parser().parse_args(argv)
    if options.lucene and not options.lucene.exists():
        raise InputError(options.lucene, "there is no such file", "name a jar with Lucene, or a folder of jars")
    if not all(options.shares):
        raise InputError("--shares", "0 is a corpus without arguments", "name shares above 0")

    from experiments.json_files import write_json
    from experiments.scale.corpus import MeasuredCorpus, open_log
    from experiments.scale.output import results, table
    from ltr.data.files import writable_folder
    from ltr.progress import Progress

    progress = Progress(quiet=options.quiet)
    folder = writable_folder(options.output, "output directory").resolve()
    log = open_log(folder / MEASURES)
    sizes = [MeasuredCorpus(one, folder, options, log, progress) for one in sorted(set(options.shares))]
    for size in sizes:
        for name in OURS:
            if name in options.measures and not size.known(name):
                size.measure_ours(name)
    measured = [known for size in sizes for name in OURS if (known := size.known(name))]
    compared = [sizes[-1].measure_peer(name) for name in PEERS if name in options.peers]
    found = results(measured, compared)
    write_json(folder / "scale.json", found)
    print(table(found))
    return 0
