"""Rows of docs/bounds.md are tried at and above their limits; sentences of docs/promises.md name their tests."""

from __future__ import annotations

import gzip
import io
import re
import shutil
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from support.refusals import refuses
from support.sample_model import sample_model

from features.content.argumentativeness import LONGEST as LONGEST_PIECE
from ltr import files
from ltr.answers import understand
from ltr.answers.spelling import checked_question
from ltr.corpora import args_csv, argsme, base, lines, literals, own_texts
from ltr.corpora.source import open_corpus
from ltr.data import topics
from ltr.data.qrels import GRADE_LIMIT, read_qrels
from ltr.data.runs import read_run
from ltr.errors import InputError
from ltr.model_folder.store import load_bundle
from ltr.ranking.task import find_task
from ltr.remote import client
from ltr.retrieval.base import CandidateConfig
from ltr.tasks.comparative.collect.command import main as collect
from ltr.text_models.onnx import MOST_TOKENS, TOKENS
from ltr.web import answerer, app, connections

HEADER = "id,conclusion,premises,context,sentences\n"
ROOT = Path(__file__).resolve().parents[2]
MB = 1 << 20
SMALL = 1 << 16
"""Bytes that stand for a limit of many megabytes."""


def tried(use: Callable[[bytes], object], content: bytes, *, most: int = SMALL, fill: bytes = b" ") -> None:
    """Content with a NUL as a mark is read at its limit, ``most`` bytes, and refused with one byte more."""
    use(content.replace(b"\0", fill * (most - len(content) + 1)))
    with pytest.raises(InputError):
        use(content.replace(b"\0", fill * (most - len(content) + 2)))


@contextmanager
def limited(module: Any, name: str, value: int = SMALL) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, name, value)
        yield


def reading(read: Callable[[Path], object], path: Path, content: bytes) -> None:
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    read(path)


def lists(folder: Path) -> None:
    with limited(files, "LARGEST"):
        for name in ("a", "a.gz"):
            tried(partial(reading, read_qrels, folder / name), b"1 0 a 1\0\n")
            tried(partial(reading, read_run, folder / name), b"1 Q0 a 1 1.0 t\0\n")


def model(folder: Path) -> None:
    shutil.copytree(sample_model(), folder / "model")
    manifest = folder / "model" / "manifest.json"
    load = partial(load_bundle, folder / "model", find_task("pairs"))
    most = max(path.stat().st_size for path in (folder / "model").iterdir()) + 9
    with limited(files, "LARGEST", most):
        tried(partial(reading, lambda _: load(), manifest), manifest.read_bytes().strip() + b"\0", most=most)


def titles(folder: Path) -> None:
    topic = b"<topics><topic><number>1</number><title>%s</title></topic></topics>"
    reading(topics.read_topics, folder / "a.xml", topic % (b"x" * topics.LONGEST_TITLE))
    with pytest.raises(InputError, match="2,001 characters"):
        reading(topics.read_topics, folder / "a.xml", topic % (b"x" * (topics.LONGEST_TITLE + 1)))
    analyzer: Any = type("Analyzer", (), {"distinct": str.split})
    checked_question("x" * topics.LONGEST_TITLE, analyzer)
    refuses(lambda: checked_question("x" * (topics.LONGEST_TITLE + 1), analyzer), "2,001 characters")


def topics_xml(folder: Path) -> None:
    with limited(topics, "LARGEST"):
        for name in ("a.xml", "a.xml.gz"):
            content = b"<topics><topic><number>1</number><title>x</title></topic></topics>\0"
            tried(partial(reading, topics.read_topics, folder / name), content)


def dtd(folder: Path) -> None:
    refuses(lambda: reading(topics.read_topics, folder / "a.xml", b"<!DOCTYPE topics><topics/>"), "DTD")


def grades(folder: Path) -> None:
    reading(read_qrels, folder / "a", b"1 0 a 1000000\n")
    refuses(lambda: reading(read_qrels, folder / "a", b"1 0 a 1000001\n"), "line 1")


def corpus(path: Path) -> object:
    return list(open_corpus(str(path)))


def cells(folder: Path) -> None:
    row = HEADER + "S1-A1,Ban cars,\"[{'text': 'x', 'stance': 'PRO'}]\",{},\"[%s]\"\n"
    named = "{'sent_id': 'S1-A1__PREMISE__1', 'sent_text': '@'}"
    odd = named.replace("': '", "':  '")
    with limited(literals, "LONGEST", 300):
        reading(corpus, folder / "args_processed.csv", (row % named.replace("@", "x " * 300)).encode())
        reading(corpus, folder / "args_processed.csv", (row % odd.replace("@", "x")).encode())
        with pytest.raises(InputError, match="row 1"):
            reading(corpus, folder / "args_processed.csv", (row % odd.replace("@", "x " * 300)).encode())
    with limited(args_csv, "LONGEST_CELL", 2_000), pytest.raises(InputError, match="row 1"):
        reading(corpus, folder / "args_processed.csv", (row % named.replace("@", "x " * 3_000)).encode())


def arguments(folder: Path) -> None:
    with limited(own_texts, "LONGEST_ARGUMENT"):
        line = b'{"id": "a", "conclusion": "", "text": "Ban cars. \0"}'
        tried(partial(reading, corpus, folder / "a.jsonl"), line)
        (folder / "texts").mkdir()
        tried(partial(reading, lambda path: corpus(path.parent), folder / "texts" / "a.txt"), b"Ban cars.\0")
    deep(folder)


def deep(folder: Path) -> None:
    """An argument of args.me JSON, nested: the file, the list and the argument are three levels."""
    for levels in (argsme.DEEPEST - 3, argsme.DEEPEST + 1):
        nested = "[" * levels + "]" * levels
        argument = f'{{"id": "S1-A1", "conclusion": "Ban cars", "premises": [], "more": {nested}}}'
        content = f'{{"arguments": [{argument}]}}'
        if levels < argsme.DEEPEST:
            reading(corpus, folder / "a.json", content.encode())
        else:
            with pytest.raises(InputError):
                reading(corpus, folder / "a.json", content.encode())


def documents(folder: Path) -> None:
    with limited(lines, "LONGEST_LINE"):
        line = b'{"id": "a", "contents": "Tea. \0"}'
        tried(partial(reading, corpus, folder / "passages.jsonl"), line, most=SMALL - 1)


def archives(folder: Path) -> None:
    content = b'{"id": "a", "contents": "Tea."}\n' + b" " * 999 * 1_000 + b"\n"
    reading(corpus, folder / "passages.jsonl.gz", content)
    with limited(base, "SMALLEST_LIMIT"), pytest.raises(InputError, match="unpacked"):
        reading(corpus, folder / "passages.jsonl.gz", content)


def members(folder: Path) -> None:
    row = f"{HEADER}S1-A1,Ban cars,[],{{}},[]\n".encode()
    with tarfile.open(folder / "a.tar.gz", "w:gz") as archive:
        for name, kind in (("l.csv", tarfile.SYMTYPE), ("d.csv", tarfile.CHRTYPE), ("../args_processed.csv", b"0")):
            member = tarfile.TarInfo(name)
            member.type, member.linkname, member.size = kind, "/etc/passwd", len(row) if kind == b"0" else 0
            archive.addfile(member, io.BytesIO(row) if kind == b"0" else None)
    before = sorted(folder.rglob("*"))
    assert len(list(open_corpus(str(folder / "a.tar.gz")))) <= 1
    assert sorted(folder.rglob("*")) == before
    assert not (folder.parent / "args_processed.csv").exists()


BOUNDS: dict[str, tuple[str, Callable[[Path], object] | str]] = {
    "judgments, runs, packed or not": (f"{files.LARGEST // MB} MB", lists),
    "a file of a model": (f"{files.LARGEST // MB} MB", model),
    "topics XML, packed or not": (f"{topics.LARGEST // MB} MB, some 100,000 topics", topics_xml),
    "a title, the objects of a topic, or a question to `riposte search`": (
        f"{topics.LONGEST_TITLE:,} characters",
        titles,
    ),
    "XML with a DTD": ("none", dtd),
    "a grade": (f"{GRADE_LIMIT:,.0f}", grades),
    "a text to encode; a question and a text for a cross-encoder": (
        f"{TOKENS} tokens; {MOST_TOKENS} tokens",
        "tests/ltr/text_models/test_onnx.py::test_how_much_of_a_text_is_read "
        "tests/ltr/text_models/test_cross_encoder.py::test_how_much_is_read_and_the_digest",
    ),
    "a cell of the lab's CSV": (
        f"{args_csv.LONGEST_CELL // MB} MB; {literals.LONGEST // MB} MB where Python's `repr` did not write it",
        cells,
    ),
    "an argument in JSON, or a plain text": (
        f"{own_texts.LONGEST_ARGUMENT // MB} MB; {argsme.DEEPEST} levels deep in args.me JSON",
        arguments,
    ),
    "blank lines of a CSV or of JSON lines": (
        f"{base.MOST_BLANK:,}",
        "tests/ltr/corpora/test_hostile.py::test_blank_lines_end",
    ),
    "a document (a line of JSON)": (f"{lines.LONGEST_LINE // MB} MB", documents),
    f"bytes of a packed corpus over {base.SMALLEST_LIMIT // MB} MB": (
        f"{base.LARGEST_RATIO} per packed byte",
        archives,
    ),
    "links, devices and paths outside an archive": ("any number", members),
    "a piece of text without blanks, for features of argumentation": (
        f"{LONGEST_PIECE} characters",
        "tests/features/test_argumentativeness.py::test_long_pieces_and_long_lists_of_authors_are_not_read_to_the_end",
    ),
    "candidate pairs per topic": (
        f"{CandidateConfig().pairs:,}",
        "tests/ltr/tasks/pairs/test_candidates.py::test_bounded_and_no_pair_twice",
    ),
    "an answer to `riposte collect`, as sent and unpacked": (
        f"{client.LARGEST // MB} MB",
        "tests/ltr/remote/test_client.py::test_an_endless_answer_is_refused",
    ),
    "requests of a run of `riposte collect`": (
        f"`--budget`, {collect.settings.fields()['budget'].default:,}",
        "tests/ltr/remote/test_client.py::test_the_budget_counts_every_try",
    ),
    "a question to `riposte serve`": (
        f"{answerer.LONGEST} characters",
        "tests/ltr/web/test_hostile.py::test_wrong_questions",
    ),
    "an argument that `riposte serve` shows": (
        f"{answerer.LARGEST:,} characters",
        "tests/ltr/web/test_hostile.py::test_a_long_argument_is_cut",
    ),
    "headers of a request to `riposte serve`": (
        f"{connections.WITHIN} seconds; {app.CONNECTIONS} connections a process",
        "tests/ltr/web/test_hostile.py::test_silent_and_slow_connections_do_not_lock_the_page_out "
        "tests/ltr/web/test_hostile.py::test_too_many_requests_are_refused",
    ),
    "a corpus whose texts are all compared with a question": (
        f"{understand.FEW:,} arguments, {understand.SHORT:,} sentences",
        "tests/ltr/answers/test_own_texts.py::test_a_few_long_texts_are_not_read_as_a_whole",
    ),
}
"""Row of the page -> its limit by the code, and what tries it: a function, or tests elsewhere."""


def is_there(test: str) -> bool:
    file, _, name = test.partition("::")
    return f"def {name}(" in (ROOT / file).read_text("utf-8")


def test_every_bound_of_the_page_is_that_of_the_code() -> None:
    page = (ROOT / "docs" / "bounds.md").read_text("utf-8").partition("## Measured")[0]
    rows = dict(row[:2] for row in re.findall(r"^\| (.+?) \| (.+?) \| (.+?) \|$", page, re.MULTILINE)[1:])
    assert rows == {name: limit for name, (limit, _) in BOUNDS.items()}


@pytest.mark.parametrize("row", BOUNDS)
def test_a_bound_holds(row: str, tmp_path: Path) -> None:
    _, tries = BOUNDS[row]
    if isinstance(tries, str):
        assert all(map(is_there, tries.split()))
    else:
        tries(tmp_path)


PROMISES = {
    "An output is written whole or not at all": "tests/faults/test_faults.py::test_a_killed_command_can_be_run_again "
    "tests/system/test_bad_input.py::test_files_that_may_not_grow "
    "tests/ltr/index/test_damaged.py::test_an_index_without_a_manifest "
    "tests/system/test_interrupted.py::test_a_signal_ends_a_command_and_its_workers",
    "A wrong file or option ends the command": "tests/system/test_bad_input.py::test_bad_corpus "
    "tests/system/test_bad_input.py::test_wrong_usage tests/fuzz/test_readers.py::test_malformed_input",
    "Input above a limit is refused": "tests/system/test_promises.py::test_a_bound_holds "
    "tests/property/test_linear_patterns.py::test_time_grows_with_length",
    "The same corpus, judgments, seed and version": "tests/system/test_same_bytes.py::test_whatever_is_around",
    "An index that is unfinished, truncated": "tests/ltr/index/test_damaged.py::test_an_index_of_another_version "
    "tests/ltr/index/test_damaged.py::test_an_index_with_an_absent_or_truncated_file "
    "tests/ltr/index/test_kept_rows.py::test_rows_are_read_as_they_were_written "
    "tests/ltr/model_folder/test_store.py::test_changed_and_missing_trees",
    "Models, corpora and caches are data": "tests/system/test_watched.py::test_commands_of_a_task "
    "tests/system/test_watched.py::test_planted_code_is_stopped",
    "Only collect, grade, corpora of ir_datasets": "tests/system/test_watched.py::test_commands_of_a_task "
    "tests/ltr/remote/test_client.py::test_the_key_goes_in_a_header_and_nowhere_else",
    "Untrusted text is escaped": "tests/ltr/cli/test_escapes.py::test_what_is_printed_is_spelt "
    "tests/ltr/cli/test_escapes.py::test_what_graders_get_is_no_formula "
    "tests/ltr/web/test_hostile.py::test_control_characters_reach_neither_page_nor_answers "
    "tests/ltr/web/test_browser.py::test_words_of_strangers_are_text "
    "tests/ltr/web/test_hostile.py::test_other_host_names_are_refused",
    "Tables of figures are filled": "tests/experiments/test_figures_of_pages.py::test_tables_are_filled_from_the_files "
    "tests/experiments/test_figures_of_pages.py::test_a_model_that_was_trained_again_makes_its_figures_stale",
    "Lock files pin the version": "tests/system/test_lock.py::test_everything_is_pinned_and_has_hashes "
    "tests/system/test_lock.py::test_notice_has_a_licence_for_each_package",
}
"""Beginning of a sentence of the page -> tests that fail when it is not true."""


def test_every_promise_names_its_tests() -> None:
    page = (ROOT / "docs" / "promises.md").read_text("utf-8").partition("Not promised")[0]
    plain = " ".join(re.sub(r"\[(.+?)\]\(.+?\)|`", r"\1", page).split())
    promised = re.findall(r"\d+\. \*\*[^*]+\.\*\* (.+?)\.(?= \d+\. \*\*|$)", plain)
    assert len(promised) == len(PROMISES)
    for sentence, (begin, tests) in zip(promised, PROMISES.items(), strict=True):
        assert sentence.startswith(begin)
        assert ". " not in sentence, "a second sentence would have no test"
        assert all(map(is_there, tests.split()))
