"""The picture of an ablation: differences from all features with their intervals, a panel a dimension."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

from ltr.evaluation.significance import NO_EVIDENCE

EVIDENCE, NONE = "#1b6ca8", "#8a8f98"


def draw(results: Mapping[str, Any]) -> str:
    """SVG, the same bytes for the same results. Raises ModuleNotFoundError without matplotlib."""
    import matplotlib  # optional: a study without it has everything but the picture
    from matplotlib.figure import Figure

    changed = [row for row in results["variants"] if "difference" in row]
    panels = [one for one in results["dimensions"] if any(row["dimension"] == one for row in changed)]
    # Forward takes another path in each dimension: what one panel lacks stays empty there.
    names = list(dict.fromkeys(row["name"] for row in changed))
    # Text stays text, and ids come from a fixed salt: the file can be searched, and compared.
    with matplotlib.rc_context({"svg.hashsalt": "riposte", "svg.fonttype": "none"}):
        figure = Figure(figsize=(2.2 + 2.6 * len(panels), 1.5 + 0.24 * len(names)), layout="constrained")
        axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for panel, dimension in zip(axes, panels, strict=True):
            panel.axvline(0, color="black", linewidth=0.8)
            for row in (row for row in changed if row["dimension"] == dimension):
                place = names.index(row["name"])
                colour = NONE if row["verdict"] == NO_EVIDENCE else EVIDENCE
                panel.plot([row["difference_low"], row["difference_high"]], [place, place], color=colour, linewidth=1.6)
                panel.plot([row["difference"]], [place], "o", color=colour, markersize=4)
            base = next(
                row["mean"] for row in results["variants"] if (row["dimension"], row["kind"]) == (dimension, "baseline")
            )
            panel.set_title(f"{dimension} ({base:.3f})", fontsize=10)
            panel.set_yticks(range(len(names)), names)
            panel.set_ylim(len(names) - 0.4, -0.6)
            panel.tick_params(axis="y", length=0)
            panel.tick_params(axis="x", labelsize=8)
            for side in ("top", "right", "left"):
                panel.spines[side].set_visible(False)
        figure.supxlabel(
            f"difference in {results['measure']} from {results['baseline']} (figure in brackets), 95% interval over "
            f"{results['topics']} topics;\nblue where the corrected randomisation test sees a difference",
            fontsize=8,
        )
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None})
    return out.getvalue()
