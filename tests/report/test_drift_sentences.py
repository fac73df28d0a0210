"""Sentences about drift: what decided, and how many items would decide."""

from dataclasses import replace

import numpy as np
import pytest
from made_up import comparison, spread_out
from made_up_drift import comparison_of, decision_about

from semscale.drift.gate.decision import DriftTest, GateDecision, Outcome, SequenceTest, ThresholdCheck
from semscale.drift.gate.drift_summary import DriftSummary
from semscale.drift.gate.gate import decide
from semscale.drift.gate.settings import GateSettings
from semscale.drift.nights.night_drifts import EarlierNights
from semscale.drift.sizing.forecast import SizeForecast
from semscale.report.ci import job_summary
from semscale.report.drift import drift_document
from semscale.report.drift_sentences import (
    beyond_chance_words,
    coverage_words,
    forecast_words,
    group_label,
    headline_words,
    is_untested,
    label,
    needed_words,
    noise_words,
    reading,
    result_words,
    sequence_words,
    untested_words,
    unvaried_words,
)
from semscale.report.html import page
from semscale.report.markdown import markdown
from semscale.signature import Signature
from semscale.stats.intervals import MeanEstimate

NAN = float("nan")


SETTINGS = GateSettings(interval=0.9)


COMPARED = comparison({"match": [0.1, 0.2], "cosine": [0.0, 0.1]})


def one_test(outcome, drift, **settings):
    plain = {"metric": "match", "group": None, "half": 0.01, "n": 30, "needed": None}
    metric, group, half, n, needed = (plain | settings).values()
    mean = MeanEstimate(drift, drift - half, drift + half, n, 0, n, "bootstrap")
    is_material = drift >= 0.05
    return DriftTest(
        metric,
        group,
        drift,
        mean,
        None,
        0.05,
        0.01,
        0.02,
        outcome is Outcome.FAIL,
        is_material,
        outcome,
        needed,
    )


def decided(*tests, thresholds=(), outcome=None):
    return GateDecision(
        outcome or tests[0].outcome, tuple(tests), thresholds, (), (), Signature.of("gate"), SETTINGS
    )


def about(decision):
    return DriftSummary(COMPARED, decision)


def test_a_failure_names_the_gravest_first_overall_before_groups():
    decision = decided(
        one_test(Outcome.FAIL, 0.06, metric="cosine"),
        one_test(Outcome.FAIL, 0.3, group=("topic", "a")),
        one_test(Outcome.FAIL, 0.1),
    )
    said = reading(about(decision))
    assert said[0] == "Match drifted by +0.100 [0.090, 0.110], margin 0.050 (p = 0.020, 30 items)."
    assert said[1] == "Also beyond chance and margin: cosine, match in topic a."


def test_a_failure_by_a_threshold_alone_names_the_threshold():
    check = ThresholdCheck("min_match", "match", 0.8, NAN, passed=False)
    decision = decided(one_test(Outcome.PASS, 0.0), thresholds=(check,), outcome=Outcome.FAIL)
    assert reading(about(decision)) == ("min_match: no value where the limit is 0.800.",)


def test_an_undecided_gate_says_what_would_decide_or_that_nothing_would():
    one = one_test(Outcome.UNDECIDED, 0.04, half=0.03, needed=81)
    assert headline_words(about(decided(one))) == (
        "Match drifted by +0.040 [0.010, 0.070], margin 0.050 (p = 0.020, 30 items), so it may or may not "
        "have become worse. About 81 items would decide it if mean and spread stayed as they are."
    )
    open_end = headline_words(about(decided(replace(one, n_needed=None))))
    assert "More items like these would hardly decide it." in open_end


def test_a_p_value_of_many_runs_is_said_to_be_one():
    # A single bad run after good ones: much drift, and no evidence over all of them.
    runs = SequenceTest("match", (0.1, 0.1, 0.5), 0.15, (1.0, 1.0, 1.0), 1.0, is_significant=False)
    one = one_test(Outcome.UNDECIDED, 0.4, half=0.03)
    said = headline_words(about(replace(decided(one), sequence=(runs,))))
    assert "(over 3 runs p = 0.020, 30 items)" in said
    assert "All runs against this baseline decide what is beyond chance, good ones among them" in said
    assert "for one bad run by itself set a threshold" in said
    of_group = one_test(Outcome.UNDECIDED, 0.4, group=("topic", "a"))
    summary = about(replace(decided(of_group), sequence=(runs,)))
    assert "margin 0.050 (p = 0.020, 30 items)" in result_words(summary, of_group)


def test_a_loss_over_runs_says_since_when_it_is_beyond_chance():
    # Evidence of 4 / .05 = 80 is needed for one metric; of two metrics Holm's factor is 2, so 160: run 4.
    losses, evidence = (0.0, 0.0, 0.2, 0.3, 0.5), (1.0, 1.0, 90.0, 170.0, 400.0)
    alone = SequenceTest("match", losses, 0.25, evidence, 0.01, is_significant=True)
    of_two = replace(alone, p_adjusted=0.02)
    decision = decided(one_test(Outcome.UNDECIDED, 0.4))
    assert beyond_chance_words(alone, decision) == "beyond chance since run 3"
    assert beyond_chance_words(of_two, decision) == "beyond chance since run 4"
    assert sequence_words(of_two, decision).startswith(
        "match over 5 runs: the loss, 0.200 on average and 0.500 in the latest run, where 0.250 is allowed, "
        "is beyond chance since run 4 "
    )


def test_a_test_that_cannot_be_significant_is_called_untested():
    # Two items of 30 differ, with one rerun: p = (1/3)**2 / 2 = .056. Of 6 tests Holm gives .33 at most, so
    # that 1 means that the test was left out.
    out = replace(one_test(Outcome.UNDECIDED, 0.067), p_value=0.056, p_adjusted=1.0)
    decision = decided(out, *[one_test(Outcome.PASS, 0.0) for _ in range(5)])
    assert is_untested(decision, out)
    assert untested_words(about(decision)) == "Too few items differ to test match."
    assert "(too few items differ to be tested, 30 items)" in result_words(about(decision), out)
    by_chance = replace(out, p_value=0.3)  # 6 times .3 is 1 after Holm
    assert not is_untested(decided(by_chance, *decision.tests[1:]), by_chance)
    assert untested_words(about(decided(by_chance, *decision.tests[1:]))) is None


def test_a_group_is_untested_by_itself_or_with_its_metric():
    overall = replace(one_test(Outcome.PASS, 0.0), p_value=0.01, p_adjusted=0.01)
    groups = [one_test(Outcome.UNDECIDED, 0.1, group=("topic", name)) for name in "ab"]
    few = replace(groups[0], p_value=0.1, p_adjusted=1.0)  # Holm: .2 at most
    assert is_untested(decided(overall, few, groups[1], outcome=Outcome.PASS), few)
    unlike = replace(overall, p_value=1.0, p_adjusted=1.0)  # the group has its metric's p-value
    assert not is_untested(decided(unlike, few, groups[1], outcome=Outcome.PASS), few)


def test_an_undecided_gate_ends_with_the_first_lines_remedy():
    # More items are needed than 16 can grow to, so that the first line names those that changed or a rerun.
    one = one_test(Outcome.UNDECIDED, 0.049, needed=751_349)
    runs = SequenceTest("match", (0.1, 0.1), 0.15, (1.0, 1.0), 1.0, is_significant=False)
    for loss, said in ((0.4, "look at 'item-1'"), (0.06, "record one more rerun of the baseline")):
        compared = comparison({"match": [0.0, loss] * 8}, reruns=[{"match": [0.0, 0.05] * 8}])
        summary = DriftSummary(compared, replace(decided(one), sequence=(runs,)))  # so that none is simulated
        remedy = summary.next_step.partition(": ")[2]
        assert remedy.startswith(said)
        assert "More items than this dataset can give" in reading(summary)[-2]
        assert reading(summary)[-1] == f"{remedy[0].upper()}{remedy[1:]}."


def test_a_pass_names_what_leaves_least_room_and_undecided_groups():
    decision = decided(
        one_test(Outcome.PASS, 0.0, metric="cosine"),  # high .01 of .05
        one_test(Outcome.PASS, -0.02, half=0.06),  # high .04 of .05
        one_test(Outcome.UNDECIDED, 0.04, group=("topic", "b")),
        outcome=Outcome.PASS,
    )
    said = reading(about(decision))
    assert said[:2] == (
        "Every metric's drift lies below its margin.",
        "Closest to its margin: match drifted by −0.020 [−0.080, 0.040], margin 0.050 (p = 0.020, 30 items).",
    )
    assert said[2] == "Not decided, having few items: match in topic b."


def test_a_drift_beyond_its_margin_that_passes_is_within_the_noise_in_both_first_sentences():
    # .06 to .08 is beyond the margin .05, and below the tolerance .1, by which it passed.
    noisy = replace(one_test(Outcome.PASS, 0.06, half=0.02), tolerance=0.1)
    summary = about(decided(noisy, one_test(Outcome.PASS, 0.0, metric="cosine"), outcome=Outcome.PASS))
    said = "very metric's drift lies below its margin or within the noise"
    assert reading(summary)[0] == f"E{said}."
    assert summary.next_step == f"Nothing to do: e{said}, and every limit holds"


def test_many_names_are_cut_and_counted():
    tests = [one_test(Outcome.FAIL, 0.1, group=("topic", str(place))) for place in range(9)]
    assert reading(about(decided(*tests)))[1].endswith("match in topic 3 and 5 more.")


def test_what_has_no_value_is_said_so():
    one = one_test(Outcome.UNDECIDED, NAN, n=0)
    assert result_words(about(decided(one)), one) == "match has no value (0 items)"
    assert one.urgency > one_test(Outcome.UNDECIDED, 0.01).urgency


def test_intervals_are_named_as_the_gate_was_set():
    # The signature does not say so: the decision keeps its settings.
    assert coverage_words(about(decided(one_test(Outcome.PASS, 0.0)))) == "90 %"
    assert coverage_words(about(None)) == "95 %"


@pytest.mark.parametrize(
    ("group", "label"),
    [
        (("topic", ""), "topic (blank)"),
        (("topic", "a\nb"), "topic a b"),
        (("t", "x" * 99), "t " + "x" * 60 + "…"),
    ],
)
def test_groups_are_named_on_one_line_and_cut(group, label):
    assert group_label(group) == label


def test_every_metric_of_a_comparison_has_a_label_without_underscores():
    assert not any("_" in label(metric) for metric in comparison_of(2).metrics.values())


def test_every_outcome_makes_whole_sentences():
    compared = comparison_of(30)
    for share in (0.01, 0.1, 0.9):
        for sentence in reading(DriftSummary(compared, decision_about(compared, share=share))):
            assert sentence.endswith(".")
            assert not sentence.endswith("..")


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
