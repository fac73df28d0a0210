"""A decision as a message in Slack."""

from dataclasses import replace

from made_up_drift import comparison_of, decision_about

from semscale.drift.gate.decision import Outcome
from semscale.drift.gate.drift_summary import DriftSummary
from semscale.report.ci import slack_message


def message_about(compared, outcome, **settings):
    decision = replace(decision_about(compared), outcome=outcome)
    return slack_message(DriftSummary(compared, decision), decision, **settings)


def test_the_outcome_comes_first_and_then_what_decided():
    first, second, third = message_about(comparison_of(12), Outcome.UNDECIDED).splitlines()
    assert first.startswith("*Drift gate undecided*: model-b against model-a, dataset ")
    assert second
    assert third


def test_it_says_what_to_do_next_before_the_figures():
    compared = comparison_of(12)
    decision = replace(decision_about(compared), outcome=Outcome.PASS)
    _, second, _ = slack_message(DriftSummary(compared, decision), decision).splitlines()
    assert second.startswith("Nothing to do: every metric's drift lies below its margin")


def test_no_text_of_an_output_is_in_it():
    compared = comparison_of(12, groups=0)
    text = next(item.outputs[0].text for item in compared.baseline.items if item.outputs)
    assert text not in message_about(compared, Outcome.FAIL)


def test_names_cannot_mention_a_channel_or_begin_a_line():
    compared = comparison_of(12)
    hostile = replace(compared.candidate, model="<!channel>\n&*x*")
    first = message_about(replace(compared, candidate=hostile), Outcome.FAIL).splitlines()[0]
    assert "&lt;!channel&gt; &amp;*x* against" in first


def test_a_link_leads_to_the_job():
    last = message_about(comparison_of(12), Outcome.FAIL, link="https://a/b?c=1&d=2").splitlines()[-1]
    assert last == "<https://a/b?c=1&amp;d=2|Job>"
