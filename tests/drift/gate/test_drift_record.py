"""A comparison in JSON: every figure at full precision, null where there is none."""

import json

from made_up import comparison
from made_up_drift import comparison_of, decision_about

from semscale.drift.gate.decision import Outcome
from semscale.drift.gate.drift_summary import DriftSummary

NAN = float("nan")


def content_of(compared, decision=None):
    return json.loads(DriftSummary(compared, decision).to_json())


def test_every_test_threshold_and_run_is_there_and_json_can_hold_it():
    compared = comparison_of(20)
    decision = decision_about(compared, cautions=["Careful."])
    document = content_of(compared, decision)
    assert document["outcome"] == "fail"
    assert (document["items"], document["left_out"], document["silent"], document["reruns"]) == (20, 1, 2, 2)
    assert len(document["tests"]) == len(decision.tests)
    first, test = document["tests"][0], decision.tests[0]
    drift = first["drift"]
    assert drift["value"] == test.drift.value  # all digits
    assert (drift["low"], drift["high"], drift["n"]) == (test.drift.low, test.drift.high, 19)
    assert document["tests"][-1]["group"] == {"kind": "exercise", "name": "ex-3"}
    assert [check["passed"] for check in document["thresholds"]] == [True, False]
    assert document["sequence"][1]["evidence"] == [1.0, 9.3, 84.1]
    assert document["worst_items"][0]["id"] in {"item-017", "item-018"}  # the two silent ones
    assert document["signature"] == str(decision.signature)
    assert document["candidate"]["recorded"] == "2026-04-01T09:30:00+00:00"


def test_pairs_of_the_worst_items_have_what_differs():
    document = content_of(comparison_of(6, silent=0))
    pairs = [pair for item in document["worst_items"] for pair in item["pairs"]]
    pair = next(pair for pair in pairs if (pair["baseline"], pair["candidate"]) == (0, 0))
    # "You name both causes of the delay. Well argued." and "You name none of the causes of the delay."
    assert pair["characters"] == {"baseline": 47, "candidate": 41, "difference": -6}
    assert pair["fields"] == {"credits": {"baseline": 1.0, "candidate": 1.5, "difference": 0.5}}
    assert (pair["match"], pair["findings"][0]["guard"]) == (0.31, "negation")
    missing = next(pair for pair in pairs if pair["candidate"] is None)
    assert missing["fields"] == {"credits": {"baseline": 3.0, "candidate": None, "difference": None}}
    assert missing["characters"]["difference"] is None


def test_what_does_not_exist_is_null_never_zero():
    compared = comparison({"match": [NAN, NAN]})
    document = content_of(compared)
    assert document["outcome"] is None
    (metric,) = document["metrics"]
    assert [metric[name] for name in ("loss", "noise", "floor")] == [None] * 3
    assert [metric["drift"][name] for name in ("value", "low", "high")] == [None] * 3
    assert (metric["drift"]["n"], metric["drift"]["n_left_out"]) == (0, 2)


def test_without_a_gate_metrics_are_estimated_all_the_same():
    document = content_of(comparison({"match": [0.25, 0.75]}, reruns=[{"match": [0.0, 0.5]}]))
    (metric,) = document["metrics"]
    assert (metric["loss"], metric["noise"]) == (0.5, 0.25)
    assert (metric["drift"]["value"], metric["drift"]["n"]) == (0.25, 2)
    assert document["tests"] == []


def test_items_that_would_decide_are_stated():
    compared = comparison_of(6, metrics=("match",), groups=0, silent=0)
    decision = decision_about(compared, thresholds=False)
    undecided = decision.tests[0].outcome is Outcome.UNDECIDED
    assert content_of(compared, decision)["n_needed"] == (133 if undecided else None)
