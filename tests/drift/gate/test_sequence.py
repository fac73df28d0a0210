from dataclasses import replace

import numpy as np
import pytest
from made_up import comparison, stored_comparison

from semscale.drift.gate.sequence import (
    evidence_of_runs,
    latest_complete,
    one_series,
    reference_error,
    sequence_tests,
    series_before,
)
from semscale.drift.gate.settings import GateSettings
from semscale.drift.measure.metrics import TEXT_METRICS
from semscale.drift.runs.item_matching import ItemMatching
from semscale.history.item_json import digest_items

SIGNATURE = stored_comparison({"match": 0.1}).signature


def picked(comparisons):
    return one_series(comparisons, baseline_id="b" * 32, signature=SIGNATURE)


def test_a_series_is_in_the_order_of_time():
    days = [stored_comparison({"match": 0.1}, day=day) for day in (3, 1, 2)]
    series, left_out = picked(days)
    assert [kept.compared.day for kept in series] == [2, 3, 4]
    assert left_out == []


def test_what_is_no_part_of_it_is_counted_and_named():
    other = stored_comparison({"match": 0.1}, day=1, baseline_id="d" * 32, candidate_id="1" * 32)
    older = stored_comparison({"match": 0.1}, day=2, signature="semscale 0.0.1|drift", candidate_id="2" * 32)
    series, left_out = picked([stored_comparison({"match": 0.1}, day=3), other, older])
    assert len(series) == 1
    assert left_out == [
        "1 comparison of '11111111' is left out, because it was made with another baseline",
        "1 comparison of '22222222' is left out, because it was measured otherwise",
    ]


def test_a_candidate_counts_once_by_its_last_comparison():
    first = stored_comparison({"match": 0.1}, day=1, candidate_id="x" * 32, id="first")
    again = stored_comparison({"match": 0.2}, day=2, candidate_id="x" * 32, id="again")
    series, left_out = picked([again, first])
    assert [kept.id for kept in series] == ["again"]
    assert left_out == ["1 comparison of 'xxxxxxxx' is left out, because it was compared again later"]


def test_this_candidate_does_not_count_twice():
    made = comparison({"match": [0.1, 0.2]})
    before = stored_comparison({"match": 0.1}, day=1)
    same = stored_comparison({"match": 0.15}, day=2, candidate_id=made.candidate.id)
    series, left_out = series_before(made, [before, same])
    assert ([kept.id for kept in series], left_out) == ([before.id], [])


def test_the_same_outputs_of_the_same_model_are_one_candidate():
    same = {"candidate_digest": "f" * 64}
    runs = [stored_comparison({"match": 0.1}, day=day, **same) for day in (1, 2, 3)]
    other_model = stored_comparison({"match": 0.1}, day=4, model="model-c", **same)
    series, left_out = picked([*runs, other_model])
    assert series == [runs[2], other_model]
    assert left_out == [
        f"2 comparisons of '{'0' * 8}' are left out, because they were compared again later with the same "
        "outputs, which count once"
    ]


def test_what_this_candidate_said_before_counts_once():
    made = comparison({"match": [0.1, 0.2]})
    same = stored_comparison({"match": 0.15}, day=1, candidate_digest=digest_items(made.candidate.items))
    other = stored_comparison({"match": 0.15}, day=2, candidate_digest="f" * 64)
    series, (said,) = series_before(made, [same, other])
    assert series == [other]
    assert said.startswith("1 comparison of '00000000' is left out, because it was compared again later with")


def test_losses_allowed_and_evidence_by_hand():
    # Rerun and baseline lose nothing to each other. Without noise there is only Bernstein's term: half of
    # alpha, ln(1 / .025) / (3 * 2 items * 2 runs) = 3.6889 / 12 = .3074. Stakes reach 1 / .3074, half of it
    # on average: the first run is one value, 1 + 1.6265 * (.5 - .3074) = 1.3132, of which half is bet.
    made = comparison({"match": [0.4, 0.6]}, reruns=[{"match": [0.0, 0.0]}])
    assert made.reference_variance("match") == pytest.approx((0.4**2 + 0.6**2) / 2 / 2)
    quiet = comparison({"match": [0.0, 0.0]}, reruns=[{"match": [0.0, 0.0]}])
    (test,) = sequence_tests(quiet, [stored_comparison({"match": 0.5})], {"match": 0.05}, GateSettings())
    assert test.losses == (0.5, 0.0)
    assert test.allowed == pytest.approx(0.3074, abs=1e-4)
    assert test.evidence[0] == pytest.approx((1.3132 + 1) / 2, abs=1e-4)
    assert test.p_adjusted == 1.0


def test_the_noise_of_reruns_widens_what_is_allowed():
    # One rerun, compared with the baseline alone: half of the variance of drift, here of .2 and -.2. Bound at
    # .025 is 1.96 * sqrt(.04 / 2 / 30), and Bernstein's term 3.6889 / (3 * 30 * 2).
    losses, rerun = np.full(30, 0.3), np.full(30, 0.1)
    made = comparison({"match": losses}, reruns=[{"match": rerun}])
    bound = 1.95996 * (0.04 / 2 / 30) ** 0.5 + 3.68888 / 180
    assert reference_error(made, "match", 0.025) == pytest.approx(bound, rel=1e-4)
    (test,) = sequence_tests(made, [], {"match": 0.05}, GateSettings())
    assert test.allowed == pytest.approx(0.1 + bound, rel=1e-4)


def test_items_of_earlier_runs_reveal_more_than_their_mean():
    rerun = {"match": np.full(30, 0.1)}
    made = comparison({"match": np.full(30, 0.3)}, reruns=[rerun])
    known = [stored_comparison({"match": 0.3}, day=day, scores={"match": np.full(30, 0.3)}) for day in (1, 2)]
    by_mean = [stored_comparison({"match": 0.3}, day=day) for day in (1, 2)]
    with_items, without = (
        sequence_tests(made, series, {"match": 0.05}, GateSettings())[0] for series in (known, by_mean)
    )
    assert with_items.evidence[-1] > 100 * without.evidence[-1]


def test_fields_are_measured_by_their_worst_case_and_metrics_adjusted_together():
    # Without a rerun the margin is allowed, .25 of 2.5: .1. 1.25 is .5, an item and a run before. By hand in
    # test_betting: 10.3332 / 2 + 3 / 6 + 1 / 3 = 5.9999, with a quarter of alpha; there are two metrics.
    made = comparison({"match": [0.0], "credits_difference": [1.25]})
    before = [stored_comparison({"match": 0.0, "credits_difference": 1.25})]
    tests = sequence_tests(made, before, {"match": 0.05, "credits_difference": 0.25}, GateSettings())
    assert tests[1].evidence[-1] == pytest.approx(5.99993, rel=1e-5)
    assert tests[1].p_adjusted == pytest.approx(1.0)  # 2 * 4 / 6 is more
    assert tests[0].p_adjusted == 1.0


def test_losses_beyond_the_worst_case_count_as_the_worst_case():
    made = comparison({"credits_difference": [9.0]})
    (test,) = sequence_tests(made, [], {"credits_difference": 0.25}, GateSettings())
    # 1 + 5 * (1 - .1) = 5.5, of which half is bet.
    assert test.losses == (9.0,)
    assert test.evidence == pytest.approx(((5.5 + 1) / 2,))


def test_runs_without_the_metric_add_nothing():
    made = comparison({"match": [np.nan]})
    (test,) = sequence_tests(made, [stored_comparison({"silence": 0.1})], {"match": 0.05}, GateSettings())
    assert np.isnan(test.losses).all()
    assert (test.evidence, test.p_adjusted) == ((1.0, 1.0), 1.0)


def test_reruns_without_a_value_allow_nothing_to_be_shown():
    made = comparison({"match": [0.9]}, reruns=[{"match": [np.nan]}])
    (test,) = sequence_tests(made, [], {"match": 0.05}, GateSettings())
    assert (test.evidence, test.is_significant) == ((1.0,), False)


def noisy_nights(n_bad: int, n: int = 30) -> tuple:
    """Five good nights, then bad ones: the reruns vary so much that they hide a drift of .15."""
    rng = np.random.default_rng(0)
    own = rng.uniform(0.0, 0.4, n)
    nights = [own + rng.uniform(0.0, 0.1, n) + (0.15 if night >= 5 else 0.0) for night in range(5 + n_bad)]
    rerun = {"match": np.where(np.arange(n) % 2, 0.0, 0.5)}
    made = comparison({"match": nights[-1]}, reruns=[rerun])
    days = enumerate(nights[:-1])
    return made, [
        stored_comparison({"match": one.mean()}, day=day, scores={"match": one}) for day, one in days
    ]


def test_a_drift_that_sets_in_is_seen_beside_the_nights_before_it():
    made, series = noisy_nights(n_bad=3)
    (test,) = sequence_tests(made, series, {"match": 0.05}, GateSettings())
    assert test.mean_loss < test.allowed  # beside the reruns nothing shows
    assert test.is_significant
    means = [replace(kept, scores={}) for kept in series]
    assert not sequence_tests(made, means, {"match": 0.05}, GateSettings())[0].is_significant


def test_nights_that_are_alike_are_no_evidence():
    made, series = noisy_nights(n_bad=0)
    (test,) = sequence_tests(made, series, {"match": 0.05}, GateSettings())
    assert test.evidence[-1] < 5


def test_evidence_among_runs_by_hand():
    # Six items are worse in the second run than in the first: p = 1 / 64. Half of the capital is multiplied
    # by the mean of s * 64 ** (1 - s) over s of .025 to .975, as in test_betting. Without a rerun the margin
    # of .9 is allowed, so that the other bets lose; the first run's mean, without its items, says nothing.
    made = comparison({"match": [0.4] * 6})
    before = [
        stored_comparison({"match": 0.9}, day=0),
        stored_comparison({"match": 0.1}, day=1, scores={"match": np.full(6, 0.1)}),
    ]
    (test,) = sequence_tests(made, before, {"match": 0.9}, GateSettings())
    gain = np.mean([s * 64 ** (1 - s) for s in np.arange(0.025, 1, 0.05)])
    assert test.evidence == pytest.approx((1.0, 1.0, gain / 2 + 0.5))


PARTIAL = f"{SIGNATURE}|common:1f2e3d4c"


def lacking(losses, places, n):
    """A comparison of a candidate that has only some of the baseline's n items."""
    ids = [f"item-{place}" for place in range(n)]
    common, lost = (
        tuple(ids[at] for at in range(n) if (at in places) is is_there) for is_there in (True, False)
    )
    made = comparison({"match": losses})
    return replace(made, matching=ItemMatching(common=common, lost=lost, places=tuple(places)))


def test_earlier_scores_are_restricted_to_the_items_of_a_candidate_that_lacks_some():
    made = lacking([0.4, 0.6], [0, 2], 3)
    before = stored_comparison({"match": 0.2}, scores={"match": np.array([0.1, 0.2, 0.3])})
    other = stored_comparison({"match": 0.2}, day=1, candidate_id="1" * 32)  # its mean is of all items
    series, left_out = series_before(made, [before, other])
    assert [kept.scores["match"].tolist() for kept in series] == [[0.1, 0.3]]
    assert left_out == ["1 comparison of '11111111' is left out, because it was measured on other items"]
    (test,) = sequence_tests(made, series, {"match": 0.05}, GateSettings())
    assert test.losses == pytest.approx((0.2, 0.5))  # (.1 + .3) / 2, not the mean over three


def test_an_earlier_candidate_that_lacked_items_counts_with_those_it_had():
    # Allowed is the margin, .1. Ignoring the item that was lacking, the runs have one value and two.
    made = comparison({"match": [0.3, 0.3]})
    before = stored_comparison({"match": 0.5}, signature=PARTIAL, scores={"match": np.array([np.nan, 0.5])})
    series, left_out = series_before(made, [before])
    assert (len(series), left_out) == (1, [])
    (test,) = sequence_tests(made, series, {"match": 0.1}, GateSettings())
    (plain,) = evidence_of_runs(
        {"match": ([0.5, 0.3], 0.1, TEXT_METRICS["match"])},
        GateSettings(),
        latest={"match": np.array([0.3, 0.3])},
    )
    assert test.losses == (0.5, 0.3)
    assert test.evidence == plain.evidence


def test_an_earlier_candidate_without_a_common_item_is_left_out():
    made = lacking([0.4], [0], 3)
    before = stored_comparison(
        {"match": 0.2}, signature=f"{SIGNATURE}|common:2b", scores={"match": np.array([np.nan, 0.2, 0.3])}
    )
    assert series_before(made, [before])[0] == []


def test_comparisons_with_a_moved_ruler_are_left_out_and_counted():
    made = comparison({"match": [0.1, 0.2]})
    moved = [
        stored_comparison({"match": 0.9}, day=day, candidate_id=str(day) * 32, ruler_moved=True)
        for day in (1, 2)
    ]
    held = stored_comparison({"match": 0.1}, day=3)
    series, left_out = series_before(made, [*moved, held])
    assert series == [held]
    assert left_out == [
        "2 comparisons of '11111111', '22222222' are left out, because they were measured while the ruler "
        "had moved"
    ]


def test_a_moved_ruler_is_told_from_other_settings():
    # It reads the baseline's floors in another way; a setting that was changed is one that was declared.
    now, then, other = (
        f"{SIGNATURE}|floors:{floors}|layer:{layer}" for floors, layer in ((1, 6), (2, 6), (2, 5))
    )
    runs = [
        stored_comparison({"match": 0.9}, day=day, signature=signature, ruler_moved=moved)
        for day, (signature, moved) in enumerate([(then, True), (other, True), (then, False), (now, False)])
    ]
    series, left_out = one_series(runs, baseline_id="b" * 32, signature=now)
    assert series == [runs[0], runs[3]]
    assert left_out == [
        "2 comparisons of '00000000' are left out, because they were measured otherwise",
    ]


def test_the_latest_complete_comparison_is_of_a_ruler_that_held():
    held, moved = (
        stored_comparison({"match": 0.1}),
        stored_comparison({"match": 0.9}, day=1, ruler_moved=True),
    )
    partial = stored_comparison({"match": 0.9}, day=2, signature=PARTIAL)
    assert latest_complete([held, moved, partial]) == held
    assert latest_complete([moved, partial]) == moved
    assert latest_complete([partial]) == partial
