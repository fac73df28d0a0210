"""Metrics that a gate tests, their margins, and names that do not fit."""

import pytest
from made_up import comparison

from semscale.drift.gate.metric_choice import check_measured, chosen_metrics, margins, missing_field
from semscale.drift.gate.settings import GateSettings
from semscale.errors import InputError, UnknownNameError

COMPARED = comparison({"match": [0.1], "cosine": [0.1], "length": [0.1], "credits_difference": [0.5]})


def test_usual_metrics_and_fields_are_tested_by_default():
    assert chosen_metrics(COMPARED, GateSettings()) == ("match", "credits_difference")


def test_others_are_tested_if_they_are_named():
    assert chosen_metrics(COMPARED, GateSettings(metrics=("cosine", "length"))) == ("cosine", "length")


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"metrics": ("mtch",)}, UnknownNameError, "did you mean 'match'"),
        ({"metrics": ("silence",)}, InputError, "metrics asks for silence, which was not measured"),
        (
            {"metrics": ("points_difference",)},
            InputError,
            "needs the numeric field 'points'.*there is credits",
        ),
        ({"material": {"match": 1.0}}, InputError, "material, match must lie below 1"),
        ({"material": {"silence": 0.1}}, InputError, "material asks for silence"),
    ],
)
def test_names_and_margins_that_do_not_fit(settings, error, words):
    with pytest.raises(error, match=words):
        chosen_metrics(COMPARED, GateSettings(**settings))


def test_nothing_usual_was_measured():
    with pytest.raises(InputError, match="none was measured: name metrics out of cosine"):
        chosen_metrics(comparison({"cosine": [0.1]}), GateSettings())


def test_a_measured_metric_is_let_through():
    assert check_measured(COMPARED, "cosine", "metrics") is None


def test_runs_without_any_field():
    error = missing_field(comparison({"match": [0.1]}), "credits", "max_avg_credit_drift")
    assert "there is no numeric field: record runs with it" in str(error)


def test_margins_are_the_greater_share_unless_one_is_set():
    compared = comparison(
        {"match": [0.1, 0.1], "credits_difference": [0.5, 0.5]},
        reruns=[{"match": [0.3, 0.1], "credits_difference": [0.0, 0.0]}],
    )
    # The noise of match is sqrt((.09 + .01) / 2), half of it more than .05; credits have .05 of 2.5.
    found = margins(compared, GateSettings(), ("match", "credits_difference"))
    assert found["match"] == pytest.approx(0.5 * 0.05**0.5)
    assert found["credits_difference"] == pytest.approx(0.125)
    assert margins(compared, GateSettings(material={"match": 0.2}), ("match",)) == {"match": 0.2}


def test_a_similarity_of_a_narrow_band_has_a_margin_to_match():
    narrow = comparison(
        {"match": [0.1], "bertscore_f1": [0.1], "length": [0.1]},
        floors={"match": 0.9, "bertscore_f1": 0.2, "length": 0.2},
    )
    found = margins(narrow, GateSettings(), ("match", "bertscore_f1", "length"))
    # Unrelated texts lose .2 of F1 at most, so that .05 would be a quarter of it: .05 x 2 x .2 = .02.
    assert found == pytest.approx({"match": 0.05, "bertscore_f1": 0.02, "length": 0.05})
