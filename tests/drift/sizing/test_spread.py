"""The spread of drift, from one comparison or from a history."""

import math
from dataclasses import replace

import numpy as np
import pytest
from made_up import comparison, stored_comparison

from semscale.drift.gate.settings import GateSettings
from semscale.drift.sizing.spread import spread_of_comparison, spread_of_history
from semscale.errors import InputError, UnknownNameError
from semscale.history.stored_comparison import StoredFigure

SETTINGS = GateSettings()


def figure(loss, drift):
    return (StoredFigure("match", None, loss, drift, 0.0, 0.0, 0.07, 3, 0),)


def test_spread_of_a_comparison_is_that_of_its_drifts():
    groups = {"topic": ["a", "a", "b"]}
    compared = comparison({"match": [0.1, 0.2, 0.6]}, reruns=[{"match": [0.0, 0.1, 0.2]}], groups=groups)
    found = spread_of_comparison(compared, GateSettings(by=("topic",)))
    # Drifts .1, .1 and .4 have mean .2: (.01 + .01 + .04) / 2 = .03.
    assert found.sd["match"] == pytest.approx(math.sqrt(0.03))
    assert (found.n["match"], found.n_items, found.n_tests) == (3, 3, 1)
    assert "reruns' losses taken off" in found.source
    # Third central moment of .1, .1 and .4: (2 * -.001 + .008) / 3 = .002.
    assert found.skewness["match"] == pytest.approx(0.002 / 0.03**1.5)


def test_a_single_item_has_no_spread():
    assert math.isnan(spread_of_comparison(comparison({"match": [0.1]}), SETTINGS).sd["match"])


def stored(day, scores, drift):
    settings = {"figures": figure(float(np.nanmean(scores)), drift), "scores": {"match": np.array(scores)}}
    return stored_comparison({}, day=day, **settings)


def test_differences_between_successive_runs_if_reruns_lose_something():
    history = [stored(1, [0.4, 0.2, 0.3], 0.1), stored(0, [0.1, 0.1, 0.1], 0.05)]
    found = spread_of_history(history, SETTINGS)
    # Differences .3, .1 and .2 have mean .2: (.01 + .01) / 2 = .01.
    assert found.sd["match"] == pytest.approx(0.1)
    assert found.skewness["match"] == 0.0  # differences have none of the runs' own
    assert (found.n["match"], found.margins["match"]) == (3, 0.07)
    assert found.source == "how each item's loss changes from one of 2 comparisons to the next"


def test_losses_themselves_if_nothing_is_taken_off():
    history = [stored(0, [0.1, 0.3], 0.2), stored(1, [0.5, 0.9], 0.7)]
    found = spread_of_history(history, SETTINGS)
    # Within the first .02, within the second .08: pooled (.02 + .08) / 2.
    assert found.sd["match"] == pytest.approx(math.sqrt(0.05))
    assert found.source == "how losses of items differ within 2 comparisons"


def test_margins_that_are_set_come_first():
    found = spread_of_history([stored(0, [0.1, 0.3], 0.2)], GateSettings(material={"match": 0.3}))
    assert found.margins["match"] == 0.3


def test_comparisons_of_another_series_are_named():
    other = stored_comparison({}, day=2, figures=figure(0.1, 0.1), signature="other")
    found = spread_of_history([other, stored(3, [0.1, 0.3], 0.2)], SETTINGS)
    assert "because it was measured otherwise" in found.cautions[0]


@pytest.mark.parametrize(
    ("history", "error", "words"),
    [
        ([], InputError, "a plan needs at least one comparison"),
        ([stored_comparison({"match": 0.1})], InputError, "a plan needs the items' scores"),
    ],
)
def test_histories_without_a_spread(history, error, words):
    with pytest.raises(error, match=words):
        spread_of_history(history, SETTINGS)


def test_a_metric_that_was_not_stored():
    with pytest.raises(UnknownNameError, match="unknown metric 'cosine'"):
        spread_of_history([stored(0, [0.1, 0.3], 0.2)], GateSettings(metrics=("cosine",)))


def test_runs_of_a_moved_ruler_do_not_count():
    moved = replace(stored(1, [0.9, 0.1], 0.5), ruler_moved=True)
    found = spread_of_history([stored(0, [0.1, 0.3], 0.2), moved], SETTINGS)
    # Of the first alone: (.01 + .01) / 1 = .02.
    assert found.sd["match"] == pytest.approx(math.sqrt(0.02))
