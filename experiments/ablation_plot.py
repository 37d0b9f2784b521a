"""The picture of an ablation: differences from the baseline with their intervals, around zero."""

from __future__ import annotations

import io
from typing import Any

EVIDENCE, NONE, TEACHER = "#1b6ca8", "#8a8f98", "#b35900"


def draw(results: dict[str, Any]) -> str:
    """SVG, the same bytes for the same results. Raises ModuleNotFoundError without matplotlib."""
    import matplotlib
    from matplotlib.figure import Figure

    rows = [row for row in results["variants"] if "difference" in row]
    base = next(row["mean"] for row in results["variants"] if row["kind"] == "baseline")
    # Text stays text, and ids come from a fixed salt: the file can be searched, and compared.
    with matplotlib.rc_context({"svg.hashsalt": "riposte", "svg.fonttype": "none"}):
        figure = Figure(figsize=(8, 1.4 + 0.27 * len(rows)), layout="constrained")
        axes = figure.add_subplot()
        axes.axvline(0, color="black", linewidth=0.8)
        for place, row in enumerate(rows):
            colour = NONE if row["verdict"] == "no evidence of a difference" else EVIDENCE
            axes.plot([row["difference_low"], row["difference_high"]], [place, place], color=colour, linewidth=1.6)
            axes.plot([row["difference"]], [place], "o", color=colour, markersize=5)
        axes.set_yticks(range(len(rows)), [row["name"] for row in rows])
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.tick_params(axis="y", length=0)
        for side in ("top", "right", "left"):
            axes.spines[side].set_visible(False)
        for teacher in results["teachers"]:
            if teacher["mean"] == max(one["mean"] for one in results["teachers"]):
                axes.axvline(teacher["mean"] - base, color=TEACHER, linewidth=1, linestyle=":")
                axes.annotate(
                    f" {teacher['name']}", (teacher["mean"] - base, -0.5), color=TEACHER, fontsize=8, va="bottom"
                )
        axes.set_xlabel(
            f"difference in {results['measure']} from all features ({base:.3f}), 95% interval over "
            f"{results['topics']} topics;\nblue where the corrected randomisation test sees a difference",
            fontsize=9,
        )
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None})
    return out.getvalue()
