"""The label model against hand-made votes, simulated ones, and a slow model written apart from it."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ltr import label_model
from ltr.label_model import BELIEVED, LabelModel, Values, learn_label_model

NAN = float("nan")
VOTES = st.sampled_from([0.0, 0.2, 0.5, 0.8, 1.0, NAN])
MATRICES = st.tuples(st.integers(0, 25), st.integers(1, 5)).flatmap(lambda shape: arrays(float, shape, elements=VOTES))
SHARES = st.floats(0.05, 0.95)


def learn(votes: object, expected: object = 0.7, balance: float = 0.5, *, prior: float = 30.0) -> LabelModel:
    """All rows weigh the same, all functions are expected to be as good unless told."""
    table = np.array(votes, float)
    expectation = np.broadcast_to(np.array(expected, float), table.shape[1:])
    return learn_label_model(table, np.ones(len(table)), expectation, balance=balance, prior=prior)


def simulated(
    accuracy: list[float], *, rows: int, seed: int, coverage: float = 1.0, balance: float = 0.5
) -> tuple[np.ndarray, Values]:
    """The truth of each row, and votes that err independently of each other."""
    rng = np.random.default_rng(seed)
    truth = rng.random(rows) < balance
    right = rng.random((rows, len(accuracy))) < np.array(accuracy)
    votes = np.where(right, truth[:, None], ~truth[:, None]).astype(float)
    votes[rng.random(votes.shape) >= coverage] = NAN
    return truth, votes


# ---- labels from what is known of the functions ---------------------------------------------------


def test_labels_by_hand():
    model = LabelModel(np.array([0.8, 0.6]), np.array([1.0, 2.0]), 0.25)
    # Odds: a whole vote of the first counts 4 to 1, one of the second the square root of 1.5 to 1; before, 1 to 3.
    first, second, before = 4.0, 1.5**0.5, 1 / 3
    odds = [
        before * first * second,
        before * first / second,
        before / second,
        before * 0.65 / 0.35,  # .8 * .75 + .2 * .25 of good rows are voted .75 by a function that says yes so often
        before,  # .5 says nothing
        before,  # nor is silence
    ]
    rows = [[1, 1], [1, 0], [NAN, 0], [0.75, NAN], [0.5, 0.5], [NAN, NAN]]
    assert model.label(np.array(rows)).tolist() == pytest.approx([o / (1 + o) for o in odds])
    assert model.strength.tolist() == pytest.approx([log(4), log(1.5) / 2])


def test_support_by_hand():
    # Strengths log 4, log 4 / 2, 0, 0: the last two add nothing, whether they vote or not.
    model = LabelModel(np.array([0.8, 0.8, 0.5, 0.3]), np.array([1.0, 2, 1, 1]), 0.5)
    rows = [[1, 0, 1, 1], [0.5, NAN, NAN, NAN], [NAN, 1, NAN, 0], [NAN, NAN, 0, 1], [NAN] * 4]
    assert model.support(np.array(rows)).tolist() == pytest.approx([1, 2 / 3, 1 / 3, 0, 0])


@pytest.mark.parametrize("accuracy", [0.5, 0.3, 1 - BELIEVED])
def test_one_that_is_no_better_than_chance_is_not_heard(accuracy: float):
    model = LabelModel(np.array([0.8, accuracy]), np.ones(2), 0.5)
    assert model.strength[1] == 0
    assert model.label(np.array([[1, 0], [1, 1], [1, NAN]])).tolist() == pytest.approx([0.8] * 3)


def test_support_where_no_function_is_worth_anything():
    model = LabelModel(np.array([0.5]), np.ones(1), 0.5)
    assert model.support(np.array([[1.0], [NAN]])).tolist() == [0, 0]


@pytest.mark.parametrize("balance", [0.1, 0.5, 0.9])
def test_silence_leaves_the_balance(balance: float):
    votes = [[1, 1, 0], [0, 0, NAN], [1, NAN, 1], [NAN, NAN, NAN]]
    model = learn(votes, balance=balance)
    assert model.balance == balance
    assert model.label(np.array(votes, float))[3] == pytest.approx(balance)


@pytest.mark.parametrize(("asked", "kept"), [(0.0, 0.01), (1.0, 0.99), (0.3, 0.3)])
def test_the_balance_is_never_certain(asked: float, kept: float):
    assert learn([[1.0], [0.0]], balance=asked).balance == kept


# ---- learning, by hand ----------------------------------------------------------------------------


def test_two_that_always_agree_are_two_voices_and_believed():
    model = learn([[1, 1], [0, 0]] * 50)
    assert model.voices.tolist() == pytest.approx([2, 2])
    assert model.accuracy[0] == model.accuracy[1] > 0.7
    # Two echoes are worth one of them.
    one = log(model.accuracy[0] / (1 - model.accuracy[0]))
    assert model.strength.sum() == pytest.approx(one)


def test_one_that_always_contradicts_three_is_found_out():
    votes = np.array([[1, 1, 1, 0], [0, 0, 0, 1]] * 100, float)
    model = learn(votes)
    assert (model.accuracy[:3] > 0.7).all()
    assert model.accuracy[3] < 0.5
    assert model.strength[3] == 0
    assert (model.label(votes) > 0.5).tolist() == [True, False] * 100


def test_one_that_votes_at_random_is_worth_little():
    votes = np.array([[t, t, t, a, b] for t in (0, 1) for a in (0, 1) for b in (0, 1)] * 40, float)
    model = learn(votes, prior=1.0)
    assert model.accuracy[3:] == pytest.approx([0.5, 0.5], abs=0.01)
    assert (model.strength[3:] < 0.05).all()


def test_silent_functions_stay_as_expected():
    votes = [[1, NAN, 1], [0, NAN, 0]] * 20
    model = learn(votes, [0.7, 0.65, 0.7])
    assert model.accuracy[1] == pytest.approx(0.65)
    assert model.voices[1] == 1
    assert learn(np.zeros((0, 2)), [0.6, 0.9]).accuracy.tolist() == [0.6, 0.9]


def test_one_function_alone_stays_about_where_it_was():
    # By hand, one round: the label of a row that it votes for is .7, so it is right in .7 of them, as expected.
    assert learn([[1.0], [0.0], [1.0]]).accuracy.tolist() == pytest.approx([0.7])


def test_the_first_round_by_hand(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(label_model, "ROUNDS", 1)
    # Before: odds 4 and 1.5. Row 0 is good with 6 to 1, row 1 with 4 to 1.5. A prior of two votes each.
    model = learn([[1, 1], [1, 0]], [0.8, 0.6], prior=2.0)
    good = [6 / 7, 4 / 5.5]
    first = (2 * 0.8 + sum(good)) / 4
    second = (2 * 0.6 + good[0] + 1 - good[1]) / 4
    assert model.accuracy.tolist() == pytest.approx([first, second])


def test_a_graded_vote_counts_for_either_side(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(label_model, "ROUNDS", 1)
    # Good with .8 * .8 + .2 * .2, and .8 of the vote is for good.
    good = 0.68
    assert learn([[0.8]], 0.8, prior=1.0).accuracy.tolist() == pytest.approx(
        [(0.8 + good * 0.8 + (1 - good) * 0.2) / 2]
    )


def test_only_the_proportions_of_weights_matter():
    _, votes = simulated([0.9, 0.7, 0.6], rows=80, seed=3)
    weights = np.random.default_rng(3).random(80) + 0.1
    one, other = (learn_label_model(votes, weights * scale, np.full(3, 0.7)) for scale in (1, 1e-4))
    np.testing.assert_allclose(one.accuracy, other.accuracy)
    np.testing.assert_allclose(one.voices, other.voices)


def test_rows_without_weight_teach_nothing():
    _, votes = simulated([0.9, 0.7, 0.6], rows=60, seed=4)
    _, noise = simulated([0.1, 0.1, 0.9], rows=60, seed=5)
    weights = np.concatenate([np.ones(60), np.zeros(60)])
    both = learn_label_model(np.vstack([votes, noise]), weights, np.full(3, 0.7), prior=30.0)
    # The weights are scaled to one a row, so sixty rows among a hundred and twenty count twice.
    alone = learn_label_model(votes, np.ones(60), np.full(3, 0.7), prior=15.0)
    np.testing.assert_allclose(both.accuracy, alone.accuracy)
    assert np.isfinite(learn_label_model(votes, np.zeros(60), np.full(3, 0.7)).accuracy).all()


# ---- anchors ---------------------------------------------------------------------------------------


def test_anchors_are_believed_as_expected():
    # Three that always agree outvote one that errs apart, unless it is the anchor: then they are as good as chance.
    votes = np.array([[t, a, a, a] for t in (0, 1) for a in (0, 1)] * 50, float)
    expected, anchors = np.array([0.9, 0.8, 0.8, 0.8]), np.array([True, False, False, False])
    held = learn_label_model(votes, np.ones(200), expected, anchors=anchors)
    assert held.accuracy[0] == 0.9
    assert held.accuracy[1:] == pytest.approx([0.5] * 3, abs=0.1)
    assert ((held.label(votes) > 0.5) == (votes[:, 0] == 1)).all()
    assert learn_label_model(votes, np.ones(200), expected).accuracy[0] != 0.9
    assert (
        learn_label_model(votes, np.ones(200), np.full(4, 1.0), anchors=np.ones(4, bool)).accuracy.tolist()
        == [BELIEVED] * 4
    )


def test_what_is_held_are_the_anchors_alone():
    _, votes = simulated([0.9, 0.7, 0.7], rows=500, seed=2)
    anchors = np.array([False, True, False])
    model = learn_label_model(votes, np.ones(500), np.array([0.6, 0.7, 0.6]), anchors=anchors)
    assert model.accuracy[1] == 0.7
    assert (np.abs(model.accuracy[[0, 2]] - 0.6) > 1e-3).all()


# ---- echoes ---------------------------------------------------------------------------------------


def test_an_echo_is_discounted_and_one_that_errs_alone_is_not():
    _, votes = simulated([0.8, 0.75, 0.75], rows=3000, seed=6)
    echoed = np.column_stack([votes, votes[:, 0]])
    plain, model = learn(votes), learn(echoed)
    assert model.voices[[0, 3]] == pytest.approx([2, 2], abs=0.1)
    assert model.strength[0] == pytest.approx(model.strength[3])
    assert model.strength[0] < 0.7 * log(model.accuracy[0] / (1 - model.accuracy[0]))
    assert model.voices[1:3] == pytest.approx(np.ones(2), abs=0.25)
    assert plain.voices == pytest.approx(np.ones(3), abs=0.25)


def test_a_rare_companion_makes_no_echo():
    _, votes = simulated([0.8, 0.75, 0.75], rows=1000, seed=7)
    rare = np.full(1000, NAN)
    rare[:50] = votes[:50, 0]
    model = learn(np.column_stack([votes, rare]))
    assert model.voices[3] > 1.7  # whenever it speaks, another says the same
    assert model.voices[0] < 1.3


def test_fewer_than_ten_meetings_tell_nothing():
    votes = np.full((200, 2), NAN)
    votes[:100, 0] = np.arange(100) % 2
    votes[91:191, 1] = np.arange(91, 191) % 2  # nine rows have both votes, and these agree
    assert learn(votes).voices.tolist() == [1, 1]
    votes[191:, :] = 1.0
    assert (learn(votes).voices > 1).all()


# ---- simulation -----------------------------------------------------------------------------------


def test_known_accuracies_are_found(monkeypatch: pytest.MonkeyPatch):
    # The discount is off: it costs a little where nothing is to be discounted, and this asks the maximisation.
    monkeypatch.setattr(label_model, "_voices", lambda votes, mass, label: np.ones(votes.shape[1]))
    known, rows, seeds = np.array([0.9, 0.8, 0.7, 0.65, 0.6]), 3000, 12
    found = np.empty((seeds, len(known)))
    for seed in range(seeds):
        truth, votes = simulated(known.tolist(), rows=rows, seed=seed, coverage=0.8, balance=0.4)
        model = learn(votes, 0.7, 0.4)
        found[seed] = model.accuracy
        label, best = model.label(votes), LabelModel(known, np.ones(5), 0.4).label(votes)
        # As good as if the accuracies had been told, and the labels are what they say: of those at .9, .9 are good.
        assert np.mean((label > 0.5) == truth) > np.mean((best > 0.5) == truth) - 0.01
        for low, high in ((0.0, 0.3), (0.3, 0.7), (0.7, 1.0)):
            there = (label >= low) & (label < high)
            assert truth[there].mean() == pytest.approx(label[there].mean(), abs=4 * np.sqrt(0.25 / there.sum()))
    # No bias beyond what the prior of thirty votes in some 2,400 explains, and each about as near as counting allows.
    deviation = found.std(axis=0, ddof=1)
    allowed = 4 * deviation / np.sqrt(seeds) + np.abs(known - 0.7) * 30 / (0.8 * rows)
    assert (np.abs(found.mean(axis=0) - known) < allowed).all()
    assert (deviation < 4 * np.sqrt(known * (1 - known) / (0.8 * rows))).all()


@pytest.mark.parametrize("seed", range(3))
def test_with_the_discount_the_order_of_accuracies_is_found(seed: int):
    known = [0.9, 0.8, 0.7, 0.55, 0.3]
    truth, votes = simulated(known, rows=3000, seed=seed, coverage=0.8)
    model = learn(votes)
    assert np.argsort(-model.accuracy).tolist() == [0, 1, 2, 3, 4]
    assert model.accuracy[4] < 0.5 < model.accuracy[3]
    heard = ~np.isnan(votes).all(axis=1)
    majority = np.nanmean(votes[heard], axis=1) > 0.5
    assert np.mean((model.label(votes[heard]) > 0.5) == truth[heard]) > np.mean(majority == truth[heard])


# ---- a slow model apart ---------------------------------------------------------------------------


def plain_em(
    votes: list[list[float | None]], expected: list[float], balance: float, prior: float, rounds: int
) -> list[float]:
    """One-coin Dawid & Skene on yes and no, with lists and dictionaries."""
    accuracy = [min(max(e, 1 - BELIEVED), BELIEVED) for e in expected]
    start = list(accuracy)
    for _ in range(rounds):
        right, seen = [0.0] * len(start), [0] * len(start)
        for row in votes:
            good, bad = balance, 1 - balance
            for vote, a in zip(row, accuracy, strict=True):
                if vote is not None:
                    heard = max(a, 0.5)
                    good, bad = good * (heard if vote else 1 - heard), bad * (1 - heard if vote else heard)
            posterior = good / (good + bad)
            for k, vote in enumerate(row):
                if vote is not None:
                    seen[k] += 1
                    right[k] += posterior if vote else 1 - posterior
        found = [(prior * s + r) / (prior + n) for s, r, n in zip(start, right, seen, strict=True)]
        found = [min(max(a, 1 - BELIEVED), BELIEVED) for a in found]
        done = max(abs(one - other) for one, other in zip(found, accuracy, strict=True)) < 1e-6
        accuracy = found
        if done:
            break
    return accuracy


@pytest.mark.parametrize("seed", range(8))
def test_against_plain_expectation_maximisation(monkeypatch: pytest.MonkeyPatch, seed: int):
    monkeypatch.setattr(label_model, "_voices", lambda votes, mass, label: np.ones(votes.shape[1]))
    rng = np.random.default_rng(seed)
    number = int(rng.integers(1, 6))
    accuracy = rng.uniform(0.2, 0.95, number).tolist()
    _, votes = simulated(accuracy, rows=int(rng.integers(1, 120)), seed=seed, coverage=0.7)
    expected, balance, prior = rng.uniform(0.5, 0.95, number).tolist(), float(rng.uniform(0.1, 0.9)), 5.0
    found = learn(votes, expected, balance, prior=prior)
    listed = [[None if np.isnan(v) else float(v) for v in row] for row in votes]
    slow = plain_em(listed, expected, balance, prior, label_model.ROUNDS)
    assert found.accuracy.tolist() == pytest.approx(slow, abs=1e-9)
    for row, label in zip(listed, found.label(votes).tolist(), strict=True):
        odds = log(balance / (1 - balance))
        odds += sum((2 * v - 1) * max(log(a / (1 - a)), 0) for v, a in zip(row, slow, strict=True) if v is not None)
        assert label == pytest.approx(1 / (1 + exp(-odds)), abs=1e-7)


# ---- whatever the votes ---------------------------------------------------------------------------


@settings(max_examples=80, deadline=None)
@given(MATRICES, st.floats(0, 1), st.floats(0, 1))
def test_bounds(votes: Values, expected: float, balance: float):
    model = learn(votes, expected, balance)
    assert (model.accuracy >= 1 - BELIEVED).all()
    assert (model.accuracy <= BELIEVED).all()
    assert (model.voices >= 1).all()
    assert (model.voices <= votes.shape[1] + 1e-9).all()
    label, support = model.label(votes), model.support(votes)
    assert label.shape == support.shape == (len(votes),)
    assert ((label > 0) & (label < 1)).all()
    assert ((support >= 0) & (support <= 1 + 1e-9)).all()


@settings(max_examples=80, deadline=None)
@given(MATRICES, SHARES, st.randoms(use_true_random=False))
def test_neither_the_order_of_rows_nor_of_functions_matters(votes: Values, balance: float, random: object):
    rows, functions = (list(range(n)) for n in votes.shape)
    random.shuffle(rows)  # type: ignore[attr-defined]
    random.shuffle(functions)  # type: ignore[attr-defined]
    expected = np.linspace(0.55, 0.9, votes.shape[1])
    one, other = learn(votes, expected, balance), learn(votes[rows][:, functions], expected[functions], balance)
    np.testing.assert_allclose(other.accuracy, one.accuracy[functions], atol=1e-6)
    np.testing.assert_allclose(other.voices, one.voices[functions], atol=1e-4)
    np.testing.assert_allclose(other.label(votes[rows][:, functions]), one.label(votes)[rows], atol=1e-4)


@settings(max_examples=80, deadline=None)
@given(MATRICES.filter(len), SHARES, st.data())
def test_more_in_favour_never_lowers_the_label(votes: Values, balance: float, data: st.DataObject):
    model = learn(votes, balance=balance)
    row = data.draw(st.integers(0, len(votes) - 1))
    function = data.draw(st.integers(0, votes.shape[1] - 1))
    low, high = sorted(data.draw(st.tuples(st.floats(0, 1), st.floats(0, 1))))
    asked = np.tile(votes[row], (2, 1))
    asked[:, function] = low, high
    less, more = model.label(asked)
    assert less <= more + 1e-12
    if model.accuracy[function] <= 0.5:
        assert less == more


@settings(max_examples=50, deadline=None)
@given(MATRICES, SHARES)
def test_votes_turned_round_turn_the_labels_round(votes: Values, balance: float):
    one, other = learn(votes, balance=balance), learn(1 - votes, balance=1 - balance)
    np.testing.assert_allclose(other.accuracy, one.accuracy, atol=1e-6)
    np.testing.assert_allclose(other.label(1 - votes), 1 - one.label(votes), atol=1e-4)


def test_learning_leaves_the_votes_alone_and_is_deterministic():
    _, votes = simulated([0.8, 0.7], rows=50, seed=1, coverage=0.6)
    before = votes.copy()
    one, other = learn(votes), learn(votes)
    np.testing.assert_array_equal(votes, before)
    np.testing.assert_array_equal(one.accuracy, other.accuracy)
    np.testing.assert_array_equal(one.voices, other.voices)
