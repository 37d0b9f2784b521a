"""The sample, served."""

from collections.abc import Iterator

import pytest
from support.served import answerers, serving


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch, serving(answerers()) as found:
        patch.setattr("ltr.answers.search.LEAST", 1.1)  # a model of few trees expects less
        yield found
