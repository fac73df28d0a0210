from dataclasses import replace

import numpy as np
import pytest
from made_up import comparison, stored_comparison

from semscale.drift.gate.settings import GateSettings
from semscale.drift.measure.metrics import TEXT_METRICS
from semscale.drift.nights.sequence import evidence_of_runs, sequence_tests
from semscale.drift.nights.series import latest_complete, measured_alike, one_series, series_before
from semscale.drift.runs import ItemMatching
from semscale.history.items import digest_items

SIGNATURE = stored_comparison({"match": 0.1}).signature
PARTIAL = f"{SIGNATURE}|common:1f2e3d4c"


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


def lacking(losses, places, n):
    """A comparison of a candidate that has only some of the baseline's n items."""
    ids = [f"item-{place}" for place in range(n)]
    common, lost = (
        tuple(ids[at] for at in range(n) if (at in places) is is_there) for is_there in (True, False)
    )
    made = comparison({"match": losses})
    return replace(made, matching=ItemMatching(common=common, lost=lost, positions=tuple(places)))


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


def alike(*kept):
    return [one.id for one in measured_alike(comparison({"match": [0.1, 0.2]}), kept)]


def night(name, day, **settings):
    return stored_comparison({"match": 0.1}, **({"day": day, "id": name, "outcome": "pass"} | settings))


def test_a_candidate_is_what_its_last_decision_said():
    same = {"candidate_id": "x" * 32}
    passed, failed = night("passed", 1, **same), night("failed", 2, outcome="fail", **same)
    undecided = night("compared", 3, outcome=None, **same)
    assert alike(undecided, passed, failed) == ["failed"]
    assert alike(night("compared alone", 4, outcome=None)) == ["compared alone"]


def test_runs_measured_otherwise_are_not_alike_and_runs_on_other_items_are():
    assert alike(
        night("plain", 3),
        night("fewer items", 2, signature=PARTIAL),
        night("otherwise", 4, signature="semscale 0.0.1|drift"),
        night("other baseline", 5, baseline_id="d" * 32),
        night("moved", 6, ruler_moved=True),
        night("this one", 7, candidate_id="c" * 32),
    ) == ["fewer items", "plain"]


def test_runs_with_the_present_outputs_are_the_present_candidate():
    made = comparison({"match": [0.1, 0.2]})
    same = night("same outputs", 1, model="model-b", candidate_digest=made.outputs_digest)
    assert measured_alike(made, [same]) == []
