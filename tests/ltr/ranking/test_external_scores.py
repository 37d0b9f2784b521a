from __future__ import annotations

from pathlib import Path

import numpy as np
from support.refusals import refuses
from support.tables import Pair, plain_matrix

from ltr.data.topics import Topic
from ltr.ranking.external_scores import check_topics, read_key, read_scores, scored_rows, units_of_key

A1, A2, B1, C1 = "S1-A1__PREMISE__1", "S1-A1__PREMISE__2", "S2-A2__PREMISE__1", "S3-A3__CONC__1"
PAIRS: dict[str, list[Pair]] = {"10": [(A1, A2), (B1, C1)], "2": [(A1, B1), (A1, C1)]}
MATRIX = plain_matrix(PAIRS)
HEAD = "row\tqid\ttopic\tunit\n"


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_scores_without_a_key_are_those_of_all_rows(tmp_path: Path) -> None:
    path = write(tmp_path / "scores.txt", "1\n-2.5\n1e-3\n4\n")
    scores = read_scores(path)
    assert scores.tolist() == [1, -2.5, 0.001, 4]
    assert scored_rows(MATRIX, scores, path, None, None) == (MATRIX, scores)
    refuses(
        lambda: scored_rows(MATRIX, scores[:3], path, None, None), "scores.txt", "has 3 scores for 4 rows of riposte"
    )


def test_a_key_names_the_rows_of_scores(tmp_path: Path) -> None:
    path = write(tmp_path / "key.tsv", f"{HEAD}1\t10\t10\t{B1},{C1}\n2\t2\t2\t{A1},{C1}\n3\t10\t10\t{A1},{A2}\n")
    key = read_key(path)
    assert units_of_key(key) == {"10": [f"{B1},{C1}", f"{A1},{A2}"], "2": [f"{A1},{C1}"]}
    assert check_topics(path, key, [Topic("1", "a"), Topic("2", "b"), Topic("10", "c")]) == [
        Topic("2", "b"),
        Topic("10", "c"),
    ]
    matrix, scores = scored_rows(MATRIX, np.array([7.0, 8.0, 9.0]), tmp_path / "s", key, path)
    assert matrix.ids.tolist() == [f"{A1},{C1}", f"{A1},{A2}", f"{B1},{C1}"]
    assert scores.tolist() == [8, 9, 7]
    assert matrix.topics == ["2", "10"]


def test_what_is_refused(tmp_path: Path) -> None:
    refuses(lambda: read_scores(write(tmp_path / "s", "1\nnan\n")), "s line 2", "score 'nan' is not a finite number")
    refuses(lambda: read_scores(write(tmp_path / "s", "1e17\n1e17\n")), "s line 1", "is off the scale")
    refuses(lambda: read_scores(write(tmp_path / "s", "1 2\n")), "s line 1", "has 2 columns, not 1")
    refuses(lambda: read_key(write(tmp_path / "k", "1 2 3 4\n")), "k line 1", "does not name the columns")
    path = write(tmp_path / "k", f"{HEAD}1\t3\t3\t{A1},{A2}\n")
    key = read_key(path)
    refuses(lambda: check_topics(path, key, [Topic("2", "b")]), "k line 2", "there is no topic '3'")
    refuses(lambda: check_topics(path, [], [Topic("2", "b")]), f"{path}:", "names no rows")
    one = np.ones(1)
    refuses(lambda: scored_rows(MATRIX, one, path, key, path), "k line 2", "topic 3 has no unit")
    twice = read_key(write(tmp_path / "k", HEAD + 2 * f"1\t2\t2\t{A1},{B1}\n"))
    refuses(lambda: scored_rows(MATRIX, np.ones(2), path, twice, path), "k line 3", "is there already")
    refuses(lambda: scored_rows(MATRIX, one, tmp_path / "s", twice, path), "s", f"has 1 scores for 2 rows of {path}")
