"""Prices that the user can edit."""

import pytest

from semscale.chat.budget import Price, PriceTable
from semscale.chat.messages import Usage
from semscale.errors import InputError

TABLE = """
currency: EUR
per_tokens: 1000
models:
  m: {prompt: 10, completion: 20}
  "n-*": {prompt: 0.5, completion: 1}
  SmolLM2-135M-Instruct: {prompt: 1, completion: 0}
"""


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
    from semscale.chat import budget

    monkeypatch.setattr(budget, "user_table", lambda: tmp_path / "mine.yaml")
    assert PriceTable.load().find("m") is None
    (tmp_path / "mine.yaml").write_text(TABLE)
    assert PriceTable.load().find("m") is not None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("models: [", "line 1: not readable as YAML"),
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
