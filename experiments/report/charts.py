"""Charts of the report as inline SVG.

They have no fixed width: places across are percentages, so letters keep their size on any screen.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any


def interval_chart(
    title: str, said: str, rows: Sequence[tuple[str, Mapping[str, float], bool]], *, zero: bool = False
) -> str:
    """Dots with their intervals, a row each: (name, mean with low and high, whether it stands out)."""
    bounds = [value for _, found, _ in rows for value in (found["low"], found["high"], found["mean"])]
    ticks = _ticks(min([*bounds, 0.0] if zero else bounds), max([*bounds, 0.0] if zero else bounds))
    width, height = (ticks[-1] - ticks[0]) or 1.0, 40 * len(rows) + 26

    def across(value: float) -> str:
        return f"{2 + 96 * (value - ticks[0]) / width:.2f}%"

    shapes = [_line(across(t), across(t), 0, height - 20, "zero" if zero and t == 0 else "grid") for t in ticks]
    for place, (name, found, stands_out) in enumerate(rows):
        y, look = 40 * place + 30, "ours " if stands_out else ""
        shapes.append(_text("0.5%", y - 12, name if len(name) <= 34 else name[:33] + "…"))
        shapes.append(_text("99.5%", y - 12, interval_text(found, sign=zero), "faint", "end"))
        shapes.append(_line(across(found["low"]), across(found["high"]), y, y, f"{look}span"))
        shapes.append(f'<circle class="{look}dot" cx="{across(found["mean"])}" cy="{y}" r="5"/>')
    for tick in ticks:  # the outermost ones stay inside
        anchor = "start" if tick == ticks[0] else "end" if tick == ticks[-1] else "middle"
        shapes.append(_text(across(tick), height - 5, f"{tick:g}".replace("-", "\u2212"), "faint", anchor))
    name = "chart-" + re.sub(r"\W+", "-", title.lower())
    return (
        f'<figure><svg role="img" height="{height}" aria-labelledby="{name}-t {name}-d">'
        f'<title id="{name}-t">{escape(title)}</title><desc id="{name}-d">{escape(said)} A table follows.</desc>'
        f"{''.join(shapes)}</svg></figure>"
    )


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers from below ``low`` to above ``high``, four to eight of them."""
    width = max(high - low, 1e-3)
    power = 10 ** math.floor(math.log10(width))
    step = next(power * part for part in (0.2, 0.25, 0.5, 1, 2) if width / (power * part) <= 6)
    return [
        round(place * step, 10) for place in range(math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9) + 1)
    ]


def _line(x1: str, x2: str, y1: float, y2: float, look: str) -> str:
    return f'<line class="{look}" x1="{x1}" x2="{x2}" y1="{y1}" y2="{y2}"/>'


def _text(x: str, y: float, text: str, look: str = "name", anchor: str = "start") -> str:
    return f'<text class="{look}" x="{x}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'


def interval_text(found: Mapping[str, Any] | None, *, sign: bool = False) -> str:
    """Mean and interval, or a dash where there is none."""
    if found is None or any(found.get(name) is None for name in ("mean", "low", "high")):
        return "\u2013"
    mean, low, high = (figure_text(found[name], sign=sign) for name in ("mean", "low", "high"))
    return f"{mean} [{low}, {high}]"


def figure_text(value: float | None, *, sign: bool = False) -> str:
    """Three decimals, with a true minus; a dash for None."""
    return "\u2013" if value is None else f"{value:{'+' if sign else ''}.3f}".replace("-", "\u2212")
