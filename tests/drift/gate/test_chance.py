"""The exact tests of the gate, by hand."""

from dataclasses import replace

import numpy as np
import pytest
from made_up import comparison

from semscale.drift.gate.chance import chance_test, lost_outputs
from semscale.history.items import Item, Output

ALL = np.ones(30, dtype=bool)


def with_outputs(made, counts):
    """The candidate with so many outputs of each item; the baseline has one of each."""
    items = tuple(
        Item(str(place), tuple(Output(f"Output {number}") for number in range(count)))
        for place, count in enumerate(counts)
    )
    return replace(made, candidate=replace(made.candidate, items=items))


def test_three_silent_items_are_beyond_chance_with_three_reruns():
    # Compared with the baseline alone, each of 4 runs may be the silent one: (1 / 4) ** 3 / 2.
    silent = np.where(np.arange(30) < 3, 1.0, 0.0)
    made = comparison({"silence": silent}, reruns=[{"silence": np.zeros(30)}] * 3)
    assert chance_test(made, "silence", ALL).p_value == pytest.approx(0.25**3 / 2)


def test_only_the_items_that_are_asked_about_count():
    silent = np.where(np.arange(30) < 3, 1.0, 0.0)
    made = comparison({"silence": silent}, reruns=[{"silence": np.zeros(30)}])
    assert chance_test(made, "silence", ALL & (np.arange(30) > 0)).p_value == pytest.approx(0.5**2 / 2)


def test_without_a_rerun_nothing_is_known_of_texts_and_fields():
    made = comparison({"match": np.full(30, 0.9), "credits_difference": np.full(30, 2.0)})
    for name in ("match", "credits_difference"):
        assert np.isnan(chance_test(made, name, ALL).p_value)


def test_without_a_rerun_lost_outputs_are_tested_by_their_signs():
    made = with_outputs(
        comparison({"output_count": np.zeros(30), "silence": np.zeros(30)}), [0] * 6 + [1] * 24
    )
    for name in ("output_count", "silence"):
        assert chance_test(made, name, ALL).p_value == pytest.approx(0.5**6 / 2)
    # As many gained as lost: no direction.
    made = with_outputs(made, [0] * 3 + [2] * 3 + [1] * 24)
    assert chance_test(made, "silence", ALL).p_value == pytest.approx(0.5**3 / 2)
    assert lost_outputs(made, "output_count")[:7].tolist() == [1, 1, 1, -0.5, -0.5, -0.5, 0]
