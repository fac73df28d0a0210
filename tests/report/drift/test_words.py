"""Sentences about a decision carry the figures that decided, and never more."""

from dataclasses import replace

import pytest
from made_up import comparison
from made_up_drift import comparison_of, decision_about

from semscale.drift.gate.decision import DriftTest, GateDecision, Outcome, SequenceTest, ThresholdCheck
from semscale.drift.gate.drift_summary import DriftSummary
from semscale.drift.gate.settings import GateSettings
from semscale.report.drift_sentences import (
    beyond_chance_words,
    coverage_words,
    group_label,
    headline_words,
    is_untested,
    label,
    reading,
    result_words,
    sequence_words,
    untested_words,
)
from semscale.signature import Signature
from semscale.stats.intervals.means import MeanEstimate

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
