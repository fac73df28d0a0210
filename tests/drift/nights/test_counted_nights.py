"""Which nights show the noise, and their drifts."""

from dataclasses import replace

import numpy as np
from made_up import comparison, run, stored_comparison

from semscale.drift.gate.gate import decide
from semscale.drift.gate.settings import GateSettings
from semscale.drift.nights.counted_nights import MOST_NIGHTS, counted_nights, earlier_nights

BASELINE = run(30, id="b" * 32)
SPREAD = np.where(np.arange(30) % 2, 0.1, -0.1)
SETTINGS = GateSettings(replicates=100)


def night(day, losses=None, **settings):
    """A night of the baseline's model, whose items lose .2 and scatter."""
    losses = 0.2 + np.roll(SPREAD, day) if losses is None else losses
    return replace(
        stored_comparison({"match": 0.2}, day=day, **({"model": "model-a"} | settings)),
        scores={"match": losses},
    )


def tonight():
    """Drifts of .04 on average; every fifth item has .2 more."""
    losses = 0.2 + SPREAD + 0.04 + np.where(np.arange(30) % 5, 0.0, 0.2)
    return comparison({"match": losses}, reruns=[{"match": np.full(30, 0.2)}])


def test_runs_of_other_models_and_failed_ones_do_not_count():
    kept = [night(0), night(1, model="model-b"), night(2, outcome="fail"), night(3, outcome="undecided")]
    assert [one.candidate_id for one in counted_nights(kept, BASELINE)] == [f"{day:032x}" for day in (0, 3)]


def test_the_latest_count():
    kept = [night(day) for day in reversed(range(MOST_NIGHTS + 5))]
    counted = counted_nights(kept, BASELINE)
    assert [one.candidate_id for one in counted] == [f"{day:032x}" for day in range(5, MOST_NIGHTS + 5)]


def test_drifts_are_losses_beyond_what_the_reruns_lose():
    # The rerun loses .2 at each item, so that the first night drifts by its scatter alone.
    found = earlier_nights(tonight(), [night(0), night(1)])
    assert found.n == 2
    np.testing.assert_allclose(found.of("match", np.full(30, True)), [SPREAD, np.roll(SPREAD, 1)])
    np.testing.assert_allclose(found.of("match", np.arange(30) == 0), [[-0.1], [0.1]])
    assert found.of("bertscore_f1", np.full(30, True)) is None


def test_a_night_whose_items_are_not_known_does_not_count():
    assert earlier_nights(tonight(), [replace(night(0), scores={})]).n == 0


def test_a_gate_counts_nights_and_says_so_in_its_signature():
    nights = [night(day) for day in range(8)]
    plain, found = decide(tonight(), SETTINGS), decide(tonight(), SETTINGS, earlier=nights)
    assert (plain.nights.n, found.nights.n) == (0, 8)
    assert dict(plain.signature.fields)["noise_history"] == "none"
    assert dict(found.signature.fields)["noise_history"] == found.nights.name
    assert plain.tests[0].nights_as_reruns == 0 < found.tests[0].nights_as_reruns


def test_a_setting_switches_it_off():
    off = SETTINGS.model_copy(update={"noise_history": False})
    nights = [night(day) for day in range(8)]
    assert decide(tonight(), off, earlier=nights).tests == decide(tonight(), SETTINGS).tests


def test_quiet_nights_change_no_p_value_so_that_they_raise_no_false_alarm():
    quiet = [night(day, losses=0.2 + 0.01 * np.roll(SPREAD, day)) for day in range(14)]
    plain, found = decide(tonight(), SETTINGS), decide(tonight(), SETTINGS, earlier=quiet)
    assert found.tests[0].p_value == plain.tests[0].p_value
    assert found.tests[0].p_adjusted == plain.tests[0].p_adjusted
    assert found.tests[0].is_material == plain.tests[0].is_material
