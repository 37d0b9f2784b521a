"""Settings of commands and of functions as frozen dataclasses: each value is checked once, wherever it comes from."""

from ltr.settings.base import Setting, Settings, checked, make, refuse_both, setting

__all__ = ["Setting", "Settings", "checked", "make", "refuse_both", "setting"]
