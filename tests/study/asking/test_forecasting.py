"""Calls of a study before anything is sent."""

import pytest

from semscale.chat.ledger.ledger import Ledger
from semscale.judging.asking import Running


@pytest.fixture
def ledger(running):
    with Ledger(running.ledger) as found:
        yield found


def test_every_reply_that_may_come_is_counted(written, played, ledger):
    found = written().forecast(played, ledger=ledger)
    # 3 personas x 2 concepts x (words, rating, number).
    assert (found.calls, found.answered, played.asked) == (18, 0, [])
    # Replies are cut at 40 tokens.
    assert found.most.completion_tokens == 18 * 40


def test_replies_in_the_ledger_cost_nothing(written, played, ledger, toy_embedder):
    study = written()
    study.run(played, embedder=toy_embedder, running=Running(ledger=ledger))
    found = study.forecast(played, ledger=ledger)
    # The six equal words have one rating; its five repetitions are no calls.
    assert (found.calls, found.answered, found.repeated) == (0, 13, 5)


def test_a_sequence_grows_with_its_replies(written, played, ledger):
    separate = written().forecast(played, ledger=ledger)
    longer = written(("groups: [age]", "exposure: sequence")).forecast(played, ledger=ledger)
    assert longer.calls == separate.calls
    assert longer.most.prompt_tokens > separate.most.prompt_tokens
