"""Calls of a study before anything is sent."""

import pytest

from semscale.chat.budget import Forecast
from semscale.chat.ledger import Ledger
from semscale.chat.messages import Usage
from semscale.chat.runner import Running
from semscale.chat.settings import Budget
from semscale.study.forecasts import personas_within


@pytest.fixture
def ledger(running):
    with Ledger(running.ledger) as outcome:
        yield outcome


def test_every_reply_that_may_come_is_counted(written, played, ledger):
    outcome = written().forecast(played, ledger=ledger)
    # 3 personas x 2 concepts x (words, rating, number).
    assert (outcome.calls, outcome.answered, played.asked) == (18, 0, [])
    # Replies are cut at 40 tokens.
    assert outcome.most.completion_tokens == 18 * 40


def test_replies_in_the_ledger_cost_nothing(written, played, ledger, toy_embedder):
    study = written()
    study.run(played, embedder=toy_embedder, running=Running(ledger=ledger))
    outcome = study.forecast(played, ledger=ledger)
    # The six equal words have one rating; its five repetitions are no calls.
    assert (outcome.calls, outcome.answered, outcome.repeated) == (0, 13, 5)


def test_a_sequence_grows_with_its_replies(written, played, ledger):
    separate = written().forecast(played, ledger=ledger)
    longer = written(("groups: [age]", "exposure: sequence")).forecast(played, ledger=ledger)
    assert longer.calls == separate.calls
    assert longer.most.prompt_tokens > separate.most.prompt_tokens


@pytest.mark.parametrize(
    ("budget", "n"),
    [
        (Budget(), 10),
        (Budget(calls=40), 10),
        (Budget(calls=39), 9),
        (Budget(calls=0), 0),
        # The tightest cap decides: 100 of 800 tokens are an eighth.
        (Budget(calls=20, tokens=100), 1),
        # 3 of 4 EUR.
        (Budget(money=3.0), 7),
    ],
)
def test_the_tightest_cap_says_how_many_personas_it_allows(budget, n):
    whole = Forecast(40, 0, 0, 40, Usage(400, 400), 0, 4.0, "EUR", "")
    assert personas_within(whole, budget, 10) == n


def test_all_personas_are_within_a_budget_where_all_was_answered_before():
    assert personas_within(Forecast(40, 40, 0, 0, Usage(0, 0), 0, 0.0, "", ""), Budget(calls=0), 10) == 10
