"""The sample, served."""

from collections.abc import Iterator

import pytest
from support.served import answerers, serving


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving(answerers()) as found:
        yield found
