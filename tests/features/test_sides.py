"""The one enumeration of sides."""

import pytest

from features.core.sides import COMPARED, FOR_AND_AGAINST, Side


def test_members_are_the_strings_of_a_run() -> None:
    assert [str(side) for side in Side] == ["PRO", "CON", "FIRST", "SECOND", "NEUTRAL", "NO", "Q0"]
    assert {"PRO": 1}[Side.PRO] == 1
    assert {*FOR_AND_AGAINST, *COMPARED, Side.NONE} == {*Side}


@pytest.mark.parametrize("side", Side)
def test_every_side_has_words_and_an_opposite(side: Side) -> None:
    assert side.label
    assert side.heading
    assert side.opposite.opposite is side


def test_opposites() -> None:
    assert [side.opposite for side in (Side.PRO, Side.FIRST, Side.NEUTRAL)] == [Side.CON, Side.SECOND, Side.NEUTRAL]
