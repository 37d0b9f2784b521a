"""Settings of commands and of functions as frozen dataclasses: each value is checked once, wherever it comes from."""

from ltr.settings.base import Settings, make, refuse_both, setting

__all__ = ["Settings", "make", "refuse_both", "setting"]
