"""The feature matrix in other tools' formats: what their own readers find in it is what we had."""

from __future__ import annotations
