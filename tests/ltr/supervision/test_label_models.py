"""Label models: by hand, by their contract, and against simulated graders."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from support.collection import COLLECTION

from experiments.votes.command import main as study
from experiments.votes.graders import figures, in_order, read_graders, weighted_kappa
from experiments.votes.simulated import scenarios
from features.core.plugins import ComponentError
from ltr.cli.options import SHIPPED_LABEL_MODELS
from ltr.errors import InputError
from ltr.supervision.label_models.base import (
    LABEL_MODELS,
    Ballot,
    Combined,
    RegisteredModel,
    calibrated,
    combine,
    label_models,
    row_means,
)
from ltr.supervision.label_models.mean import independence, reliability

NAN = float("nan")
OURS = ("mean", "plain", "ridge")


def ballot(votes: list[list[float]], trusted: list[float] | None = None) -> Ballot:
    table = np.array(votes, float)
    return Ballot(table, np.full(len(table), NAN) if trusted is None else np.array(trusted, float))


def need(name: str) -> None:
    if name not in OURS:
        pytest.importorskip("crowdkit", reason="the extra crowd is not installed")


def test_the_option_shows_the_registered_models() -> None:
    assert tuple(label_models()) == SHIPPED_LABEL_MODELS
    assert all(LABEL_MODELS[name].description for name in label_models())
    with pytest.raises(InputError, match="--label-model: no label model 'none'; known: dawid-skene"):
        combine(ballot([[0.0]]), "none")


def test_a_model_that_returns_something_else_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = {
        (1, 1): r"label model 'odd': gave shape \(1,\) where \(2,\) was due; return a number for each unit",
        (2, 3): r"label model 'odd': gave shape \(3,\) where \(1,\) was due; return a weight for each source",
    }
    for (units, sources), said in cases.items():
        odd = RegisteredModel("odd", lambda _, n=units, k=sources: Combined(np.zeros(n), np.zeros(k)))
        monkeypatch.setitem(LABEL_MODELS, "odd", odd)
        with pytest.raises(ComponentError, match=said):
            combine(ballot([[0.0], [1.0]]), "odd")


# ---- contract -------------------------------------------------------------------------------------

VOTES = arrays(float, (12, 3), elements=st.sampled_from([0.0, 0.5, 1.0, NAN]))


@pytest.mark.parametrize("name", OURS)
@settings(deadline=None)
@given(VOTES, arrays(float, 12, elements=st.sampled_from([0.0, 0.5, 1.0, NAN])))
def test_votes_are_in_range_and_alike_for_any_order_of_units(name: str, votes: np.ndarray, trusted: np.ndarray) -> None:
    kept = ~np.isnan(votes).all(axis=1)
    before = votes.copy()
    found = combine(Ballot(votes[kept], trusted[kept]), name)
    known = found.vote[~np.isnan(found.vote)]
    assert ((known >= 0) & (known <= 1)).all()
    assert found.weights.shape == (3,)
    turned = combine(Ballot(votes[kept][::-1], trusted[kept][::-1]), name)
    np.testing.assert_allclose(turned.vote[::-1], found.vote, atol=1e-6)
    np.testing.assert_array_equal(votes, before)


@pytest.mark.parametrize("name", SHIPPED_LABEL_MODELS)
def test_one_grader_keeps_his_order(name: str) -> None:
    need(name)
    vote = combine(ballot([[0.0], [0.5], [1.0], [0.5], [0.0], [1.0]]), name).vote
    assert vote[0] == vote[4] < vote[1] == vote[3] < vote[2] == vote[5]
    if name in OURS:
        assert vote.tolist() == [0, 0.5, 1, 0.5, 0, 1]


# ---- by hand --------------------------------------------------------------------------------------


def test_weighted_means_of_rows() -> None:
    votes = np.array([[1.0, 0.0], [NAN, 0.5], [NAN, NAN]])
    np.testing.assert_array_equal(row_means(votes), [0.5, 0.5, NAN])
    np.testing.assert_array_equal(row_means(votes, np.array([3.0, 1.0])), [0.75, 0.5, NAN])
    np.testing.assert_array_equal(row_means(votes, np.array([1.0, 0.0])), [1, NAN, NAN])


def test_votes_lie_on_a_line_with_the_mean_and_deviation_of_trusted_grades() -> None:
    vote = np.tile([0.4, 0.6], 15)
    trusted = np.tile([0.2, 0.8], 15)
    trusted[20:] = NAN
    np.testing.assert_allclose(calibrated(vote, trusted), np.tile([0.2, 0.8], 15))
    few = trusted.copy()
    few[19:] = NAN
    np.testing.assert_allclose(calibrated(vote, few), vote), "19 are too few"


def test_votes_outside_the_range_keep_their_order() -> None:
    # Below .1, from -.9: -.9 becomes 0 and .1 stays, so -.4 is half way. Above .9 likewise.
    found = calibrated(np.array([-0.9, -0.4, 0.5, 1.4, 1.9, NAN]), np.full(6, NAN))
    np.testing.assert_allclose(found, [0, 0.05, 0.5, 0.95, 1, NAN])


def test_a_source_on_good_units_alone_is_not_taken_for_a_kind_one() -> None:
    # The first votes on all units, the second like it on the better half: their means differ by .3.
    first = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    found = ballot([[vote, vote if vote > 0.5 else NAN] for vote in first]).centred
    np.testing.assert_allclose(found[3:, 0], found[3:, 1], atol=1e-12)
    votes = [[vote, vote if vote > 0.5 else NAN] for vote in first]
    np.testing.assert_allclose(combine(ballot(votes), "mean").vote, first, atol=1e-9)


def test_copies_count_as_one() -> None:
    rng = np.random.default_rng(0)
    first, other = rng.random(2000), rng.random(2000)
    # Sources that correlate by 0: each is independent. Of three copies each has a third, but for the shrinkage.
    np.testing.assert_allclose(independence(ballot(np.column_stack([first, other]).tolist())), [1, 1], atol=0.01)
    copied = independence(ballot(np.column_stack([first, first, first, other]).tolist()))
    np.testing.assert_allclose(copied, [1 / 3, 1 / 3, 1 / 3, 1], atol=0.01)


def test_reliability_is_shrunk_by_the_number_of_trusted_grades() -> None:
    votes = [[n % 2, n % 2] for n in range(100)]
    trusted = [n % 2 if n < 60 else NAN for n in range(100)]
    # They agree with each other: by 1, shrunk to 100 / 110; .6 of it counts as 30 grades beside 60 that agree by 1.
    expected = (60 + 30 * 0.6 * 100 / 110) / 90
    np.testing.assert_allclose(reliability(ballot(votes, trusted)), [expected] * 2)
    turned = [1 - grade for grade in trusted]
    np.testing.assert_array_equal(reliability(ballot(votes, turned)), [0, 0]), "worse than chance"
    np.testing.assert_allclose(reliability(ballot([[n % 2] for n in range(100)])), [0.3]), "nobody to compare with"


def test_a_lazy_source_has_no_weight_and_two_that_contradict_each_other_share_it() -> None:
    rng = np.random.default_rng(1)
    good = rng.integers(0, 3, 200) / 2
    lazy = combine(ballot(np.column_stack([good, np.full(200, 0.5)]).tolist()), "mean")
    np.testing.assert_allclose(lazy.weights, [1, 0])
    np.testing.assert_allclose(lazy.vote, good)
    against = combine(ballot(np.column_stack([good, 1 - good]).tolist()), "mean")
    np.testing.assert_allclose(against.weights, [0.5, 0.5])
    nobody = combine(ballot([[1.0], [1.0]]), "mean")
    assert np.isnan(nobody.vote).all(), "one grade alone says nothing"


# ---- simulated and real graders -------------------------------------------------------------------


@pytest.fixture(scope="module")
def simulated() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 1500).astype(float)
    return {"truth": truth} | {name: np.column_stack(votes) / 2 for name, votes in scenarios(truth, rng).items()}


DIFFER = ("and 4 copies of the worst", "two good, three at random", "and one who turns grades round")


@pytest.mark.parametrize("case", DIFFER)
def test_the_default_is_above_a_plain_mean_where_graders_differ(case: str, simulated: dict[str, np.ndarray]) -> None:
    truth, votes = simulated["truth"], simulated[case]
    found = {name: np.corrcoef(combine(ballot(votes.tolist()), name).vote, truth)[0, 1] for name in ("mean", "plain")}
    assert found["mean"] > found["plain"] + 0.05


def test_ridge_uses_a_source_that_turns_grades_round(simulated: dict[str, np.ndarray]) -> None:
    truth, votes = simulated["truth"], simulated["and one who turns grades round"]
    known = ballot(votes.tolist(), [*(truth[:200] / 2), *[NAN] * 1300])
    found = {name: combine(known, name) for name in ("mean", "ridge")}
    assert found["mean"].weights[-1] == 0
    assert found["ridge"].weights[-1] < 0
    ridge, mean = (np.corrcoef(found[name].vote[200:], truth[200:])[0, 1] for name in ("ridge", "mean"))
    assert ridge > mean


def real_votes() -> Path:
    folder = COLLECTION.parent / "votes" if COLLECTION else None
    if not folder or not folder.is_dir():
        pytest.skip("no folder votes with the grades of eleven language models beside the collection")
    return folder


def test_on_real_graders_the_default_is_not_below_a_plain_mean_and_levels_agree_with_people() -> None:
    graders = read_graders(real_votes())
    every = np.ones(len(graders.truth), bool)
    nobody = graders.ballot(np.array([], np.int64))
    order = {name: figures(graders, combine(nobody, name).vote, every)[0] for name in ("mean", "plain")}
    assert order["mean"] >= order["plain"] >= 0.779
    orders, kappas = [], []
    for draw in range(5):
        known = np.random.default_rng(draw).permutation(len(graders.truth))[:200]
        given = graders.ballot(known)
        vote = combine(given, "mean").vote
        labels = np.where(np.isnan(given.trusted), vote, given.trusted)
        orders.append(figures(graders, labels, every)[0])
        kappas.append(figures(graders, vote, np.isnan(given.trusted))[1])
    assert np.mean(orders) >= 0.785
    assert np.mean(kappas) >= 0.43


# ---- the study ------------------------------------------------------------------------------------


def test_the_study_of_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("experiments.votes.graders.NEEDED", "no_such_module")
    rng = np.random.default_rng(0)
    for name, wrong in (("people", 0.0), ("good", 0.1), ("poor", 0.5)):
        with (tmp_path / f"{name}.qrels").open("w") as file:
            for topic in range(5):
                for unit in range(30):
                    grade = unit % 3 if rng.random() >= wrong else rng.integers(0, 3)
                    file.write(f"{topic} 0 d{unit} {grade}\n")
    assert study([str(tmp_path), "--trusted", "40", "--draws", "3", "--quiet", "--json", str(tmp_path / "f.json")]) == 0
    out = capsys.readouterr().out
    assert "150 units of 5 topics: each grader alone" in out
    assert out.count("\nmean ") == 3
    assert "dawid" not in out
    assert "40 trusted grades of two topics of five, measured on the others; 3 draws" in out
    for folder in (tmp_path / "none", tmp_path / "f.json"):
        with pytest.raises(InputError, match=r"has no people\.qrels and a qrels file of a grader beside it"):
            study([str(folder)])


def test_measures_by_hand() -> None:
    topic, truth = np.array([0, 0, 0, 1, 1, 2]), np.array([2.0, 1.0, 0.0, 1.0, 0.0, 3.0])
    # Topic 0: of three pairs one is tied and two are wrong; topic 1: right; topic 2 has no pair.
    assert in_order(topic, truth, np.array([1.0, 1.0, 2.0, 0.5, 0.0, 0.0])) == pytest.approx((0.5 / 3 + 1) / 2)
    assert weighted_kappa(truth, truth) == 1
    # Squares of differences 0, 1; by luck the mean of 0, 1, 1, 0.
    assert weighted_kappa(np.array([0.0, 1.0]), np.array([0.0, 0.0])) == pytest.approx(1 - 0.5 / 0.5)
    assert weighted_kappa(np.array([0.0, 1.0]), np.array([1.0, 0.0])) == pytest.approx(1 - 1 / 0.5)


def test_the_study_of_simulated_graders(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("experiments.votes.graders.label_models", lambda: ["mean", "plain"])
    assert study(["--trusted", "100", "--draws", "2", "--quiet"]) == 0
    out = capsys.readouterr().out
    assert "3489 graded pairs, simulated graders, 2 draws: share of pairs in order" in out
    assert "mean, 100 trusted" in out
    assert out.count("and 4 copies of the worst") == 2
