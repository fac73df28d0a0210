from dataclasses import replace

import numpy as np
from made_up import SIGNATURE, comparison, run, stored_comparison

from semscale.drift.nights.counted_nights import MOST_NIGHTS
from semscale.drift.nights.earlier import load_earlier, load_nights

BASELINE = run(4, id="b" * 32)
PARTIAL = f"{SIGNATURE}|common:1f2e3d4c"


class Kept:
    """A history with two comparisons; the second candidate lacks the baseline's second item."""

    def __init__(self):
        lacking = replace(BASELINE, id="2" * 32, items=(*BASELINE.items[:1], *BASELINE.items[2:]))
        self._runs = {lacking.id: lacking}
        self._scores = {"all": [0.1, 0.2, 0.3, 0.4], "some": [0.5, 0.6, 0.7]}

    def comparisons(self, *, baseline_id):
        assert baseline_id == BASELINE.id
        return [
            stored_comparison({"match": 0.25}, id="all", candidate_id="1" * 32),
            stored_comparison({"match": 0.6}, id="some", candidate_id="2" * 32, signature=PARTIAL),
        ]

    def scores(self, comparison_id):
        return {"match": np.array(self._scores[comparison_id])}

    def run(self, run_id):
        return self._runs[run_id]


def test_scores_stand_at_the_baseline_s_items():
    complete, partial = load_earlier(Kept(), BASELINE)
    np.testing.assert_array_equal(complete.scores["match"], [0.1, 0.2, 0.3, 0.4])
    np.testing.assert_array_equal(partial.scores["match"], [0.5, np.nan, 0.6, 0.7])


class Crowded:
    """A history with two nights of the baseline's model, and then as many runs of another engine as count."""

    def comparisons(self, *, baseline_id):
        assert baseline_id == BASELINE.id
        nights = [self._night(f"night {day}", day) for day in (0, 1)]
        others = [self._night(f"{day}", day, signature="other") for day in range(2, 2 + MOST_NIGHTS)]
        return [*nights, *others]

    def _night(self, name, day, **settings):
        return stored_comparison(
            {"match": 0.1}, day=day, id=name, model="model-a", outcome="pass", **settings
        )

    def scores(self, comparison_id):
        return {"match": np.full(4, 0.1)}


def test_runs_measured_otherwise_take_no_night_s_place():
    found = load_nights(Crowded(), BASELINE, comparison({"match": [0.1] * 4}))
    assert [kept.id for kept in found] == ["night 0", "night 1"]
    np.testing.assert_array_equal(found[0].scores["match"], np.full(4, 0.1))
