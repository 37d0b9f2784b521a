from __future__ import annotations

from ltr.answers.duplicates import Copies, same_words


def test_the_same_words_cut_elsewhere() -> None:
    words = [f"w{number}" for number in range(40)]
    texts = {
        "two": words[:30],
        "shorter": words[:20],  # all of its terms are in the first one
        "moved": words[10:30] + words[32:35],  # 20 of 23: .87
        "other": words[13:30] + words[32:36],  # 17 of 21: .81
        "few": words[:14],
    }
    copies = Copies(texts.__getitem__)
    assert [copies.is_copy(id_) for id_ in texts] == [False] * 5, "nothing is kept yet"
    copies.keep("two")
    assert [id_ for id_ in texts if copies.is_copy(id_)] == ["two", "shorter", "moved"]
    assert copies.alike == {"two": ["two", "shorter", "moved"]}


def test_short_texts_of_a_debate_share_its_conclusion() -> None:
    assert not same_words({*"abcdefgh"}, {*"abcdefgh"})
    assert same_words({*"abcdefghijklmno"}, {*"abcdefghijklmno"})
