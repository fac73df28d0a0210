"""Settings of a gate that do not suit a baseline are refused before anything is measured."""

import pytest
from made_up import run

from semscale.drift.gate.check import check_gate
from semscale.drift.gate.settings import GateSettings
from semscale.errors import InputError, UnknownNameError

BASELINE = run(2, groups={"topic": ["x", "y"]})


def test_settings_that_suit_the_baseline_pass():
    settings = GateSettings(
        by=("topic",), metrics=("match", "credits_difference"), thresholds={"max_avg_credit_drift": 0.5}
    )
    check_gate(BASELINE, settings)


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"by": ("topc",)}, UnknownNameError, "'topc'"),
        ({"metrics": ("mach",)}, UnknownNameError, "'mach'"),
        ({"metrics": ("points_difference",)}, InputError, "'points'"),
        ({"material": {"mach": 0.1}}, UnknownNameError, "'mach'"),
        # Every output has one credit, so that a credit is all that can be missed.
        ({"material": {"credits_difference": 1.0}}, InputError, "credits_difference must lie below 1, the"),
        ({"thresholds": {"min_mach": 0.5}}, UnknownNameError, "'min_mach'"),
        ({"thresholds": {"min_match": 0.9, "max_match": 0.5}}, InputError, "contradict"),
        ({"thresholds": {"min_match": 1.5}}, InputError, "min_match"),
    ],
)
def test_settings_that_do_not_are_refused(settings, error, words):
    with pytest.raises(error, match=words):
        check_gate(BASELINE, GateSettings(**settings))
