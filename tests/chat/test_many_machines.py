"""Eight processes, as on eight machines, share a ledger on a server; one is killed amid its calls."""

import os
import signal
import threading
import time
from collections import Counter

import pytest
from tests.support.sharing_machines import FORKED, ask, machines

pytestmark = [
    pytest.mark.needs("api"),
    pytest.mark.needs("postgres"),
    pytest.mark.skipif(FORKED is None, reason="there is no fork"),
]

COUNT, CONCURRENCY, SURVIVORS, ANSWERED = 100, 4, 7, 6
PROMPTS = [f"question {number}" for number in range(COUNT)]
HOLDERS = "SELECT count(DISTINCT writer) FROM semscale_claims"
CLAIMS = "SELECT count(*) FROM semscale_claims"


def wait_until(condition):
    until = time.monotonic() + 120
    while not condition():
        if time.monotonic() > until:
            pytest.fail("it did not happen within two minutes")
        time.sleep(0.05)


@pytest.fixture
def silent_to(endpoint):
    """Make the endpoint answer some calls of a process and keep silent about all others, which it returns."""
    usual, lock, hanging, answered = endpoint.plan_for, threading.Lock(), [], []

    def plan_for(asked, headers, path):
        plan = usual(asked, headers, path)
        if headers["authorization"] != "Bearer key-of-killed":
            return plan
        with lock:
            calls = answered if len(answered) < ANSWERED else hanging
            calls.append(asked["messages"][-1]["content"])
        return hang if calls is hanging else plan

    def hang(_asked, _headers):
        endpoint.go.wait(300)
        return 500, {}

    endpoint.plan_for = plan_for
    return hanging


@pytest.mark.exhaustive
def test_only_the_calls_of_a_killed_process_are_asked_again(endpoint, new_database, silent_to):
    from tests.support.ledger_server import on_database

    address, names = new_database(), ("killed", *map(str, range(SURVIVORS)))
    works = [(ask, endpoint.url, address, name, PROMPTS, CONCURRENCY) for name in names]
    with machines(*works) as (killed, *survivors):
        killed.begin()
        wait_until(lambda: len(silent_to) == CONCURRENCY)
        for other in survivors:
            other.begin()
        wait_until(lambda: set(endpoint.prompts) == set(PROMPTS))
        wait_until(lambda: on_database(address, CLAIMS) == CONCURRENCY)  # the killed one's alone
        # Seven wait for the replies of one; nobody has asked anything twice.
        assert all(other.process.is_alive() for other in survivors)
        assert sorted(endpoint.prompts) == sorted(PROMPTS)

        os.kill(killed.process.pid, signal.SIGKILL)
        killed.process.join()
        assert on_database(address, HOLDERS) == 1
        # The server's clock need not be waited for: the lease of the only one with claims ends now.
        on_database(
            address,
            "UPDATE semscale_writers SET until = 0 WHERE id IN (SELECT writer FROM semscale_claims)",
        )
        result = [other.result() for other in survivors]
    endpoint.go.set()
    assert [outcome[:2] for outcome in result] == [(COUNT, 0)] * SURVIVORS
    asked = Counter(endpoint.prompts)
    assert {prompt for prompt, n in asked.items() if n > 1} == set(silent_to)
    assert sum(asked.values()) == COUNT + CONCURRENCY
    assert sum(calls for _, _, calls in result) == COUNT - ANSWERED
    assert on_database(address, CLAIMS) == 0
    assert on_database(address, "SELECT count(*) FROM semscale_attempts") == COUNT
    assert on_database(address, "SELECT count(DISTINCT key) FROM semscale_attempts") == COUNT
