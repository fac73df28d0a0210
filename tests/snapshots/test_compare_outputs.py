"""Comparing by a meter whose scores a test names: alignment, thresholds, numbers, findings."""

from types import SimpleNamespace

import numpy as np
import pytest

from semscale.errors import InputError
from semscale.guards.findings import Finding
from semscale.history.items import Output
from semscale.snapshots.compare_outputs import compare_outputs
from semscale.snapshots.settings import settle

NEGATION = Finding("negation", "negated-prediction", "One says not.", None, None)
NAME = Finding("name", "missing-name", "A name is missing.", None, None)


class NamedScores:
    """Scores pairs (now, approved) as a test names them; all others 0."""

    measured_by = {"model": "made up"}

    def __init__(self, scores=None, findings=None, penalties=None, lost=None):
        self.lost = lost or {}
        self.scores, self.found, self.penalties = scores or {}, findings or {}, penalties or {}
        self.calls = 0

    def lost_content(self, actual, approved):
        return np.array([self.lost.get(pair, 0.0) for pair in zip(actual, approved, strict=True)])

    def match(self, actual, approved, guards):
        self.calls += 1
        pairs = list(zip(actual, approved, strict=True))
        return SimpleNamespace(
            score=np.array([self.scores.get(pair, 0.0) for pair in pairs]),
            components={"findings": np.array([self.penalties.get(pair, 1.0) for pair in pairs])},
            findings=tuple(self.found.get(pair, ()) for pair in pairs),
        )


def outputs(*texts):
    return [Output(text) if isinstance(text, str) else Output(*text) for text in texts]


def compare(approved, actual, meter=None, **settings):
    return compare_outputs(outputs(*approved), outputs(*actual), settle(settings), meter or NamedScores())


def partners(compared):
    return [(pair.approved, pair.actual) for pair in compared.pairs]


def breaches(compared):
    return [breach.setting for pair in compared.pairs for breach in pair.breaches]


def test_equal_texts_need_no_model_whatever_their_order():
    meter = NamedScores()
    compared = compare(["A.", "B.", "A."], ["A.", "A. ", "B."], meter)
    assert compared.passed
    assert partners(compared) == [(0, 0), (1, 2), (2, 1)]
    assert (meter.calls, compared.measured_by) == (0, {})


def test_equal_texts_go_with_equal_numbers():
    approved = [("A.", {"credits": 1.0}), ("A.", {"credits": 2.0})]
    assert partners(compare(approved, approved[::-1])) == [(0, 1), (1, 0)]


def test_remaining_outputs_are_aligned_with_the_greatest_sum():
    # x with a .9 and y with b .1 make 1.0; x with b .8 and y with a .7 make 1.5.
    scores = {("x", "a"): 0.9, ("y", "b"): 0.1, ("x", "b"): 0.8, ("y", "a"): 0.7}
    compared = compare(["a", "b", "same"], ["same", "x", "y"], NamedScores(scores))
    assert compared.passed
    assert partners(compared) == [(0, 2), (1, 1), (2, 0)]
    assert compared.measured_by == {"model": "made up"}


@pytest.mark.parametrize(("score", "passed"), [(0.45, True), (0.4499, False), (float("nan"), False)])
def test_a_score_at_the_threshold_passes(score, passed):
    meter = NamedScores({("x", "a"): score})
    compared = compare(["a"], ["x"], meter, min_match=0.45)
    assert compared.passed is passed
    assert breaches(compared) == ([] if passed else ["min_match"])


def test_a_threshold_of_0_asks_nothing():
    assert compare(["a"], ["x"], NamedScores({("x", "a"): float("nan")}), min_match=0).passed


@pytest.mark.parametrize(
    ("guards", "finding", "penalty", "found"),
    [
        ("weigh", NEGATION, 0.64, ["wording"]),  # .5 / .64 = .78: nearly the same words
        ("weigh", NEGATION, 0.7, []),  # .5 / .7 = .71: other words
        ("weigh", NAME, 0.6, []),  # no contradiction
        ("fail", NAME, 0.9, ["guards"]),
        ("warn", NEGATION, 0.64, []),
    ],
)
def test_findings_count_as_their_mode_says(guards, finding, penalty, found):
    pair = ("x", "a")
    meter = NamedScores({pair: 0.5}, {pair: (finding,)}, {pair: penalty})
    assert breaches(compare(["a"], ["x"], meter, guards=guards)) == found


@pytest.mark.parametrize(("allowed", "passed"), [(0, False), (1, True)])
def test_a_missing_or_extra_output_fails_unless_allowed(allowed, passed):
    missing = compare(["a", "b"], ["b"], max_unpaired=allowed)
    extra = compare(["b"], ["a", "b"], max_unpaired=allowed)
    assert (missing.passed, missing.missing, missing.extra) == (passed, (0,), ())
    assert (extra.passed, extra.missing, extra.extra) == (passed, (), (0,))


@pytest.mark.parametrize("message", [[], [""], [" ", "\n"]])
def test_silence_fails_whatever_is_allowed(message):
    assert not compare(["a"], message, max_unpaired=9).passed


def test_nothing_beside_nothing_passes():
    assert compare([], []).passed


@pytest.mark.parametrize(
    ("now", "allowed", "passed"),
    [
        ({"credits": 0.3}, None, True),
        ({"credits": 0.1}, None, False),
        ({"credits": 0.1}, 0.2, True),  # .3 - .1 is .19999999999999998
        ({"credits": 0.1}, 0.19, False),
        ({}, 9.0, False),
    ],
)
def test_numbers_are_equal_unless_a_difference_is_allowed(now, allowed, passed):
    limits = {} if allowed is None else {"max_credits_difference": allowed}
    compared = compare([("a", {"credits": 0.3})], [("a", now)], **limits)
    assert compared.passed is passed
    assert breaches(compared) == ([] if passed else ["max_credits_difference"])


def test_a_limit_of_a_number_that_nobody_has_is_refused():
    with pytest.raises(
        InputError, match="max_credit_difference needs outputs with 'credit', but they have credits"
    ):
        compare([("a", {"credits": 1.0})], ["a"], max_credit_difference=1)


@pytest.mark.parametrize(
    ("way", "now", "fails"),
    [("lower", 1.0, False), ("lower", 3.0, True), ("higher", 3.0, False), ("higher", 1.0, True),
     ("either", 1.0, True), ("either", 3.0, True)],
)  # fmt: skip
def test_a_number_that_became_better_fails_nothing(way, now, fails):
    compared = compare([("A.", {"cost": 2.0})], [("A.", {"cost": now})], cost_direction=way)
    assert breaches(compared) == ["max_cost_difference"] * fails


def test_a_number_that_is_missing_fails_whichever_is_better():
    compared = compare([("A.", {"cost": 2.0})], [("A.", {})], cost_direction="lower")
    assert breaches(compared) == ["max_cost_difference"]


def test_a_direction_needs_the_number():
    with pytest.raises(InputError, match="cost_direction needs outputs with 'cost', but they have credits"):
        compare([("A.", {"credits": 2.0})], [("A.", {"credits": 2.0})], cost_direction="lower")


@pytest.mark.parametrize(("lost", "passed"), [(0.2, True), (0.21, False), (-0.9, True), (float("nan"), True)])
def test_content_may_be_replaced_but_not_lost(lost, passed):
    pair = ("x", "a")
    compared = compare(["a"], ["x"], NamedScores({pair: 0.9}, lost={pair: lost}))
    assert breaches(compared) == ([] if passed else ["max_lost_content"])
    assert compare(["a"], ["x"], NamedScores({pair: 0.9}, lost={pair: lost}), max_lost_content=1).passed
