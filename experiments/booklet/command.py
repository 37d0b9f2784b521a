"""``python -m experiments.booklet``: print graded pairs as a booklet for people, and compare their grades."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ltr.cli.options import Parser, add_file, add_number, add_options
from ltr.errors import InputError
from ltr.escapes import say

if TYPE_CHECKING:
    from ltr.data.qrels import Qrels

TICKING = "Tick one box for relevance, one for quality and one for coherence. Leave all empty if you cannot judge."


def parser() -> Parser:
    """The command's options."""
    p = Parser(
        prog="python -m experiments.booklet",
        description="Print graded pairs as a booklet for people, and compare people's grades with the reader's.",
        file=__file__,
    )
    p.add_argument("-o", "--output", required=True, type=Path, metavar="DIR", help="output folder")
    add_options(p, "--pair-qrels", "--seed", "--plugin")
    out = p.add_argument_group("print a booklet")
    out.add_argument("-i", "--input", metavar="DIR", help="corpus with the texts of the pairs")
    add_file(out, "--topics", "topics XML (default: topics.xml in the input directory)", several=True)
    add_number(out, "--pairs", "pairs to print", 100, 1, 1000)
    add_number(out, "--per-topic", "largest number of pairs per topic", 4, 1)
    back = p.add_argument_group("read people's grades")
    add_file(back, "--grades", "one person's sheet, or lines `number r q c`", several=True)
    add_file(back, "--key", "the booklet's key.tsv")
    add_file(back, "--run", "run of pairs to measure by the reader's grades and by corrected ones", several=True)
    add_number(back, "--draws", "bootstrap samples of topics and people", 1000, 1, 100_000)
    add_file(back, "--json", "write all figures there, too")
    return p


def main(argv: list[str] | None = None) -> int:
    """Print a booklet, or read grades. Raises InputError."""
    options = parser().parse_args(argv)
    back = bool(options.grades or options.key)
    for wrong, what, hint in (
        (bool(options.input) == back, "name -i to print a booklet, or --grades and --key to read grades", "see --help"),
        (back and not options.key, "reading grades needs the key of the booklet", "name --key FILE"),
        (back and len(options.grades) < 2, "one person agrees with no one", "name --grades of two or more people"),
        (not back and options.run, "--run is measured when grades are read", "leave it out"),
    ):
        if wrong:
            raise InputError("usage", what, hint)
    from ltr.data.qrels import read_pair_qrels
    from models.base import DIMENSIONS

    graded = read_pair_qrels(options.pair_qrels)
    if missing := [name for name in DIMENSIONS if name not in graded]:
        raise InputError(
            "usage", f"the reader's grades of {missing[0]} are not named", f"--pair-qrels {missing[0]}=FILE"
        )
    for name, qrels in graded.items():
        for topic, of in qrels.items():
            if odd := [pair for pair, grade in of.items() if not 0 <= grade <= 2]:
                what = f"topic {topic}: the {name} {of[odd[0]]:g} of {odd[0]} is not from 0 to 2"
                raise InputError("--pair-qrels", what, "name grades on the scale of the booklet")
    return read_back(options, graded) if back else print_booklet(options, graded)


def print_booklet(options: Namespace, graded: Mapping[str, Qrels]) -> int:
    """Draw the pairs and write the files."""
    from experiments.booklet import selection
    from experiments.html_page import html_page
    from experiments.pool import files
    from experiments.pool.grades import sheet_text
    from experiments.pool.rubric import HOW, RUBRIC
    from experiments.pool.selection import check_topics
    from ltr.corpora.source import find_topics, topics_beside
    from ltr.data.files import writable_folder
    from ltr.data.topics import read_topics
    from ltr.ranking.corpus import IndexedCorpus
    from ltr.sample import SAMPLE
    from ltr.tasks import find_task

    sample = [topic for path in sorted(SAMPLE.glob("topics*.xml")) for topic in read_topics(path)]
    corpus = IndexedCorpus.open(find_task("pairs"), options.input).corpus
    asked = {path: read_topics(path) for path in options.topics}
    topics = check_topics(asked or {topics_beside(corpus) or corpus.name: find_topics(corpus)}, (), sample)
    levels = {topic: pairs for topic, pairs in selection.read_levels(graded).items() if topic in topics}
    ids = {id_ for pairs in levels.values() for pair in pairs for id_ in pair.split(",")}
    passages = files.read_passages(corpus, ids)
    usable = {id_ for id_, passage in passages.items() if 0 < len(passage["text"]) <= selection.LONGEST}
    levels = {
        topic: {pair: grades for pair, grades in pairs.items() if usable.issuperset(pair.split(","))}
        for topic, pairs in levels.items()
    }
    pairs = selection.draw_pairs(levels, options.pairs, options.per_topic, options.seed)
    key = files.key_text(pairs)
    shown = [files.ShownPair(**row) for row in files.shown_rows("pair", pairs, topics, passages)]
    name = files.pool_name(key)
    names = {"booklet": name, "pairs": shown, "rubric": RUBRIC, "how": HOW, "ticking": TICKING}
    written = {
        "booklet.html": html_page("booklet/booklet.html", ["booklet.css"], [], {}, names),
        "pairs.html": files.page_text([pair._asdict() for pair in shown], name),
        "sheet.csv": sheet_text(len(shown), name),
    }
    folder = writable_folder(options.output, "output directory")
    files.write_pool(folder, written | {files.KEY: key})
    say(
        f"pairs with grades and texts {sum(map(len, levels.values())):>8,}",
        f"pairs in the booklet        {len(pairs):>8,}",
        f"topics                      {len({item.topic for item in pairs}):>8,}",
    )
    for place, dimension in enumerate(graded):
        counts = [sum(levels[item.topic][item.pair][place] == level for item in pairs) for level in range(3)]
        say(f"{dimension + ' 0, 1, 2':<28}{counts[0]:>8}{counts[1]:>4}{counts[2]:>4}")
    try:
        from experiments.booklet.pdf import write_pdf
    except ModuleNotFoundError:
        say("booklet.pdf is left out: pip install 'riposte-ltr[booklet]', or print booklet.html")
    else:
        if missing := write_pdf(folder / "booklet.pdf", shown, name, TICKING):
            say(f"booklet.pdf lacks the characters {' '.join(sorted(missing))}: print booklet.html in their place")
        written["booklet.pdf"] = ""
    say(*(folder / file for file in sorted(written)), f"{folder / files.KEY} (not for the graders)")
    return 0


def read_back(options: Namespace, graded: Mapping[str, Qrels]) -> int:
    """Compare people's grades with each other and with the reader's, and correct the reader's."""
    import numpy as np

    from experiments.agreement.study import Table
    from experiments.booklet import study
    from experiments.booklet.card import card_text
    from experiments.compare.tables import run_names
    from experiments.figures import json_text, write_all
    from experiments.pool.files import read_key
    from experiments.pool.grades import Grades, read_grades
    from ltr.data.files import refuse_to_overwrite, refuse_twice, writable_folder
    from ltr.data.qrels import write_qrels
    from ltr.data.runs import read_run

    refuse_twice(options.grades)
    key, booklet = read_key(options.key)
    study.check_key(options.key, key, graded)
    sheets: dict[str, dict[int, Grades]] = {}
    for path in options.grades:
        if path.stem in (*sheets, *study.RESERVED):
            raise InputError(path, f"another grader is called {path.stem}, too", "rename the file")
        sheets[path.stem] = read_grades(path, key, booklet, missing=True)
    runs = dict(zip(run_names(options.run), map(read_run, options.run), strict=True))
    tables: dict[str, list[Table]] = {}
    written: dict[str, Qrels] = {}
    missing = 0
    for name in graded:
        dimension = study.Dimension(name, sheets, key, graded)
        correction = dimension.correction(options.draws, options.seed)
        tables[name] = [
            *dimension.tables(options.draws, options.seed),
            *study.correction_tables(dimension, correction),
            *([study.run_table(runs, dimension, correction, options.seed)] if runs else []),
        ]
        written |= {f"{person}-{name}.qrels": qrels for person, qrels in dimension.people.items() if qrels}
        written[f"corrected-{name}.qrels"] = correction.qrels(graded[name])
        missing += dimension.missing
    folder = writable_folder(options.output, "output directory")
    card = folder / "data-card.md"
    inputs = [options.key, *options.grades, *options.run, *(path for _, path in options.pair_qrels)]
    for file in [card, *map(folder.joinpath, written), *([options.json] if options.json else [])]:
        refuse_to_overwrite(file, inputs)
    for file, qrels in written.items():
        write_qrels(folder / file, qrels)
    texts = {card: card_text(booklet, len(sheets), len(key), missing, tables)}
    if options.json:
        figures = {name: {table.key: table.rows for table in of} for name, of in tables.items()}
        texts[options.json] = json_text({"booklet": booklet, "missing": missing, "dimensions": figures})
    write_all(texts)
    for name, of in tables.items():
        say(f"== {name}", "", *(line for one in of if ": " not in one.key for line in one.text().split("\n")))
    for person, sheet in sheets.items():
        say(f"{person}: {int(np.count_nonzero(~np.isnan(list(sheet.values()))))} of {3 * len(key)} grades")
    say(card)
    if not any(table.key == "alpha" for of in tables.values() for table in of):
        say("Krippendorff's alpha is left out: pip install 'riposte-ltr[agreement]'")
    say(
        "difference: second minus first. order: share of couples of a topic with different first grades that the second"
    )
    say("puts in the same order, ties a half. Confusion matrices are in --json; riposte agreement reads the qrels.")
    return 0
