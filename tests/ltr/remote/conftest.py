from __future__ import annotations

import pytest
from support.web import Clock


@pytest.fixture(autouse=True)
def no_waiting(clock: Clock) -> None:
    """No test waits between two tries."""
