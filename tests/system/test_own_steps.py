"""The script of docs/api.md that puts steps of its own between candidates and run."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest

import ltr
from ltr.ranking.final_list import Run
from ltr.sample import SAMPLE

PAGE = Path(__file__).parents[2] / "docs" / "api.md"


def test_a_script_of_fifteen_lines_adds_steps_of_its_own() -> None:
    section = PAGE.read_text("utf-8").partition("## Steps of your own")[2]
    block = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    assert block
    lines = [line[4:] for line in block[1].splitlines() if line.startswith((">>> ", "... "))]
    assert sum(bool(line.strip()) for line in lines) <= 15 + 2, "the import and the check of the page aside"
    assert not [line for line in lines if re.match(r"\s*(from|import) (?!numpy|ltr\b(?!\.))", line)]
    debates = ltr.Searcher(jobs=1)
    names = {"ltr": ltr, "debates": debates, "qrels": SAMPLE / "qrels-test-pairs-relevance.qrels"}
    script = "\n".join(lines[:-1]).replace('"corpus/topics.xml"', "").replace("np.True_", "")
    exec(script, names)
    own, plain = names["own"], debates.rank(depth=100)
    assert isinstance(own, Run)
    assert own["qid"].unique().tolist() == plain["qid"].unique().tolist()
    assert own["docno"].tolist() != plain["docno"].tolist()


@pytest.mark.parametrize("task", ["pairs", "arguments"])
def test_without_own_steps_the_run_is_that_of_rank(task: str) -> None:
    debates = ltr.Searcher(task=task, jobs=1)
    candidates = debates.grade(debates.describe(debates.propose()))
    assert debates.list(candidates, depth=1000).rows() == debates.rank(depth=1000).rows()


def test_a_table_that_was_graded_is_graded_anew_by_another_model() -> None:
    """A head, or a grade, of the model before would decide in the list of a model that has none."""
    debates = ltr.Searcher(jobs=1)
    graded = debates.grade(debates.describe(debates.propose()))
    quality = debates.with_weights({"quality": 1})
    assert quality.list(quality.grade(graded)).rows() == quality.rank().rows()


def test_columns_may_be_merged_and_tables_joined() -> None:
    debates = ltr.Searcher(jobs=1)
    topics = [("1", "Should cities ban cars?"), ("2", "Should zoos be closed?")]
    whole = debates.grade(debates.describe(debates.propose(topics)))
    one, two = (debates.grade(debates.describe(debates.propose([topic]))) for topic in topics)
    joined = pd.concat([one, two]).merge(whole[["qid", "docno"]].assign(mine=0.0), how="left")
    assert debates.list(joined).rows() == debates.list(whole).rows()


def test_tables_that_lack_a_step_are_refused() -> None:
    debates = ltr.Searcher(jobs=1)
    proposed = debates.propose([("1", "Should cities ban cars?")])
    with pytest.raises(ltr.errors.InputError, match=r"call Searcher\.describe before"):  # type: ignore[attr-defined]
        debates.grade(proposed)
    with pytest.raises(ltr.errors.InputError, match=r"call Searcher\.grade, or add one"):  # type: ignore[attr-defined]
        debates.list(proposed)
    with pytest.raises(ValueError, match=r"grade them: Searcher\.grade"):
        debates.model.blend.score(debates.describe(proposed))
    foreign = [proposed.sample(frac=1, random_state=1).assign(qid="2"), proposed.copy()]
    foreign[1].origin = f"pairs {64 * 'f'}"
    for table in (*foreign, ltr.Searcher(task="arguments", jobs=1).propose([("1", "Should cities ban cars?")])):
        with pytest.raises(ltr.errors.InputError, match=r"begin with Searcher\.propose"):  # type: ignore[attr-defined]
            debates.describe(table)
