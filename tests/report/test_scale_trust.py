"""Reports on scales that probably do not measure their construct show no means, in all forms alike."""

import json
from dataclasses import replace

import pytest

from semscale.rating.expected import expected_correlation
from semscale.rating.label_progress import LabelProgress
from semscale.rating.summary import RatingSummaries
from semscale.report.markdown import markdown
from semscale.report.presenting import as_json
from semscale.report.scale_trust import trust_level
from semscale.report.terminal import print_document
from semscale.serving.tools import result_content
from semscale.spelling import as_option
from semscale.stats.intervals import Estimate

SENTENCE = "This scale probably does not measure “Quality” in these texts; label 50 texts to find out"


@pytest.fixture
def doubtful(make_summary):
    return replace(make_summary(groups=2), expected=expected_correlation(0.08, 300))


def terminal_text(summary, capsys):
    print_document(summary.document())
    return " ".join(capsys.readouterr().out.split())


def test_terminal_has_the_sentence_and_no_mean(doubtful, capsys):
    shown = terminal_text(doubtful, capsys)
    assert SENTENCE in shown
    assert "probably not measured" in shown
    assert "mean" not in shown.replace("Its means are not shown", "")
    assert "Region 1" not in shown


def test_page_has_the_sentence_and_neither_mean_nor_distribution(doubtful):
    text = markdown(doubtful.document())
    assert SENTENCE in text
    assert "Expected share of each point" not in text
    assert "Region 1" not in text


def test_json_and_agents_have_the_sentence_and_no_estimates(doubtful):
    numbers = json.loads(as_json(doubtful, as_option))
    assert numbers["warnings"][0].startswith(SENTENCE)
    assert "--show-anyway" in numbers["warnings"][0]
    assert numbers["estimates"] is None
    assert numbers["expected"]["is_doubtful"] is True
    content = result_content(None, doubtful)
    assert content["estimates"] == {}
    assert any(caution.startswith(SENTENCE) for caution in content["cautions"])


def test_means_are_shown_anyway_with_the_warning_and_its_advice(doubtful, capsys):
    shown = terminal_text(replace(doubtful, show_anyway=True), capsys)
    assert SENTENCE in shown
    assert "Do not use this mean until labels show what the scale measures." in shown
    assert "Region 1" in shown


@pytest.mark.parametrize(
    ("labels", "confirmed"),
    [(Estimate(0.5, 0.3, 0.7), True), (Estimate(0.2, 0.1, 0.3), False), (Estimate(0.4, -0.1, 0.7), False)],
)
def test_labels_confirm_a_scale_by_a_clear_correlation(doubtful, make_summary, labels, confirmed, capsys):
    compared = replace(make_summary(comparison=True).comparison, pearson=labels)
    summary = replace(doubtful, comparison=compared)
    assert summary.withholds_means is not confirmed
    shown = terminal_text(summary, capsys)
    assert (SENTENCE in shown) is not confirmed
    assert ("The labels so far do not show otherwise" in shown) is not confirmed


def test_a_scale_in_order_states_its_expected_correlation_before_any_label(make_summary, capsys):
    summary = replace(make_summary(), expected=expected_correlation(0.2, 300))
    # tanh(.48 + .65 * ln(.2 / .15)) = tanh(0.667); the ends are tanh(0.059) and tanh(1.275)
    assert "Expected correlation with people: 0.58 (0.06 to 0.86; 1 is perfect). No text" in terminal_text(
        summary, capsys
    )
    # Its interval contains .3, so nothing is proven; that of .35 begins at tanh(1.031 - 1.96 * .31) = .40
    assert trust_level(summary) == ("expected correlation 0.58 (0.06 to 0.86)", None)
    clear = replace(summary, expected=expected_correlation(0.35, 300))
    assert trust_level(clear)[1] == "pass"


@pytest.mark.parametrize(
    ("n", "r", "stated", "level"),
    [
        (
            12,
            Estimate(0.92, 0.56, 0.98),
            "agree with r = 0.92, at least 0.56; use the order of groups and texts; the level",
            "pass",
        ),
        (
            12,
            Estimate(0.4, 0.1, 0.7),
            "agree with r = 0.40, at least 0.10; label more texts before you use the order of",
            None,
        ),
        (
            12,
            Estimate(0.1, -0.1, 0.25),
            "correlate by r = 0.10 (−0.10 to 0.25); do not use the order of groups and texts",
            "warn",
        ),
        (9, Estimate(0.92, 0.56, 0.98), "", None),
    ],
)
def test_observed_agreement_takes_the_place_of_the_expected_one(make_summary, capsys, n, r, stated, level):
    rated = make_summary(comparison=True)
    progress = LabelProgress(n, r, 0.58, 0)
    compared = replace(rated.comparison, n=n, pearson=r, progress=progress)
    summary = replace(rated, comparison=compared, expected=expected_correlation(0.2, 300))
    shown = terminal_text(summary, capsys)
    facts = dict(summary.document().facts)
    assert trust_level(summary)[1] == level
    if n < 10:
        assert "ratings and labels" not in shown
        assert "Expected correlation with people" in facts
        return
    assert f"12 labelled texts: ratings and labels {stated}" in shown
    assert ("The labels do not show that this mean orders groups and texts." in shown) is (level != "pass")
    assert "the level (the corrected mean) is known to ± 0.58." in shown
    assert "Correlation with labels" in facts
    assert "Expected correlation with people" not in facts
    page = markdown(summary.document())
    assert "Without labels, a correlation of 0.58 (0.06 to 0.86) was expected." in page
    assert "Only labels of these texts show" not in page


def test_the_overview_of_several_texts_has_no_mean_of_a_doubtful_scale(doubtful, make_summary, capsys):
    summaries = RatingSummaries("answers.csv", {"why": make_summary(), "joke": doubtful})
    print_document(summaries.document())
    shown = " ".join(capsys.readouterr().out.split())
    assert "probably not measured" in shown
    assert f"joke: {SENTENCE}" in shown
