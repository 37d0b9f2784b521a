"""All that ``ltr.evaluate`` reports: figures of runs, composition of the first results, sides; as lines or JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ltr.data.runs import read_run
from ltr.errors import InputError
from ltr.evaluation.composition import COMPOSITION, composition
from ltr.evaluation.evaluator import Evaluation, Settings, check_match, evaluate_sets, random_baseline
from ltr.evaluation.judgments import JudgmentFiles, path_text
from ltr.evaluation.output import (
    RANDOM,
    Figures,
    aligned,
    as_json,
    figure_text,
    notes,
    random_title,
    set_title,
    short_notes,
)
from ltr.evaluation.stance import StanceFigures, read_stances, stance_figures


@dataclass(frozen=True)
class RunReport:
    """What was measured, by run."""

    files: JudgmentFiles
    settings: Settings
    k: int
    figures: Figures
    at_random: Mapping[str, Evaluation]
    """Random orders of what the first run ranks."""
    composition: Mapping[str, Mapping[str, float]]
    sides: Mapping[str, StanceFigures]

    @classmethod
    def of(
        cls, runs: Sequence[Path], files: JudgmentFiles, settings: Settings, k: int, stance_qrels: Path | None
    ) -> RunReport:
        """Measure runs at depth ``k``. Raises InputError for anything wrong in a file."""
        judgments = files.read()
        topics = {topic for qrels in judgments.values() for topic in qrels}
        stances = read_stances(stance_qrels) if stance_qrels else {}
        figures: dict[str, dict[str, Evaluation]] = {}
        parts: dict[str, dict[str, float]] = {}
        sides: dict[str, StanceFigures] = {}
        at_random: dict[str, Evaluation] = {}
        for path in runs:
            rows, name = read_run(path), path_text(path)
            if name in figures:
                raise InputError(path, "is named twice", "name each run once")
            check_match(path, rows, judgments)
            figures[name] = evaluate_sets(rows, judgments, settings)
            parts[name] = composition(rows, k, topics)
            sides |= {name: stance_figures(rows, stances)} if stances else {}
            at_random = at_random or random_baseline(rows, judgments, settings)
        return cls(files, settings, k, figures, at_random, parts, sides)

    def json(self) -> str:
        """Everything, for programs."""
        runs = [
            {
                **as_json(run, by_set),
                "composition": self.composition[run],
                **({"stance": asdict(self.sides[run])} if self.sides else {}),
            }
            for run, by_set in self.figures.items()
        ]
        settings = {"strict_order": self.settings.strict_order, "k": self.k, "seed": self.settings.seed}
        document = {**self.files.described(next(iter(self.at_random.values())).level), **settings, "runs": runs}
        return json.dumps(document | {RANDOM: as_json(RANDOM, self.at_random)}, indent=2, allow_nan=False) + "\n"

    def lines(self, *, per_topic: bool = False) -> list[str]:
        """Tables for people, and what they must know beside them."""
        said = notes(self.figures, self.at_random, self.settings, guessed=self.files.guessed)
        lines = [*self._tables(), *self._composition(), *self._sides(), "", *said]
        return lines + (self._topics() if per_topic else [])

    def brief(self) -> list[str]:
        """The nDCG of each set of judgments. The last one, the mean where there are several, has its interval."""
        ndcg, judged, last = f"nDCG@{self.k}", f"judged@{self.k}", list(self.at_random)[-1]
        rows = [[ndcg, *map(set_title, self.at_random), judged]]
        for run, by_set in self._with_random().items():
            low, high = by_set[last].intervals[ndcg]
            *means, share = *(one.means[ndcg] for one in by_set.values()), by_set[last].means[judged]
            rows.append([run, *(f"{mean:.2f}" for mean in means), f"{share:.2f}"])
            rows[-1][-2] += f" [{low:.2f}, {high:.2f}]"
        return [*aligned(rows), *self._sides(), *short_notes(self.figures, self.settings)]

    def _with_random(self) -> Figures:
        return {**self.figures, random_title(next(iter(self.figures))): self.at_random}

    def _tables(self) -> list[str]:
        lines: list[str] = []
        for name, one in self.at_random.items():
            rows = [
                [run, *(figure_text(by_set[name], measure, 4) for measure in one.means)]
                for run, by_set in self._with_random().items()
            ]
            heading = [set_title(name)] if len(self.at_random) > 1 else []
            lines += [*heading, *aligned([["run", *one.means], *rows]), ""]
        return lines[:-1]

    def _composition(self) -> list[str]:
        rows = [[run, *(f"{v:.2f}" for v in parts.values())] for run, parts in self.composition.items() if parts]
        return ["", *aligned([[f"first {self.k} of a topic", *COMPOSITION.values()], *rows])] if rows else []

    def _sides(self) -> list[str]:
        """Macro-F1 of the sides that the runs name, and how many judged documents of each side they name which."""
        rows = [["side", "macro-F1", "judged", "judged side: documents by the side that the run names"]]
        for run, found in self.sides.items():
            named = (
                f"{side}: " + " ".join(f"{number} {name}" for name, number in names.items() if number)
                for side, names in found.confusion.items()
            )
            rows.append([run, f"{found.macro_f1:.3f}", f"{found.documents:,}", "; ".join(named)])
        return ["", *aligned(rows)] if self.sides else []

    def _topics(self) -> list[str]:
        lines = []
        for run, by_set in self.figures.items():
            for name, evaluation in by_set.items():
                rows: list[list[Any]] = [
                    [topic, *(f"{one[topic]:.4f}" if topic in one else "-" for one in evaluation.values.values())]
                    for topic in evaluation.coverage.judged
                ]
                heading = f"{run}, {set_title(name)}" if len(by_set) > 1 else run
                lines += ["", heading, *aligned([["topic", *evaluation.values], *rows])]
        return lines
