from __future__ import annotations

import pytest
from support.refusals import refuses
from support.topics import write_topics

from ltr.data.topics import Topic, read_topics


def test_topics_fold_white_space_and_keep_order(saved):
    path = saved(
        """<?xml version="1.0" encoding="utf-8"?>
        <topics>
          <topic><number> 51 </number><title>Do we
             need <i>sex</i> education?</title><narrative>n &amp; m</narrative><kind>broad</kind></topic>
          <topic><number>7</number><title>Ça va\u00a0?</title><description/></topic>
        </topics>"""
    )
    assert read_topics(path) == [
        Topic("51", "Do we need sex education?", narrative="n & m", kind="broad"),
        Topic("7", "Ça va ?"),
    ]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_topics_with_a_byte_order_mark(saved, encoding):
    path = saved("<topics><topic><number>1</number><title>é</title></topic></topics>".encode(encoding))
    assert read_topics(path) == [Topic("1", "é")]


def test_topics_round_trip(tmp_path):
    topics = [Topic("51", 'a < b & "c" ]]>', "why?", "é😀"), Topic("x-1", "t")]
    write_topics(tmp_path / "topics.xml", topics)
    assert read_topics(tmp_path / "topics.xml") == topics


def topic(inside: str) -> str:
    return f"<topics>\n<topic><number>1</number><title>t</title></topic>\n<topic>{inside}</topic></topics>"


BOMB = '<!DOCTYPE t [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><topics>&b;</topics>'


@pytest.mark.parametrize(
    ("content", "place", "said"),
    [
        ("", "input:", "is empty"),
        (" \n", "input:", "is empty"),
        ("\ufeff", "input:", "is empty"),
        ("<topics>\n<topic>", "line 2", "is not XML (no element found)"),
        (topic("<title>a & b</title>"), "line 3", "written &amp;"),
        (topic("<title>&nbsp;</title>"), "line 3", "undefined entity"),
        (BOMB, "input:", "DTD"),
        ('<!DOCTYPE t SYSTEM "file:///etc/passwd"><topics/>', "input:", "DTD"),
        ("<html></html>", "input:", "root element is <html>"),
        ("<topics></topics>", "input:", "holds no topics"),
        ("<topics><tpoic/></topics>", "topic 1", "<tpoic>"),
        (topic("<title>t</title>"), "topic 2", "has no number"),
        (topic("<number>1</number><title>t</title>"), "topic 2", "number 1 is taken"),
        (topic("<number>2</number><title> </title>"), "topic 2", "topic 2 has no title"),
        (topic("<number>2 3</number><title>t</title>"), "topic 2", "holds white space"),
        (topic("<number>2</number><number>3</number><title>t</title>"), "topic 2", "2 <number> elements"),
        (topic("<number>2</number><title>é</title>").encode("latin-1"), "line 3", "is not UTF-8"),
        ('<?xml version="1.0" encoding="klingon"?><topics/>', "input:", "unknown encoding"),
        (
            '<?xml version="1.0" encoding="latin-1"?>\n<topics>é & è'.encode("latin-1"),
            "line 2",
            "is not XML (not well-fo",
        ),
    ],
)
def test_bad_topics(saved, content, place, said):
    refuses(lambda: read_topics(saved(content)), place, said)


def test_a_title_has_a_bound(saved):
    words = " ".join(f"w{n}" for n in range(200_000))
    path = saved(topic(f"<number>2</number><title>{words}</title>"))
    refuses(lambda: read_topics(path), path.name, f"the title of topic '2' has {len(words):,} characters")
    refuses(lambda: Topic("2", words), "topic '2'", "ask in at most 2,000")
    assert Topic("2", "x" * 2_000).title
    path = saved(topic(f"<number>2</number><title>a</title><objects>{'a,' * 2_000}</objects>"))
    refuses(lambda: read_topics(path), path.name, "the list of objects of topic '2' has 5,998 characters")


def test_an_element_inside_a_title_separates_words(saved):
    (topic,) = read_topics(saved("<topics><topic><number>1</number><title>a<b>c</b> d</title></topic></topics>"))
    assert topic.title == "a c d"
