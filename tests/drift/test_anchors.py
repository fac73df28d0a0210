"""Changes of the ruler: exact for text metrics, by a paired test for judges."""

from dataclasses import replace

import numpy as np
import pytest

from semscale.drift.anchors import (
    Moved,
    RulerStatus,
    check_ruler,
    find_moved_part,
    keep_check,
    record_anchors,
    ruler_tests,
)
from semscale.errors import InputError
from semscale.history.anchor_sets import AnchorPair, AnchorReadings, AnchorSet
from semscale.history.history import open_history
from semscale.history.stored_comparison import Outcome
from semscale.signature import Signature


class ScriptedRuler:
    """Gives the readings that it is told."""

    def __init__(self, values, *, rounding=1e-4, repeats=1, seed=7):
        self.values, self.rounding, self.repeats = values, rounding, repeats
        self.signature, self.scores = Signature.of("drift", seed=seed), ("match",)

    def readings(self, pairs, *, progress=None):
        return {"match": np.asarray(self.values, dtype=float)}


PAIRS = tuple(AnchorPair(str(i), f"The plug has {i} pins.", f"It has {i} pins.", i / 10) for i in range(10))
VALUES = np.linspace(0.1, 1.0, 10)


@pytest.fixture
def history(tmp_path):
    with open_history(tmp_path / "history.sqlite") as opened:
        record_anchors(opened, AnchorSet("exam", "pins", PAIRS), ScriptedRuler(VALUES))
        yield opened


def test_equal_readings_show_no_change(history):
    check = check_ruler(history, "exam", ScriptedRuler(VALUES))
    assert check.status is RulerStatus.KEPT
    # |reading - label| is .1 at every anchor
    assert check.errors["match"].value == pytest.approx(0.1)
    assert find_moved_part(Outcome.FAIL, check) is Moved.SYSTEM


def test_a_single_changed_reading_is_a_change(history):
    changed = VALUES.copy()
    changed[3] += 0.01  # .001 on average
    check = check_ruler(history, "exam", ScriptedRuler(changed))
    assert check.status is RulerStatus.MOVED
    assert check.tests[0].n_changed == 1
    assert check.tests[0].difference == pytest.approx(0.001)
    assert find_moved_part(Outcome.PASS, check) is Moved.RULER


def test_a_reading_that_is_missing_is_a_change(history):
    changed = np.where(np.arange(10) == 0, np.nan, VALUES)
    assert check_ruler(history, "exam", ScriptedRuler(changed)).has_moved


def test_other_settings_are_a_new_ruler(history):
    check = check_ruler(history, "exam", ScriptedRuler(VALUES, seed=8))
    assert check.status is RulerStatus.NEW
    assert check.declared == {"seed": ("7", "8")}


def test_a_new_reference_is_compared_from_then_on(history):
    recorded = record_anchors(history, AnchorSet("exam", "pins", PAIRS), ScriptedRuler(VALUES / 2))
    (anchors,) = history.anchors.sets("exam")
    assert (recorded.is_new, recorded.anchors.id) == (False, anchors.id)
    check = check_ruler(history, "exam", ScriptedRuler(VALUES / 2))
    assert check.status is RulerStatus.KEPT
    keep_check(history, check, "comparison")
    assert history.anchors.readings(anchors.id)[-1].comparison_id == "comparison"


def test_other_pairs_under_the_same_name_are_refused(history):
    other = AnchorSet("exam", "pins", (replace(PAIRS[0], output="None."), *PAIRS[1:]))
    with pytest.raises(InputError, match="never changes"):
        record_anchors(history, other, ScriptedRuler(VALUES))


def test_a_judge_with_noise_is_tested():
    rng = np.random.default_rng(0)
    true = rng.uniform(0.3, 0.7, size=60)

    def entry(shift=0.0):
        return {"judge": np.clip(true + shift + rng.normal(scale=0.1, size=60), 0, 1)}

    reference = [AnchorReadings("a", "exam", "s", entry(), "r", is_reference=True) for _ in range(8)]
    (same,) = ruler_tests(reference, entry(), None)
    (moved,) = ruler_tests(reference, entry(0.1), None)
    assert (same.has_moved, moved.has_moved) == (False, True)
    assert moved.difference == pytest.approx(0.1, abs=0.04)
