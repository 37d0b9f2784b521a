"""What every test starts from."""

import gc
import signal
from collections.abc import Iterator

import pytest
from hypothesis import settings

settings.register_profile("riposte", deadline=None)  # a busy machine is no fault of the code
settings.load_profile("riposte")


@pytest.fixture(autouse=True)
def as_a_process_begins() -> Iterator[None]:
    """A command ends its process; here the process goes on, and the processes it starts inherit what is ignored."""
    gc_threshold = gc.get_threshold()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored, where the tests run in the background
    yield
    signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.set_threshold(*gc_threshold)
