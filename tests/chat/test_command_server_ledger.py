"""``--ledger postgresql://...``: a server that is not there, one that goes away, and no password anywhere."""

import json
import socket

import pytest
from tests.support.ledger_server import on_database, way_to

from semscale.cli.options import option_arguments
from semscale.cli.shared import CallOptions

pytestmark = [pytest.mark.needs("api"), pytest.mark.needs("postgres")]


@pytest.fixture
def judged_with(semscale, judge_answers, judge_endpoint):
    """Judge the five answers, one call after the other, with a ledger."""
    columns = ("--prompt", "q", "--answer", "a", "--chat-model", "m", "--chat-url", judge_endpoint.url)
    return lambda ledger: semscale("judge", judge_answers, *columns, "--concurrency", "1", "--ledger", ledger)


def test_a_server_that_is_not_there(judged_with, judge_endpoint):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        ended = judged_with(f"postgresql://ana:s3cret@127.0.0.1:{port}/team")
    assert ended.code == 2
    assert ended.err.splitlines()[-1].endswith(
        f"ledger postgresql://ana@127.0.0.1:{port}/team cannot be used (Connection refused): check host, "
        "port and sslmode, and that the server is running"
    )
    assert "s3cret" not in ended.out + ended.err
    assert judge_endpoint.requests == []


@pytest.mark.exhaustive
def test_a_server_that_goes_away_amid_a_run_and_comes_back(
    judged_with, judge_endpoint, new_database, monkeypatch
):
    from semscale.chat import stored_calls

    monkeypatch.setattr(stored_calls, "LONGEST_OUTAGE", 0.2)
    address, usual = new_database(), judge_endpoint.fault
    with way_to(address) as way:

        def fault(prompt, n_asked):
            if len(judge_endpoint.requests) == 3:
                way.cut()
            return usual(prompt, n_asked)

        judge_endpoint.fault = fault
        ended = judged_with(way.address)
        assert ended.code == 3
        assert "was lost and could not be restored within 0.2 s" in ended.err
        assert "s3cret" not in ended.out + ended.err
        way.mend()
        # The third reply came when the server was away. Its run could not leave, and its lease ends now.
        assert on_database(address, "SELECT count(*) FROM semscale_attempts") == 2
        on_database(address, "UPDATE semscale_writers SET until = 0")
        judge_endpoint.fault = usual
        again = judged_with(way.address)
    assert again.code == 0, again.err
    sent = [json.dumps(asked["messages"]) for asked, _, _ in judge_endpoint.requests]
    assert {message for message in sent if sent.count(message) > 1} == {sent[2]}
    assert sent.count(sent[2]) == 2


def test_a_command_that_is_printed_has_no_password():
    arguments = option_arguments(CallOptions(ledger="postgresql://ana:s3cret@db/team?sslmode=require"))
    assert arguments == ["--ledger", "postgresql://ana@db/team"]
