"""Riposte: ranked pairs of argumentative sentences for a controversial question."""

import sys as _sys

if _sys.argv[:1] == ["-m"]:  # so it stands while `python -m ltr.<command>` looks for the command
    import signal as _signal

    from ltr.errors import leave_at_once as _leave_at_once

    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _leave_at_once)

__version__ = "0.1.0"
