"""Items are sorted by what their drift exceeds margins by."""

import numpy as np
import pytest
from made_up import comparison
from made_up_drift import decision_about

from semscale.report.drift_items import harm, most_harmed

NAN = float("nan")


def test_harm_sums_what_exceeds_margins_as_shares_of_the_worst_case():
    compared = comparison({"match": [0.0, 0.45, NAN, 0.03], "credits_difference": [0.0, 1.375, NAN, 2.5]})
    decision = decision_about(compared)
    # margins: .05 and .05 * 2.5 = .125. Item 1: .40 + 1.25 / 2.5 = .90. Item 3: 0 + 2.375 / 2.5 = .95.
    assert harm(compared, decision) == pytest.approx([0.0, 0.9, NAN, 0.95], nan_ok=True)
    found = most_harmed(compared, decision)
    assert [item.place for item in found] == [3, 1]
    assert list(found[0].drifts) == ["credits_difference", "match"]


def test_what_reruns_lose_is_no_harm():
    compared = comparison({"match": [0.3, 0.3]}, reruns=[{"match": [0.3, 0.1]}])
    # margin: max(.05, .5 * .2) = .1; drifts 0 and .2
    assert harm(compared, decision_about(compared)) == pytest.approx([0.0, 0.1])


def test_without_a_gate_any_drift_counts_and_ties_keep_their_order():
    compared = comparison({"match": [0.2, 0.0, 0.2]})
    assert [item.place for item in most_harmed(compared, None)] == [0, 2]
    assert len(most_harmed(compared, None, limit=1)) == 1


def test_nobody_harmed_is_an_empty_list():
    assert most_harmed(comparison({"match": [0.0, NAN]}), None) == ()
    assert np.isnan(harm(comparison({"match": [0.0, NAN]}), None)[1])
