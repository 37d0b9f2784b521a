from __future__ import annotations

import pytest
from support.refusals import refuses
from support.topics import second_topic

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
        Topic("51", "Do we need sex education?"),
        Topic("7", "Ça va ?"),
    ]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_topics_with_a_byte_order_mark(saved, encoding):
    path = saved("<topics><topic><number>1</number><title>é</title></topic></topics>".encode(encoding))
    assert read_topics(path) == [Topic("1", "é")]


def test_a_title_has_a_bound(saved):
    words = " ".join(f"w{n}" for n in range(200_000))
    path = saved(second_topic(f"<number>2</number><title>{words}</title>"))
    refuses(lambda: read_topics(path), path.name, f"the title of topic '2' has {len(words):,} characters")
    refuses(lambda: Topic("2", words), "topic '2'", "ask in at most 2,000")
    assert Topic("2", "x" * 2_000).title
    path = saved(second_topic(f"<number>2</number><title>a</title><objects>{'a,' * 2_000}</objects>"))
    refuses(lambda: read_topics(path), path.name, "the list of objects of topic '2' has 5,998 characters")


def test_an_element_inside_a_title_separates_words(saved):
    (topic,) = read_topics(saved("<topics><topic><number>1</number><title>a<b>c</b> d</title></topic></topics>"))
    assert topic.title == "a c d"
