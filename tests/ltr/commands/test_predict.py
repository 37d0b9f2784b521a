from __future__ import annotations

from support.corpora import write_corpus
from support.topics import write_topics

from ltr.commands import predict
from ltr.data.runs import read_run
from ltr.data.topics import Topic

ROWS = [
    ("S1-A1", "Zoos should be allowed", "PRO", ["Zoos are good for animals.", "Zoos protect rare animals."]),
    ("S1-A2", "Zoos are good", "CON", ["Zoos are cruel to elephants.", "Zoos harm wild lions."]),
]


def test_sides_of_the_question_stand_in_the_run_where_asked_for(tmp_path):
    write_corpus(tmp_path / "corpus", ROWS)
    write_topics(tmp_path / "corpus" / "topics.xml", [Topic("1", "Should zoos be banned?")])
    runs = {}
    for stance in ("conclusion", "question"):
        common = ["-i", str(tmp_path / "corpus"), "-m", "bm25", "--index", str(tmp_path / "index"), "--quiet"]
        assert predict.main([*common, "-o", str(tmp_path / stance), "--stance", stance]) == 0
        runs[stance] = read_run(tmp_path / stance / "run.txt")
    assert [row._replace(stance="") for row in runs["question"]] == [
        row._replace(stance="") for row in runs["conclusion"]
    ]
    # To speak against zoos is to speak for a ban.
    assert sides(runs["question"]) == {("S1-A1", "CON"), ("S1-A2", "PRO")}
    assert sides(runs["conclusion"]) == {("S1-A1", "PRO"), ("S1-A2", "CON")}


def sides(rows):
    """Arguments and stances of the pairs that are of one argument."""
    return {(row.pair[:5], row.stance) for row in rows if row.pair.count(row.pair[:5]) == 2}
