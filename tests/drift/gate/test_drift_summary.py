"""One estimate of each mean drift: what a history keeps, what JSON has and what pages show."""

import numpy as np
import pytest
from made_up import comparison

from semscale.drift.gate.decision import in_margins
from semscale.drift.gate.drift_summary import DriftSummary, stored
from semscale.drift.gate.gate import decide
from semscale.drift.gate.settings import GateSettings

LOSSES = {"match": np.linspace(0.2, 0.4, 12), "cosine": [0.1] * 11 + [np.nan]}
RERUN = {"match": [0.1] * 12, "cosine": [0.0] * 12}
SETTINGS = GateSettings(by=("topic",), replicates=500)


def made():
    return comparison(LOSSES, reruns=[RERUN], groups={"topic": ["a", "b"] * 6})


def test_keeps_every_metric_over_all_items_and_every_group():
    decision = decide(made(), SETTINGS)
    kept = stored(made(), decision, SETTINGS)
    assert (kept.baseline_id, kept.candidate_id) == ("b" * 32, "c" * 32)
    assert (kept.model, kept.dataset, kept.outcome) == ("model-b", "answers", str(decision.outcome))
    assert kept.signature == str(made().signature)
    places = [(figure.metric, figure.group) for figure in kept.figures]
    groups = [None, ("topic", "a"), ("topic", "b")]
    assert places == [(metric, group) for group in groups for metric in ("match", "cosine")]


def test_figures_are_means_with_the_drifts_interval():
    kept = stored(made(), None, SETTINGS)
    match, cosine = kept.figures[:2]
    # Match: .3 on average, .2 beyond the rerun's .1; margin .05. Cosine: .1 of the 11 items that have one.
    np.testing.assert_allclose([match.loss, match.drift, match.margin], [0.3, 0.2, 0.05])
    assert match.low < 0.2 < match.high
    assert (cosine.n, cosine.n_left_out) == (11, 1)
    # All alike: of the items unseen up to q = 1 - .05 ** (1 / 11) = .2384 may have any drift from -1 to 1.
    expected = [0.1, 0.1, 0.1 - 1.1 * 0.2384, 0.1 + 0.9 * 0.2384]
    found = [cosine.loss, cosine.drift, cosine.low, cosine.high]
    np.testing.assert_allclose(found, expected, atol=1e-4)
    assert kept.outcome is None


def test_a_decisions_figures_are_those_kept():
    decision = decide(made(), SETTINGS)
    with_gate, without = stored(made(), decision, SETTINGS), stored(made(), None, SETTINGS)
    assert with_gate.figures == without.figures
    assert with_gate.figures[0].low == decision.tests[0].drift.low


def test_groups_that_were_decided_about_are_kept_in_any_case():
    kept = stored(made(), decide(made(), SETTINGS))
    assert {figure.group for figure in kept.figures} == {None, ("topic", "a"), ("topic", "b")}


def test_every_items_losses_are_kept():
    kept = stored(made(), None)
    np.testing.assert_array_equal(kept.scores["match"], LOSSES["match"])
    np.testing.assert_array_equal(kept.scores["cosine"], LOSSES["cosine"])


def test_a_group_in_which_no_item_has_a_value():
    losses = {"match": [0.1, 0.2, np.nan, np.nan]}
    kept = stored(comparison(losses, groups={"topic": ["a", "a", "b", "b"]}), None, SETTINGS)
    figure = kept.figures[2]
    assert (figure.n, figure.n_left_out) == (0, 2)
    assert np.isnan([figure.loss, figure.drift, figure.low]).all()


def test_page_json_and_history_have_one_estimate_of_what_the_gate_did_not_test():
    settings = GateSettings(metrics=("match",), interval=0.8, replicates=500, seed=3)
    summary = DriftSummary(made(), decide(made(), settings))
    cosine = next(figure for figure in summary.overall if figure.metric.name == "cosine")
    kept = next(one for one in summary.stored.figures if one.metric == "cosine")
    (_, stated) = summary.record()["metrics"]
    assert cosine.test is None
    assert (kept.drift, kept.low, kept.high) == (cosine.drift.value, cosine.drift.low, cosine.drift.high)
    assert stated["drift"] is cosine.drift
    # The plan comes with the decision, whatever its signature says.
    assert (summary.plan.interval, summary.plan.seed, summary.plan.replicates) == (0.8, 3, 500)


def test_a_narrower_interval_of_the_gate_narrows_what_it_did_not_test():
    losses = {"match": np.linspace(0.2, 0.4, 12), "cosine": np.linspace(0.0, 0.3, 12)}
    widths = []
    for interval in (0.95, 0.5):
        settings = GateSettings(metrics=("match",), interval=interval, replicates=500)
        cosine = DriftSummary(comparison(losses), decide(comparison(losses), settings)).overall[1]
        widths.append(cosine.drift.high - cosine.drift.low)
    assert widths[1] < widths[0] / 2  # quantiles of a normal distribution: .674 to 1.960


def test_everything_is_computed_once():
    summary = DriftSummary(made(), decide(made(), SETTINGS))
    assert summary.figures is summary.figures
    assert summary.stored is summary.stored
    assert summary.harm is summary.harm


@pytest.mark.parametrize(
    ("drift", "margin", "margins"),
    [(0.2, 0.1, 2.0), (-0.1, 0.2, -0.5), (0.0, 0.0, 0.0), (0.1, 0.0, np.inf), (-0.1, 0.0, -np.inf),
     (np.nan, 0.1, -np.inf), (np.nan, 0.0, -np.inf)],
)  # fmt: skip
def test_a_drift_in_margins_is_one_number_at_a_margin_of_0_too(drift, margin, margins):
    assert in_margins(drift, margin) == margins


def test_a_summary_says_in_short_what_it_is():
    decision = decide(made(), SETTINGS)
    assert repr(DriftSummary(made())) == (
        "DriftSummary(candidate='model-b', baseline='model-a', items=12, outcome=None)"
    )
    assert repr(DriftSummary(made(), decision)).endswith(f"items=12, outcome='{decision.outcome}')")


def test_json_says_how_the_intervals_of_all_drifts_were_made():
    record = DriftSummary(made(), settings=GateSettings(interval=0.9, seed=3, replicates=500)).record()
    assert (record["interval"], record["seed"], record["replicates"]) == (0.9, 3, 500)
    # Cosine's drifts are all .1, so there is nothing to resample.
    found = {one["metric"]: one["drift"] for one in record["drifts"] if one["group"] is None}
    assert (found["match"].n_clusters, found["match"].method) == (12, "bootstrap")
    assert (found["cosine"].n_clusters, found["cosine"].method) == (11, "exact")
    decided = DriftSummary(made(), decide(made(), SETTINGS)).record()
    assert (decided["interval"], decided["seed"], decided["replicates"]) == (0.95, 0, 500)


def test_a_signature_without_a_gate_says_how_intervals_were_made():
    fields = dict(DriftSummary(made(), settings=GateSettings(interval=0.9, replicates=500)).signature.fields)
    assert (fields["interval"], fields["replicates"]) == ("0.9", "500")
    assert "interval" not in dict(made().signature.fields)  # a series in a history goes by measurement
    decision = decide(made(), SETTINGS)
    assert DriftSummary(made(), decision).signature == decision.signature
