from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from support.corpora import SMALL, Row, build, contents, write_corpus

from features.core.text import Analyzer, normalise
from ltr.corpora.base import Argument, open_corpus
from ltr.errors import InputError
from ltr.index import build as indexing
from ltr.index import reader as index_module
from ltr.index import segment as shard
from ltr.index.reader import Index

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def arguments(tmp_path_factory: pytest.TempPathFactory) -> list[Argument]:
    return list(open_corpus(str(write_corpus(tmp_path_factory.mktemp("read"), SMALL))))


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return build(write_corpus(tmp_path_factory.mktemp("small"), SMALL))


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The places where indexes were built during the test."""
    places: list[Path] = []

    def counting(corpus: object, place: Path, *rest: object) -> None:
        places.append(place)
        indexing.build_index(corpus, place, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(index_module, "build_index", counting)
    return places


# ---- search ---------------------------------------------------------------------------------------


def brute_force(texts: dict[str, list[str]], query: Sequence[str]) -> list[tuple[str, float]]:
    """BM25 with k1 = 1.2 and b = .75 as Lucene and tantivy have it: ids and scores, best first, ties by id."""
    size = len(texts)
    mean = sum(map(len, texts.values())) / size
    df = {term: sum(term in terms for terms in texts.values()) for term in query}
    found = []
    for name, terms in texts.items():
        score = 0.0
        for term in query:
            tf = terms.count(term)
            idf = math.log(1 + (size - df[term] + 0.5) / (df[term] + 0.5))
            score += idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * len(terms) / mean))
        if score > 0:
            found.append((name, score))
    return sorted(found, key=lambda item: (-round(item[1], 4), item[0]))


@pytest.mark.parametrize("title", ["ban cars", "pollute city", "zoo animals suffer", "close", "work cars ban zoo"])
@pytest.mark.parametrize("field", ["sentence", "argument", "conclusion"])
def test_search_is_bm25(field: str, title: str, small: Index, arguments: list[Argument]) -> None:
    analyzer = Analyzer()
    texts: dict[str, list[str]] = {}
    for argument in arguments:
        terms = {sentence.id: analyzer.terms(sentence.text) for sentence in argument.sentences}
        if field == "sentence":
            texts |= terms
        elif field == "argument":
            texts[argument.id] = [term for found in terms.values() for term in found]
        else:
            texts[argument.id] = terms.get(f"{argument.id}__CONC__1", [])
    query = analyzer.distinct(title)
    expected = brute_force(texts, query)
    rows, scores = small.search(field, query, 100)
    name = small.sentence_id if field == "sentence" else small.argument_id
    # All texts are under 40 terms, where tantivy stores the length exactly.
    assert [name(int(row)) for row in rows] == [found for found, _ in expected]
    np.testing.assert_allclose(scores, [score for _, score in expected], rtol=1e-5)


# ---- titles ---------------------------------------------------------------------------------------

CONTEXTS: dict[str, dict[str, object]] = {
    "S2-A9": {"topic": "Should we ban cars – 車?", "discussionTitle": "no", "sourceTitle": "no"},
    "S1-A1": {"topic": "", "discussionTitle": "Cars in the city and\nzoos", "sourceTitle": "no"},
    "S1-A2": {"sourceTitle": "A page about zoos, zoos and more"},
    "S3-A1": {"sourceUrl": "u"},
    "S3-A2": {"topic": None, "sourceTitle": 'It\'s "quoted": cars'},
}
TITLES = [
    "Should we ban cars – 車?",
    "Cars in the city and\nzoos",
    "A page about zoos, zoos and more",
    "",
    'It\'s "quoted": cars',
]


def test_an_argument_has_the_title_of_its_debate_or_else_of_its_page(tmp_path: Path) -> None:
    index = build(write_corpus(tmp_path, SMALL, CONTEXTS))
    assert [index.title(row) for row in range(index.arguments)] == TITLES
    again = Index(index.folder)
    assert [again.title(row) for row in (4, 0, 3)] == [TITLES[4], TITLES[0], ""]


@pytest.mark.parametrize("title", ["ban cars", "zoo", "unheard"])
def test_titles_are_searched_by_bm25(title: str, tmp_path: Path) -> None:
    index = build(write_corpus(tmp_path, SMALL, CONTEXTS))
    query = Analyzer().distinct(title)
    texts = {name: Analyzer().terms(text) for (name, *_), text in zip(SMALL, TITLES, strict=True)}
    expected = brute_force(texts, query)
    rows, scores = index.search("title", query, 100)
    assert [index.argument_id(int(row)) for row in rows] == [found for found, _ in expected]
    np.testing.assert_allclose(scores, [score for _, score in expected], rtol=1e-5)


# ---- the head of a search -------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_a_shorter_search_is_the_head_of_a_longer_one(limit: int, small: Index) -> None:
    rows, scores = small.search("sentence", ["car", "citi"], 100)
    head, head_scores = small.search("sentence", ["car", "citi"], limit)
    assert head.tolist() == rows[:limit].tolist()
    assert head_scores.tolist() == scores[:limit].tolist()


def test_nothing_matches(small: Index) -> None:
    for terms, limit in ([], 10), (["unheard"], 10), (["car"], 0):
        rows, scores = small.search("sentence", terms, limit)
        assert len(rows) == len(scores) == 0


def test_a_repeated_query_term_counts_once(small: Index) -> None:
    once, twice = (small.search("sentence", terms, 9)[1] for terms in (["car"], ["car", "car"]))
    assert once.tolist() == twice.tolist()


def test_ties_are_by_id_and_read_to_their_end(tmp_path: Path) -> None:
    # 300 equal sentences: more than any fetch of limit + 64, and the ids fall while the rows rise.
    rows: list[Row] = [(f"S1-A{900 - n}", "", "PRO", ["Ban cars now"]) for n in range(300)]
    index = build(write_corpus(tmp_path, rows))
    found, scores = index.search("sentence", ["ban", "car"], 5)
    assert [index.sentence_id(int(row)) for row in found] == [f"S1-A{n}__PREMISE__1" for n in range(601, 606)]
    assert len(set(scores.tolist())) == 1
    found, _ = index.search("argument", ["ban", "car"], 5)
    assert [index.argument_id(int(row)) for row in found] == [f"S1-A{n}" for n in range(601, 606)]


def test_ties_inside_an_argument_are_by_number(tmp_path: Path) -> None:
    index = build(write_corpus(tmp_path, [("S1-A1", "Ban cars", "PRO", ["Ban cars"] * 11)]))
    rows, _ = index.search("sentence", ["ban", "car"], 20)
    assert [index.sentence_id(int(row)) for row in rows] == [
        "S1-A1__CONC__1",
        *(f"S1-A1__PREMISE__{n}" for n in range(1, 12)),
    ]


def test_unstemmed_words_are_another_index(tmp_path: Path) -> None:
    index = build(write_corpus(tmp_path, SMALL), stem=False, stop=False)
    assert index.search("sentence", ["car"], 9)[0].tolist() == [3]
    assert len(index.search("sentence", ["the"], 9)[0])


# ---- what is read back ----------------------------------------------------------------------------


def test_texts_and_ids_are_read_back(small: Index, arguments: list[Argument]) -> None:
    assert small.arguments == len(arguments)
    assert small.sentences == sum(len(argument.sentences) for argument in arguments)
    for row, argument in enumerate(arguments):
        assert small.argument_id(row) == argument.id
        assert small.stance(row) == argument.stance
        found = [(small.sentence_id(i), small.text(i)) for i in small.sentence_rows(row)]
        assert found == [tuple(sentence) for sentence in argument.sentences]
        assert {int(small.argument_of(i)) for i in small.sentence_rows(row)} <= {row}


def test_odd_texts_are_read_back(tmp_path: Path) -> None:
    texts = ["", " ", "naïve 中文 \N{GRINNING FACE}", "two\nlines \"and\" 'quotes'", "\xa0", "x" * 70_000]
    index = build(write_corpus(tmp_path, [("S1-A1", "", "PRO", texts)]))
    assert [index.text(row) for row in range(len(texts))] == texts


def test_arguments_are_found_by_id(small: Index) -> None:
    assert small.argument_rows(["S3-A1", "S1-A1", "absent", "S3-A1"]) == {"S1-A1": 1, "S3-A1": 3}
    assert small.argument_rows([]) == {}


def test_short_conclusions_are_sentences(small: Index) -> None:
    row = int(small.column("conclusion_row")[1])
    assert (small.sentence_id(row), small.text(row)) == ("S1-A1__CONC__1", "Cars")
    assert small.column("conclusion_row")[2] == -1


def test_statistics_are_counts_of_the_whole_corpus(small: Index, arguments: list[Argument]) -> None:
    analyzer = Analyzer()
    units: dict[str, list[list[str]]] = {"sentence": [], "argument": [], "conclusion": []}
    for argument in arguments:
        terms = [analyzer.terms(sentence.text) for sentence in argument.sentences]
        units["sentence"] += terms
        units["argument"].append([term for found in terms for term in found])
        conclusions = [t for s, t in zip(argument.sentences, terms, strict=True) if "__CONC__" in s.id]
        units["conclusion"] += [found for found in conclusions if found]
    vocabulary = [*sorted({term for terms in units["argument"] for term in terms}), "unheard"]
    for unit, texts in units.items():
        statistics = small.statistics
        assert statistics.units[unit].size == len(texts)
        assert statistics.units[unit].tokens == sum(map(len, texts))
        assert statistics.units[unit].mean_length == pytest.approx(sum(map(len, texts)) / len(texts))
        df = Counter(term for terms in texts for term in set(terms))
        cf = Counter(term for terms in texts for term in terms)
        assert statistics.df(unit, vocabulary).tolist() == [df[term] for term in vocabulary]
        assert statistics.cf(unit, vocabulary).tolist() == [cf[term] for term in vocabulary]
        idf = [math.log(1 + (len(texts) - df[term] + 0.5) / (df[term] + 0.5)) for term in vocabulary]
        np.testing.assert_allclose(statistics.idf(unit, vocabulary), idf)


def test_statistics_do_not_depend_on_the_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_corpus(tmp_path / "corpus", SMALL)
    whole = build(folder, tmp_path / "whole")
    monkeypatch.setattr(shard, "CHUNK", 2)
    parts = build(folder, tmp_path / "parts")
    assert contents(whole.folder) == contents(parts.folder)


def test_duplicates_are_counted(small: Index) -> None:
    copies = {small.sentence_id(row): row for row in range(small.sentences)}
    first, second, third, shuffled = (
        copies[f"{name}__PREMISE__{n}"] for name, n in (("S2-A9", 1), ("S1-A1", 3), ("S3-A1", 1), ("S3-A1", 2))
    )
    # Three copies but for case and marks; the fourth has the same words in another order.
    assert normalise(small.text(first)) == normalise(small.text(third)) != normalise(small.text(shuffled))
    for row in first, second, third:
        assert small.column("exact_count")[row] == 3
        assert small.column("near_count")[row] == 4
        assert small.column("canonical")[row] == first
    assert small.column("exact_count")[shuffled] == 1
    assert small.column("near_count")[shuffled] == 4
    assert small.column("canonical")[shuffled] == shuffled


def test_texts_without_words_are_no_copies_of_each_other(tmp_path: Path) -> None:
    index = build(write_corpus(tmp_path, [("S1-A1", "", "PRO", ["?!", "...", "?!", "The.", "It."])]))
    assert index.column("exact_count").tolist() == [2, 1, 2, 1, 1]
    assert index.column("canonical").tolist() == [0, 1, 0, 3, 4]
    assert index.column("near_count").tolist() == [2, 1, 2, 1, 1]


def test_debates_and_bodies_are_counted(small: Index) -> None:
    # "Ban cars" and "Ban cars!" are one debate; an argument without a conclusion is in none.
    assert small.column("debate_size").tolist() == [2, 1, 0, 2, 1]
    assert small.column("body_count").tolist() == [1, 1, 1, 1, 1]


def test_copies_of_whole_bodies_are_counted(tmp_path: Path) -> None:
    bodies = [["One two.", "Three."], ["one TWO", "three"], ["One two three."]]
    index = build(write_corpus(tmp_path, [(f"S1-A{n}", f"C {n}", "PRO", body) for n, body in enumerate(bodies)]))
    assert index.column("body_count").tolist() == [2, 2, 1]


# ---- when it is built -----------------------------------------------------------------------------


def test_it_is_reopened_without_building(tmp_path: Path, builds: list[Path]) -> None:
    folder = write_corpus(tmp_path, SMALL)
    for _ in range(3):
        assert build(folder).folder == folder / ".riposte-index"
    assert len(builds) == 1


def test_it_is_rebuilt_when_the_corpus_changes(tmp_path: Path, builds: list[Path]) -> None:
    folder = write_corpus(tmp_path, SMALL)
    before = build(folder)
    write_corpus(folder, [*SMALL, ("S9-A9", "New one", "PRO", ["Newcomers."])])
    after = build(folder)
    assert len(builds) == 2
    assert after.arguments == before.arguments + 1
    assert len(after.search("sentence", ["newcom"], 9)[0]) == 1


def test_it_is_rebuilt_for_a_change_that_keeps_size_and_date(tmp_path: Path, builds: list[Path]) -> None:
    folder = write_corpus(tmp_path, SMALL)
    build(folder)
    path = folder / "args_processed.csv"
    stat = path.stat()
    path.write_bytes(path.read_bytes().replace(b"pollute", b"poison "))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert path.stat().st_size == stat.st_size
    assert len(build(folder).search("sentence", ["poison"], 9)[0])
    assert len(builds) == 2


def test_a_touched_corpus_is_not_indexed_again(tmp_path: Path, builds: list[Path]) -> None:
    folder = write_corpus(tmp_path, SMALL)
    build(folder)
    os.utime(folder / "args_processed.csv", (1, 1))
    build(folder)
    assert len(builds) == 1
    manifest = json.loads((folder / ".riposte-index" / "manifest.json").read_text("utf-8"))
    assert manifest["corpus"]["signature"]["mtime_ns"] == 1_000_000_000  # remembered: not hashed again


def test_it_is_rebuilt_for_another_analysis(tmp_path: Path, builds: list[Path]) -> None:
    folder = write_corpus(tmp_path, SMALL)
    build(folder)
    build(folder, stem=False)
    build(folder, stem=False)
    assert len(builds) == 2


def test_it_is_rebuilt_for_another_format_or_engine(tmp_path: Path, builds: list[Path]) -> None:
    folder = write_corpus(tmp_path, SMALL)
    path = build(folder).folder / "manifest.json"
    for number, (key, value) in enumerate({"format": -1, "tantivy": "0.0"}.items(), 2):
        path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | {key: value}), "utf-8")
        build(folder)
        assert len(builds) == number


@pytest.mark.parametrize("victim", ["text-0000.bin", "ids.bin", "text_end.npy", "df_sentence.npy", "canonical.npy"])
@pytest.mark.parametrize("harm", ["removed", "cut"])
def test_a_damaged_index_is_rebuilt(victim: str, harm: str, tmp_path: Path, builds: list[Path]) -> None:
    folder = write_corpus(tmp_path, SMALL)
    path = build(folder).folder / victim
    whole = path.read_bytes()
    if harm == "cut":
        path.write_bytes(whole[:-1])
    else:
        path.unlink()
    build(folder)
    assert len(builds) == 2
    assert path.read_bytes() == whole


def test_a_damaged_engine_is_rebuilt(tmp_path: Path, builds: list[Path]) -> None:
    folder = write_corpus(tmp_path, SMALL)
    shutil.rmtree(build(folder).folder / "sentence")
    assert len(build(folder).search("sentence", ["car"], 9)[0])
    assert len(builds) == 2


@pytest.mark.parametrize("manifest", [None, "[]", '{"format": 1}', "not JSON"])
def test_a_foreign_folder_is_refused_and_kept(manifest: str | None, tmp_path: Path) -> None:
    folder = write_corpus(tmp_path / "corpus", SMALL)
    place = tmp_path / "mine"
    place.mkdir()
    (place / "thesis.txt").write_text("dear to me")
    if manifest is not None:
        (place / "manifest.json").write_text(manifest)
    with pytest.raises(InputError, match=r"mine: .*no index of ours; name an empty or new directory"):
        build(folder, place)
    assert (place / "thesis.txt").read_text() == "dear to me"


def test_a_file_in_the_place_is_refused_and_kept(tmp_path: Path) -> None:
    folder = write_corpus(tmp_path / "corpus", SMALL)
    (tmp_path / "file").write_text("dear to me")
    with pytest.raises(InputError, match="no index of ours"):
        build(folder, tmp_path / "file")
    assert (tmp_path / "file").read_text() == "dear to me"


def test_an_empty_or_new_place_is_taken(tmp_path: Path) -> None:
    folder = write_corpus(tmp_path / "corpus", SMALL)
    (tmp_path / "empty").mkdir()
    assert build(folder, tmp_path / "empty").folder == tmp_path / "empty"
    assert build(folder, tmp_path / "some" / "where").folder == tmp_path / "some" / "where"
    assert not (folder / ".riposte-index").exists()


def test_a_half_built_index_is_ignored(tmp_path: Path, builds: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_corpus(tmp_path, SMALL)
    # As a killed process leaves it: everything written, never swapped in.
    with monkeypatch.context() as patch:
        patch.setattr("ltr.data.files.swap_in", lambda part, path: shutil.copytree(part, f"{part}.part"))
        with pytest.raises(InputError):
            build(folder)
    assert list(folder.glob(".*.part"))
    assert build(folder).arguments == len(SMALL)
    assert len(builds) == 2


def test_a_bad_row_leaves_no_index_and_no_rest(tmp_path: Path) -> None:
    folder = write_corpus(tmp_path, [*SMALL, SMALL[0]])
    with pytest.raises(InputError, match="S2-A9"):
        build(folder)
    assert sorted(p.name for p in folder.iterdir()) == [".riposte-index.lock", "args_processed.csv"]


def test_a_bad_row_leaves_the_index_of_the_corpus_before(tmp_path: Path) -> None:
    folder = write_corpus(tmp_path, SMALL)
    before = contents(build(folder).folder)
    write_corpus(folder, [*SMALL, SMALL[0]])
    with pytest.raises(InputError):
        build(folder)
    assert contents(folder / ".riposte-index") == before


def test_two_builds_are_byte_identical(tmp_path: Path) -> None:
    first = build(write_corpus(tmp_path / "corpus", SMALL), tmp_path / "first")
    second = build(tmp_path / "corpus", tmp_path / "second")
    assert contents(first.folder) == contents(second.folder)
    for title in (["car"], ["ban", "citi"], ["zoo"]):
        for field in ("sentence", "argument", "conclusion"):
            for one, other in zip(first.search(field, title, 9), second.search(field, title, 9), strict=True):
                assert one.tolist() == other.tolist()


def test_two_processes_at_once(tmp_path: Path) -> None:
    rows: list[Row] = [(f"S1-A{n:x}", "Ban cars", "PRO", [f"Reason {n} of many.", "Smog."]) for n in range(3000)]
    folder = write_corpus(tmp_path, rows)
    code = (
        "import sys; from ltr.corpora.base import open_corpus; from ltr.index.reader import open_index;"
        "from ltr.progress import Progress;"
        "i = open_index(open_corpus(sys.argv[1]), None, Progress());"
        "print(i.arguments, i.sentences, len(i.search('sentence', ['smog'], 10)[0]))"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(folder)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )
        for _ in range(2)
    ]
    said = [process.communicate(timeout=60) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], said
    assert [out for out, _ in said] == ["3000 9000 10\n"] * 2
    # The other one waited, or came later.
    assert sum(f"indexing {folder / 'args_processed.csv'}" in err for _, err in said) == 1
    assert not list(folder.glob(".*.part"))


def test_a_read_only_corpus_is_indexed_in_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, builds: list[Path]
) -> None:
    folder = write_corpus(tmp_path / "corpus", SMALL)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    # Permissions do not bind root, so the answer is given in their place.
    monkeypatch.setattr(os, "access", lambda path, mode: not str(path).startswith(str(folder)))
    for _ in range(2):
        index = build(folder)
        assert index.folder.parent == tmp_path / "cache" / "riposte"
        assert index.arguments == len(SMALL)
    assert len(builds) == 1
    assert [path.name for path in folder.iterdir()] == ["args_processed.csv"]


def test_a_read_only_corpus_with_an_index_beside_it_uses_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_corpus(tmp_path, SMALL)
    build(folder)
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert build(folder).folder == folder / ".riposte-index"


def test_an_index_is_no_index_without_a_manifest(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no index of ours"):
        Index(tmp_path)
