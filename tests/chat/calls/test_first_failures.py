"""A model that fails every call from the first one on in the same way ends a run soon, and says why."""

import pytest
from endpoint import completion
from made_up_requests import requests

from semscale.chat.messages import CallError, FailureKind
from semscale.chat.pacing import FirstFailures, Limits
from semscale.errors import ReplyError

PAGE = CallError("m answered with text that is no JSON", kind=FailureKind.MALFORMED)
REJECTED = CallError("m: no such field", kind=FailureKind.REJECTED)


def told(failures, kinds):
    return [failures.are_all_alike(*each) for each in kinds]


def test_a_page_counts_after_four_repetitions_of_one_call():
    failures = FirstFailures(has_replies=False)
    assert told(failures, [(PAGE, n) for n in range(5)]) == [False, False, False, False, True]


def test_what_is_not_repeated_counts_after_twenty_calls():
    failures = FirstFailures(has_replies=False)
    assert told(failures, [(REJECTED, 0)] * 20) == [False] * 19 + [True]


@pytest.mark.parametrize(
    "other",
    [
        CallError("m: the text is too long", kind=FailureKind.REJECTED),
        CallError("m refused", kind=FailureKind.REFUSED),
        CallError("m did not answer in time", kind=FailureKind.TIMEOUT),
    ],
)
def test_another_failure_among_them_lets_the_run_go_on(other):
    failures = FirstFailures(has_replies=False)
    assert not any(told(failures, [(REJECTED, 0), (other, 0), *[(REJECTED, 0)] * 30]))


def test_after_a_reply_no_failures_end_the_run():
    assert not any(told(FirstFailures(has_replies=True), [(PAGE, n) for n in range(9)]))
    failures = FirstFailures(has_replies=False)
    failures.note_reply()
    assert not any(told(failures, [(PAGE, n) for n in range(9)]))


@pytest.mark.needs("api")
def test_an_endpoint_that_answers_with_a_page(runner, endpoint, fake):
    endpoint.fault = lambda prompt, n_asked: (200, b"<html>login</html>")
    said = (
        r"no call brought a usable reply, and the first 5 failed alike: m answered with text that is no "
        r"JSON: '<html>login</html>'; check the endpoint's address"
    )
    with pytest.raises(ReplyError, match=said):
        runner(limits=Limits(concurrency=1)).run(requests(100))
    assert len(endpoint.requests) == 5
    assert fake.time == 7.5  # .5 + 1 + 2 + 4 seconds of waiting between five calls


@pytest.mark.needs("api")
def test_an_endpoint_whose_replies_have_no_text(runner, endpoint):
    endpoint.fault = lambda prompt, n_asked: (200, completion(None, finish_reason="length"))
    with pytest.raises(ReplyError, match="the first 20 failed alike: m answered without .* too small"):
        runner(limits=Limits(concurrency=1)).run(requests(100))
    assert len(endpoint.requests) == 20


@pytest.mark.needs("api")
def test_an_endpoint_that_rejects_every_request(runner, endpoint):
    endpoint.fault = lambda prompt, n_asked: (422, {"error": {"message": "no such field"}})
    with pytest.raises(ReplyError, match="the first 20 failed alike: m: Error code: 422"):
        runner(limits=Limits(concurrency=1)).run(requests(100))
    assert len(endpoint.requests) == 20
