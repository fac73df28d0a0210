"""How far chance goes at an item, from losses that are chosen by hand."""

import numpy as np
from made_up import comparison

from semscale.drift.limits.chance_at_items import beyond_any_item, losses_of_whole_reruns
from semscale.drift.measure.metrics import TEXT_METRICS, field_metric

MARGINS = np.full(3, 0.1)


def test_a_rerun_that_lost_its_outputs_at_an_item_loses_nothing_there():
    made = comparison(
        {"match": [0.0] * 3}, reruns=[{"match": [0.2, 0.3, 1.0]}, {"match": [np.nan, 0.1, 0.4]}]
    )
    whole = np.array([[True, True, False], [True, True, True]])
    np.testing.assert_array_equal(
        losses_of_whole_reruns(made, "match", whole), [[0.2, 0.3, 0.0], [0.0, 0.1, 0.4]]
    )


def test_reruns_without_the_metric_have_no_losses():
    metrics = {"match": TEXT_METRICS["match"], "cost_difference": field_metric("cost", 2.5)}
    losses = {"match": [0.0] * 3, "cost_difference": [0.5] * 3}
    made = comparison(losses, reruns=[{"match": [0.1] * 3}], metrics=metrics)
    assert losses_of_whole_reruns(made, "cost_difference", np.ones((1, 3), dtype=bool)).shape == (0, 3)


def test_drifts_count_only_where_all_reruns_are_whole():
    # Of two reruns one lies .2 beyond the other at the second item, and 1 at the last. Held against their
    # mean, the candidate is .45 beyond at the first item: more than .2 and the margin, and less than 1. Its
    # loss, .95, is less than .9 and the margin.
    reruns = [{"match": [0.5, 0.9, 1.0]}, {"match": [0.5, 0.7, 0.0]}]
    made = comparison({"match": [0.95, 0.0, 0.0]}, reruns=reruns)
    everywhere = np.ones((2, 3), dtype=bool)
    assert beyond_any_item(made, "match", MARGINS, everywhere).tolist() == [False, False, False]
    not_last = np.array([[True, True, False], [True, True, True]])
    assert beyond_any_item(made, "match", MARGINS, not_last).tolist() == [True, False, False]
