"""``semscale drift gate --notify``: who is told, when, and what."""

import json
from pathlib import Path

import pytest
from tests.report.made_up_gate import gate_of
from tests.schema_check import check_json

from semscale.cli.drift import webhook as webhooks
from semscale.cli.drift.options import NOTIFY_VARIABLE as VARIABLE
from semscale.cli.drift.options import NotifyOptions
from semscale.cli.drift.webhook import Webhook
from semscale.drift.decision import Outcome
from semscale.errors import InputError, ReplyError, StoppedByUserError

pytestmark = pytest.mark.exhaustive

EXAMPLES = Path(__file__).parents[4] / "examples" / "drift"
ID = "a1b2c3d4" * 4
ADDRESS = "https://hooks.example.org/services/T0SECRET"


@pytest.fixture
def sent(monkeypatch):
    """Messages that webhooks are sent, in order."""
    messages = []
    monkeypatch.setattr(Webhook, "post", lambda self, content: messages.append(content))
    for name in (VARIABLE, "GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID"):
        monkeypatch.delenv(name, raising=False)
    return messages


def summary_of(outcome):
    changes = {
        Outcome.PASS: {},
        Outcome.FAIL: {"silent": 2},
        Outcome.UNDECIDED: {"contradicted": 1, "reruns": 0},
    }
    summary = gate_of(12, **changes[outcome])
    assert summary.decision.outcome is outcome
    return summary


@pytest.mark.parametrize(
    ("when", "told"),
    [
        (None, {"fail", "undecided"}),
        ("undecided", {"fail", "undecided"}),
        ("fail", {"fail"}),
        ("always", {"fail", "undecided", "pass"}),
    ],
)
def test_it_is_sent_for_the_outcomes_that_are_asked_for(sent, when, told):
    for outcome in Outcome:
        NotifyOptions(notify=ADDRESS, notify_on=when).send(summary_of(outcome), ID)
    assert {json.loads(message)["outcome"] for message in sent} == told


def test_a_webhook_gets_what_json_prints(sent):
    NotifyOptions(notify=ADDRESS).send(summary_of(Outcome.FAIL), ID)
    check_json(sent[0])
    content = json.loads(sent[0])
    assert (content["candidate"]["model"], content["comparison"]) == ("model-b", ID)


def test_slack_gets_a_short_text_with_the_job(sent, monkeypatch):
    monkeypatch.setenv(VARIABLE, "https://hooks.slack.com/services/T0/B1/x")
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://github.com")
    monkeypatch.setenv("GITHUB_REPOSITORY", "ann/tutor")
    monkeypatch.setenv("GITHUB_RUN_ID", "7")
    NotifyOptions().send(summary_of(Outcome.FAIL), ID)
    (message,) = map(json.loads, sent)
    assert set(message) == {"text"}
    lines = message["text"].splitlines()
    assert lines[0].startswith("*Drift gate failed*: model-b compared with model-a, dataset ")
    assert lines[-1] == "<https://github.com/ann/tutor/actions/runs/7|Job>"


def test_nothing_is_sent_without_an_address(sent, monkeypatch):
    NotifyOptions().send(summary_of(Outcome.FAIL), ID)
    # Secrets are empty in pull requests from forks.
    monkeypatch.setenv(VARIABLE, "")
    empty = NotifyOptions(notify_on="always")
    empty.webhook()
    empty.send(summary_of(Outcome.FAIL), ID)
    assert sent == []


@pytest.mark.parametrize(
    ("options", "variable", "said"),
    [
        ({"notify": "T0SECRET"}, None, "--notify: the webhook must be an address"),
        ({}, "T0SECRET", "SEMSCALE_NOTIFY: the webhook must be an address"),
        ({"notify_on": "fail"}, None, "--notify-on belongs to --notify, or to SEMSCALE_NOTIFY"),
    ],
)
def test_what_cannot_be_used_is_refused_before_anything_is_measured(
    sent, monkeypatch, options, variable, said
):
    if variable:
        monkeypatch.setenv(VARIABLE, variable)
    with pytest.raises(InputError, match=said) as raised:
        NotifyOptions(**options).webhook()
    assert "T0SECRET" not in str(raised.value)


def test_a_stop_while_sending_says_what_is_kept(sent, monkeypatch):
    def stop(self, content):
        raise KeyboardInterrupt

    monkeypatch.setattr(Webhook, "post", stop)
    with pytest.raises(StoppedByUserError, match="stopped; the comparison is stored"):
        NotifyOptions(notify=ADDRESS).send(summary_of(Outcome.FAIL), ID)


def test_a_webhook_that_fails_is_said_in_one_line_and_changes_no_exit_code(semscale, monkeypatch):
    def refuse(self, content):
        raise ReplyError("it answered 404, Not Found")

    monkeypatch.setattr(Webhook, "post", refuse)
    monkeypatch.setattr(webhooks, "_SLACK", ("hooks.example.org",))
    base = ("drift", "record", EXAMPLES / "baseline.jsonl", "--model", "model-a", "--dataset", "feedback")
    assert semscale(*base).code == 0
    assert semscale("drift", "approve", "latest", "--approved-by", "Ann", "--why", "read them").code == 0
    new = (
        EXAMPLES / "candidate_bad.jsonl",
        "--model",
        "model-b",
        "--notify",
        ADDRESS,
    )
    ended = semscale("drift", "gate", *new)
    assert ended.code == 1, ended.err
    warned = (
        "semscale: warning: could not notify the webhook: it answered 404, Not Found; the decision stands"
    )
    assert warned in ended.err.splitlines()
    assert "T0SECRET" not in ended.out + ended.err
