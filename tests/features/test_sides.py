"""The one enumeration of sides."""

from features.core.sides import COMPARED, FOR_AND_AGAINST, Side


def test_members_are_the_strings_of_a_run() -> None:
    assert [str(side) for side in Side] == ["PRO", "CON", "FIRST", "SECOND", "NEUTRAL", "NO", "Q0"]
    assert {"PRO": 1}[Side.PRO] == 1
    assert {*FOR_AND_AGAINST, *COMPARED, Side.NONE} == {*Side}
