"""What every reader owes the user of a bad file: one line with place, fault and hint."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ltr.errors import InputError


def refuses(act: Callable[[], object], place: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        act()
    message = str(caught.value)
    assert place in message
    assert said in message
    assert "\n" not in message
    assert "; " in message  # the hint
