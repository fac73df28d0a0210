"""The page of drift: runs, the reasons of a gate, and decisions, which are entries of the history."""

import re

import pytest
from tests.support.reviewed_history import BASELINE, FAILED, PASSED, write_history
from tests.workbench.conftest import message_in

from semscale.drift.approving import reject
from semscale.history import HISTORY_FILE
from semscale.history.history import open_history

DECISION = {"by": "Ann", "why": "equally good", "span": "30d", "act": "approve"}


@pytest.fixture
def place(folder):
    write_history(folder / HISTORY_FILE, text="<b>")
    return folder / HISTORY_FILE


def form_of(page):
    """Return the hidden fields of the form that decides."""
    return dict(
        re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page[page.index('class="decide"') :])
    )


def test_a_folder_without_runs_says_how_to_record_one(browser):
    assert "semscale drift record" in browser.get("/drift")
    assert "semscale drift record" in browser.get(f"/drift/run?run={FAILED}")


def test_the_list_leads_to_each_run(browser, place):
    page = browser.get("/drift")
    found = re.findall(r'href="(/drift/run\?run=\w+)"', page)
    assert found == [f"/drift/run?run={run}" for run in (PASSED, FAILED, BASELINE)]
    assert "<b>model" not in page
    assert '&lt;b&gt;model-c</bdi>, <b class="flag pass">passed</b>. No drift was found.' in page
    assert "Baseline &lt;b&gt;model-a (bbbbbbbb), approved by &lt;b&gt;Ann" in page
    assert "is worse than the baseline" in browser.get(found[1])


def test_a_run_is_approved_and_the_history_has_the_decision(browser, place):
    page = browser.get(f"/drift/run?run={PASSED}")
    page = browser.change("/drift/decide", {**form_of(page), **DECISION})
    assert "This run is the baseline" in page
    with open_history(place) as history:
        run, approval = history.baseline("feedback")
    assert (run.id, approval.by, approval.why) == (PASSED, "Ann", "equally good")
    assert (approval.expires - approval.approved).days == 30


def test_a_passed_run_without_a_decision_leads_to_one(browser, place):
    next_step = f'<a class="button main" href="/drift/run?run={PASSED}#decide">Approve or reject it</a>'
    assert next_step in browser.get("/drift")
    page = browser.get(f"/drift/run?run={PASSED}")
    browser.change("/drift/decide", {**form_of(page), **DECISION, "act": "reject"})
    assert next_step not in browser.get("/drift")


def test_the_form_states_that_a_run_has_no_reruns(browser, place):
    assert "This run has no rerun" in browser.get(f"/drift/run?run={PASSED}")
    assert "This run has no rerun" not in browser.get(f"/drift/run?run={BASELINE}")


def test_a_reason_that_ends_with_a_full_stop_gets_no_second_one(browser, place):
    page = browser.get(f"/drift/run?run={FAILED}")
    page = browser.change("/drift/decide", {**form_of(page), **DECISION, "why": "new prices."})
    assert "new prices." in page
    assert "new prices.." not in page


def test_a_day_counts_until_its_end_and_no_end_is_none(browser, place):
    page = browser.get(f"/drift/run?run={PASSED}")
    page = browser.change("/drift/decide", {**form_of(page), **DECISION, "until": "2099-12-31"})
    assert "through 2099-12-31" in page
    assert "2100-01-01" not in page
    browser.change("/drift/decide", {**form_of(page), **DECISION, "span": "none", "act": "reject"})
    with open_history(place) as history:
        approval, rejection = history.decisions("feedback")[-2:]
    assert (f"{approval.expires:%Y-%m-%d %H:%M}", rejection.expires) == ("2100-01-01 00:00", None)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"why": " "}, "why must not be empty"),
        ({"by": ""}, "by must not be empty"),
        ({"act": ""}, "choose Approve or Reject"),
        ({"until": "2001-01-01"}, "the last day, 2001-01-01, has passed"),
        ({"until": "soon"}, "the last day must be a date"),
    ],
)
def test_a_decision_with_a_mistake_keeps_what_was_typed(browser, place, changed, reason):
    page = browser.get(f"/drift/run?run={PASSED}")
    answer = browser.post("/drift/decide", {**form_of(page), **DECISION, "why": "long <i>reason", **changed})
    assert answer.status_code == 422
    assert reason in message_in(answer)
    assert "why" in changed or "long &lt;i&gt;reason</textarea>" in answer.text
    with open_history(place) as history:
        assert len(history.decisions("feedback")) == 1


def test_a_decision_is_refused_if_somebody_decided_meanwhile(browser, place):
    page = browser.get(f"/drift/run?run={PASSED}")
    with open_history(place) as history:
        reject(history, history.run(PASSED), "Bo", "rude")
    answer = browser.post("/drift/decide", {**form_of(page), **DECISION})
    assert answer.status_code == 409
    assert "Rejected by Bo: “rude”" in message_in(answer)
    with open_history(place) as history:
        assert len(history.decisions("feedback")) == 2


def test_a_run_that_does_not_exist_is_a_sentence(browser, place):
    assert "Unknown run" in browser.get("/drift/run?run=ffffffff")
