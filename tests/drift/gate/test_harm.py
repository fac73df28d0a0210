"""Items are sorted by what their drift exceeds margins by."""

import numpy as np
import pytest
from made_up import comparison
from made_up_drift import decision_about

from semscale.drift.gate.harm import harm_of

NAN = float("nan")


def test_harm_sums_what_exceeds_margins_as_shares_of_the_worst_case():
    compared = comparison({"match": [0.0, 0.45, NAN, 0.03], "credits_difference": [0.0, 1.375, NAN, 2.5]})
    decision = decision_about(compared)
    # margins: .05 and .05 * 2.5 = .125. Item 1: .40 + 1.25 / 2.5 = .90. Item 3: 0 + 2.375 / 2.5 = .95.
    assert harm_of(compared, decision).of_items == pytest.approx([0.0, 0.9, NAN, 0.95], nan_ok=True)
    found = harm_of(compared, decision).worst(12)
    assert [item.place for item in found] == [3, 1]
    assert list(found[0].drifts) == ["credits_difference", "match"]


def test_what_reruns_lose_is_no_harm():
    compared = comparison({"match": [0.3, 0.3]}, reruns=[{"match": [0.3, 0.1]}])
    # margin: max(.05, .5 * .2) = .1; drifts 0 and .2
    assert harm_of(compared, decision_about(compared)).of_items == pytest.approx([0.0, 0.1])


def test_without_a_gate_any_drift_counts_and_ties_keep_their_order():
    compared = comparison({"match": [0.2, 0.0, 0.2]})
    assert [item.place for item in harm_of(compared, None).worst(12)] == [0, 2]
    assert len(harm_of(compared, None).worst(1)) == 1
    assert harm_of(compared, None).n_harmed == 2


def test_nobody_harmed_is_an_empty_list():
    found = harm_of(comparison({"match": [0.0, NAN]}), None)
    assert found.worst(12) == ()
    assert found.n_harmed == 0
    assert np.isnan(found.of_items[1])
