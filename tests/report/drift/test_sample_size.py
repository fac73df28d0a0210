from dataclasses import replace

import numpy as np
import pytest
from made_up import comparison, spread_out
from made_up_drift import comparison_of, decision_about

from semscale.drift.gate.decision import Outcome
from semscale.drift.gate.drift_summary import DriftSummary
from semscale.drift.gate.gate import decide
from semscale.drift.gate.settings import GateSettings
from semscale.drift.nights.night_drifts import EarlierNights
from semscale.drift.sizing.forecast import SizeForecast
from semscale.report.ci import job_summary
from semscale.report.drift import drift_document
from semscale.report.drift_sentences import (
    forecast_words,
    headline_words,
    needed_words,
    noise_words,
    unvaried_words,
)
from semscale.report.html import page
from semscale.report.markdown import markdown

ALIKE = np.zeros(30)
ONE_MISSING = np.array([0.0] * 29 + [np.nan])


def said_of(**losses):
    said = unvaried_words(DriftSummary(comparison(losses)))
    return (said or "").replace("\N{NO-BREAK SPACE}", " ")


def test_what_no_item_did_may_still_be_done_by_some():
    # Of 30 items none: 1 - .05 ** (1 / 30) = 9.5 %.
    said = said_of(match=spread_out(0.15), silence=ALIKE)
    assert said == (
        "All 30 items are alike in silence; up to 9.5 % of items like these may differ all the same "
        "(95 % confidence)."
    )


def test_several_metrics_make_one_sentence():
    said = said_of(silence=ALIKE, output_count=ONE_MISSING)
    # The fewer items leave more open: 1 - .05 ** (1 / 29) = 9.8 %.
    assert said.startswith(
        "All 30 items are alike in silence, all 29 that have a value in number of outputs; up to 9.8 %"
    )
    said = said_of(silence=ALIKE, output_count=ALIKE)
    assert said.startswith("All 30 items are alike in silence and number of outputs; up to 9.5 %")


def test_nothing_is_said_of_what_varies_or_has_no_value():
    nothing = DriftSummary(comparison({"match": spread_out(0.15), "silence": np.full(30, np.nan)}))
    assert unvaried_words(nothing) is None


def test_page_and_summary_say_it(read_page):
    still = comparison_of(30, silent=0, left_out=0)
    decision = decision_about(still)
    found = "the gate goes by the drift itself, from 10 items on."
    assert found in read_page(page(drift_document(DriftSummary(still, decision)))).text
    assert found in markdown(job_summary(DriftSummary(still, decision), decision))


def undecided_words(losses):
    made = comparison({"match": losses})
    return headline_words(DriftSummary(made, decide(made, GateSettings(replicates=500))))


def test_an_undecided_gate_of_few_items_says_how_many_it_takes():
    said = undecided_words([0.0] * 3)
    assert said.endswith("A test takes at least 10 items to pass, and here are 3: add at least 7.")


def test_one_item_has_no_mean_and_spread_to_go_by():
    said = undecided_words([0.02])
    assert "add at least 9" in said
    assert "spread" not in said
    assert "hardly" not in said


def test_more_items_than_the_fewest_are_said_too():
    # Mean .025, sd .0274, margin .05: t(.95, n - 1) * .0274 / sqrt(n) < .025 from n = 6 on, so 10 is enough.
    assert "stayed as they are" not in undecided_words([0.0, 0.05] * 3)
    # Mean .04, sd .04276, gap .01: t(.95, 51) * .04276 / sqrt(52) = .00993; with 51 items it is .01003.
    said = undecided_words([0.0, 0.08] * 4)
    assert "add at least 2. About 52 items would decide it if mean and spread stayed as they are." in said


def test_a_number_of_items_that_nobody_gathers_is_said_in_words():
    found = comparison({"match": [1.0, 1.0] + [0.0] * 18}, reruns=[{"match": [0.0] * 20}])
    (test,) = decide(found, GateSettings(replicates=200, metrics=("match",))).tests
    far, near = (
        replace(test, n_needed=n, reruns_needed=None) for n in (2_001, 2_000)
    )  # 100 times 20 items are 2,000
    assert needed_words([far], over_runs=False, n_items=20, reruns=1) == (
        "More items than this dataset can give would be needed: over 100 times its 20 items"
    )
    assert needed_words([near], over_runs=False, n_items=20, reruns=1).startswith(
        "About 2,000 items would decide it"
    )


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (
            SizeForecast(30, 1, 80, 2),
            "2 more reruns of the baseline (60 answers) or about 80 items (150 more answers)",
        ),
        (
            SizeForecast(30, 1, 40, 2),
            "About 40 items (30 more answers) or 2 more reruns of the baseline (60 answers)",
        ),
        (SizeForecast(30, 3, 1_200, None), "About 1,200 items (5,850 more answers)"),
    ],
)
def test_the_cheaper_way_is_said_first(found, words):
    assert forecast_words(found) == f"{words} would decide it in 80 % of simulated comparisons"


def test_where_neither_would_do_it_is_said():
    assert forecast_words(SizeForecast(30, 1, None, None)) == (
        "Neither 10 more reruns nor 100 times as many items would decide it in most simulated comparisons"
    )


@pytest.mark.parametrize(
    ("worth", "said"),
    [
        (
            (1.26, 1.26),
            "1 rerun here; 14 earlier runs of model-a count as 1.3 reruns more",
        ),
        (
            (0.0, 1.26),
            "1 rerun here; 14 earlier runs of model-a count as 0.0 to 1.3 reruns more, by metric (undecided: "
            "match 0.0, length 1.3)",
        ),
        (
            (0.0, 0.04),
            "1 rerun here; 14 earlier runs of model-a do not count, as their noise differs too much, among "
            "them or from that of this run",
        ),
    ],
)
def test_the_noise_of_nights_is_said_in_reruns(worth, said):
    made = comparison({"match": [0.1] * 12, "length": [0.1] * 12})
    decision = decide(made, GateSettings(replicates=100, metrics=("match", "length")))
    tests = tuple(
        replace(test, nights_as_reruns=one) for test, one in zip(decision.tests, worth, strict=True)
    )
    assert noise_words(replace(decision, tests=tests, nights=EarlierNights(n=14)), "model-a", 1) == said


@pytest.mark.parametrize(
    ("n", "said"), [(1, "1 earlier run of model-a does not"), (4, "4 earlier runs of model-a do not")]
)
def test_too_few_nights_do_not_count_yet(n, said):
    decision = decide(comparison({"match": [0.1] * 12}), GateSettings(replicates=100, metrics=("match",)))
    words = noise_words(replace(decision, nights=EarlierNights(n=n)), "model-a", 1)
    assert words == f"1 rerun here; {said} count yet, as it takes at least 5"


def test_the_noise_of_undecided_metrics_is_named():
    made = comparison({"match": [0.1] * 12, "length": [0.1] * 12})
    decision = decide(made, GateSettings(replicates=100, metrics=("match", "length")))
    match, length = decision.tests
    tests = (
        replace(match, nights_as_reruns=1.2, outcome=Outcome.PASS),
        replace(length, nights_as_reruns=0.0, outcome=Outcome.UNDECIDED),
    )
    words = noise_words(replace(decision, tests=tests, nights=EarlierNights(n=6)), "model-a", 1)
    assert words.endswith("count as 0.0 to 1.2 reruns more, by metric (undecided: length 0.0)")


def test_the_noise_of_nights_stands_among_notes_and_settings():
    made = comparison_of()
    plain = decision_about(made)
    told = drift_document(DriftSummary(made, replace(plain, nights=EarlierNights(n=14))))
    said = f"2 reruns here; 14 earlier runs of {made.baseline.model} do not count"
    assert any(note.startswith(f"noise: {said}") for note in told.notes)
    assert str(dict(told.settings)["Noise"]).startswith(said)
    decision = replace(plain, nights=EarlierNights(n=14))
    assert f"Noise: {said}" in markdown(job_summary(DriftSummary(made, decision), decision))
    alone = drift_document(DriftSummary(made, plain))
    assert not any(note.startswith("noise") for note in alone.notes)
    assert "Noise" not in dict(alone.settings)
