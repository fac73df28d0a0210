"""Shifts have a sign: what a run has more or less of than the other runs, for each output of an item."""

from dataclasses import replace

import numpy as np
import pytest
from made_up import comparison

from semscale.drift.measure.metrics import field_metric
from semscale.drift.measure.shifts import shifts_by_role
from semscale.history.items import Item, Output

LOSSES = {"output_count": [0.5, 0.3], "credits_difference": [0.3, 0.2], "match": [0.1, 0.1]}


def items(*credits):
    """Items with these credits of their outputs; ``None`` for an output without any."""
    fields = [[{} if one is None else {"credits": one} for one in each] for each in credits]
    return tuple(
        Item(f"item-{at}", tuple(Output("An answer.", each) for each in outputs))
        for at, outputs in enumerate(fields)
    )


def shifted(candidate, baseline, *reruns, **settings):
    made = comparison(LOSSES, reruns=[LOSSES] * len(reruns), **settings)
    return replace(
        made,
        candidate=replace(made.candidate, items=candidate),
        baseline=replace(made.baseline, items=baseline),
        rerun_items=reruns,
    )


TWO, THREE = [1.0, 1.0], [1.0, 0.5, 0.5]


def test_outputs_are_counted_for_each_output_of_the_longest_list():
    # Item 1 has 1, 2 and 2 outputs: 1/2, 1 and 1. Item 2 has 3, 2 and 2: 1, 2/3 and 2/3.
    made = shifted(items([1.0], THREE), items(TWO, TWO), items(TWO, TWO))
    expected = [[-1 / 2, 1 / 4, 1 / 4], [1 / 3, -1 / 6, -1 / 6]]
    np.testing.assert_allclose(shifts_by_role(made, "output_count"), expected)


def test_a_field_shifts_by_its_total():
    # Totals of item 1: 1, 2, 1.5 of two outputs: .5, 1, .75. Of item 2: 2, 2, 2 of three outputs.
    made = shifted(items([1.0], THREE), items(TWO, TWO), items([0.5, 1.0], TWO))
    expected = [[-0.375, 0.375, 0.0], [0.0, 0.0, 0.0]]
    np.testing.assert_allclose(shifts_by_role(made, "credits_difference"), expected, atol=1e-12)


def test_without_a_rerun_the_candidate_stands_alone():
    made = shifted(items([1.0], TWO), items(TWO, TWO))
    np.testing.assert_allclose(shifts_by_role(made, "output_count"), [[-0.5], [0.0]])


def test_an_item_without_any_output_has_no_shift():
    made = shifted(items([], TWO), items([], TWO))
    silent = {name: np.array([np.nan, 0.1]) for name in LOSSES}
    made = replace(made, measured=replace(made.measured, losses=silent))
    np.testing.assert_allclose(shifts_by_role(made, "output_count"), [[np.nan], [0.0]])


@pytest.mark.parametrize("metric", ["match", "output_count", "credits_difference"])
def test_nothing_is_known_without_the_outputs_of_reruns_and_of_other_metrics(metric):
    made = shifted(items(TWO, TWO), items(TWO, TWO), items(TWO, TWO))
    assert (shifts_by_role(made, metric) is None) == (metric == "match")
    assert shifts_by_role(replace(made, rerun_items=()), metric) is None


def test_a_missing_number_is_no_number_of_0():
    made = shifted(items([1.0, None], TWO), items(TWO, TWO), items(TWO, TWO))
    assert shifts_by_role(made, "credits_difference") is None
    assert shifts_by_role(made, "output_count") is not None


def test_a_field_of_which_less_is_better_has_a_direction_already():
    metrics = comparison(LOSSES).metrics | {
        "credits_difference": field_metric("credits", 2.5, direction="lower")
    }
    made = shifted(items(TWO, TWO), items(TWO, TWO), items(TWO, TWO), metrics=metrics)
    assert shifts_by_role(made, "credits_difference") is None
