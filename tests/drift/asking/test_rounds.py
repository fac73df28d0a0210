"""Rounds of asking: one that was stopped goes on, and the next one has new replies."""

import asyncio

import pytest

from semscale.chat.ledger import Ledger
from semscale.drift.asking.rounds import close_round, open_round

KEYS = [b"one", b"other"]


@pytest.fixture
def ledger(tmp_path):
    with Ledger(tmp_path / "ledger.sqlite") as found:
        yield found


def opened(ledger, keys=KEYS):
    return asyncio.run(open_round(ledger, keys))


def test_a_round_stays_open_until_it_is_closed(ledger):
    first = opened(ledger)
    assert opened(ledger, KEYS[::-1]) == first
    asyncio.run(close_round(ledger, first))
    second = opened(ledger)
    assert second.first_sample != first.first_sample
    asyncio.run(close_round(ledger, second))
    assert opened(ledger).first_sample not in {first.first_sample, second.first_sample}


def test_other_questions_have_rounds_of_their_own(ledger):
    first, other = opened(ledger), opened(ledger, [b"one"])
    assert first.first_sample != other.first_sample
    asyncio.run(close_round(ledger, first))
    assert opened(ledger, [b"one"]) == other


def test_samples_are_numbered_from_the_first_one_on(ledger):
    first = opened(ledger)
    assert list(first.samples(2)) == [first.first_sample, first.first_sample + 1]
    assert 0 <= first.first_sample < 2**30
