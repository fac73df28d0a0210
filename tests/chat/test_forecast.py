"""What a run would take, and prices that the user can edit."""

import asyncio

import pytest

from semscale.chat import Request
from semscale.chat.budget import Budget
from semscale.chat.forecast import forecast
from semscale.chat.ledger.ledger import Ledger
from semscale.chat.prices import Price, PriceTable
from semscale.chat.replies import Usage
from semscale.chat.runner import Runner
from semscale.errors import InputError

pytestmark = pytest.mark.needs("api")

TABLE = """
currency: EUR
per_tokens: 1000
models:
  m: {prompt: 10, completion: 20}
  "n-*": {prompt: 0.5, completion: 1}
  SmolLM2-135M-Instruct: {prompt: 1, completion: 0}
"""


def test_a_forecast_counts_what_is_new(endpoint, tmp_path):
    model = endpoint.model()
    requests = [Request.of(f"question {number}", max_tokens=5) for number in range(4)]
    Runner(model, ledger=tmp_path / "l").run(requests[:1])
    prices = PriceTable({"m": Price(0.01, 0.1, "EUR")})
    with Ledger(tmp_path / "l") as ledger:
        plan = asyncio.run(forecast([*requests, requests[1]], model, prices=prices, ledger=ledger))
    assert (plan.requests, plan.answered, plan.repeated, plan.calls) == (5, 1, 1, 3)
    # A question has 10 bytes, which make 4 tokens, and 8 for the message: 12 each, and 5 for the reply.
    assert plan.most == Usage(36, 15)
    assert plan.money == pytest.approx(0.36 + 1.5)
    assert plan.currency == "EUR"
    assert plan.beyond(Budget(calls=2, tokens=51, money=1.0)) == [
        "3 calls, of 2 allowed",
        "1.86 money, of 1 allowed",
    ]
    assert len(endpoint.requests) == 1


def test_an_unknown_price_is_said_and_not_zero(endpoint):
    plan = asyncio.run(forecast([Request.of("a")], endpoint.model()))
    assert plan.money is None
    assert plan.price_note.startswith("the price of m is not known; add it to ")
    assert plan.open_ended == 1


def test_a_table_of_the_users_own(tmp_path, monkeypatch):
    (tmp_path / "prices.yaml").write_text(TABLE)
    monkeypatch.setenv("SEMSCALE_PRICES", str(tmp_path / "prices.yaml"))
    table = PriceTable.load()
    assert table.find("m").of(Usage(100, 10)) == pytest.approx(1.0 + 0.2)
    assert table.find("n-2026") == Price(0.0005, 0.001, "EUR")
    assert table.find("other") is None
    assert table.find("SmolLM2-135M-Instruct").of(Usage(100, 10)) == pytest.approx(0.1)
    monkeypatch.delenv("SEMSCALE_PRICES")
    assert PriceTable.load().find("SmolLM2-135M-Instruct").of(Usage(100, 10)) == 0


def test_the_users_folder_for_settings_is_looked_at(tmp_path, monkeypatch):
    from semscale.chat import prices

    monkeypatch.setattr(prices, "user_table", lambda: tmp_path / "mine.yaml")
    assert PriceTable.load().find("m") is None
    (tmp_path / "mine.yaml").write_text(TABLE)
    assert PriceTable.load().find("m") is not None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("models: [", "must be YAML"),
        ("prices: {}", "must be YAML"),
        ("models: {m: 3}", "must be YAML"),
        ("models: {m: {prompt: cheap, completion: 1}}", "must be YAML"),
        ("models: {m: {prompt: -1, completion: 1}}", "must be >= 0"),
        ("models: {m: {prompt: .nan, completion: 1}}", "must be >= 0"),
    ],
)
def test_a_table_that_is_none(tmp_path, text, words):
    (tmp_path / "prices.yaml").write_text(text)
    with pytest.raises(InputError, match=words):
        PriceTable.load(tmp_path / "prices.yaml")


def test_a_table_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="cannot be read: No such file"):
        PriceTable.load(tmp_path / "prices.yaml")
