"""Keys are removed from messages and replies in every spelling."""

import json
from urllib.parse import quote

import pytest

from semscale.chat.endpoint import Scrubber, environment_secrets

KEY = 'sk-"ü/0123456789\\'


@pytest.mark.parametrize(
    "spelled", [KEY, json.dumps(KEY), json.dumps(KEY, ensure_ascii=False), repr(KEY), quote(KEY, safe="")]
)
def test_a_key_is_found_however_it_is_spelled(spelled):
    scrubber = Scrubber([KEY])
    for clean in (scrubber.line(f"Bearer {spelled} is wrong"), scrubber.reply(f"Bearer {spelled} is wrong")):
        assert "0123456789" not in clean
        assert "[key]" in clean


def test_a_longer_key_is_removed_before_its_beginning():
    assert Scrubber(["secret-one", "secret-one-and-more"]).line("secret-one-and-more") == "[key]"


def test_short_keys_stay_in_replies_but_not_in_messages():
    scrubber = Scrubber(["EMPTY", "abc"])
    assert scrubber.reply("the EMPTY set, abc") == "the EMPTY set, abc"
    # Fewer than four characters are no secret at all.
    assert scrubber.line("the EMPTY set, abc") == "the [key] set, abc"


def test_a_message_becomes_one_short_line():
    assert Scrubber([]).line("a\n  b\tc") == "a b c"
    assert Scrubber([]).line("x" * 20, longest=10) == "xxxxxxx..."


def test_a_scrubber_shows_no_secret():
    assert repr(Scrubber([KEY])) == "Scrubber()"


def test_variables_named_like_keys_are_secrets(monkeypatch):
    monkeypatch.setenv("MY_API_KEY", "one-of-them")
    monkeypatch.setenv("my_token", "another")
    monkeypatch.setenv("MY_NAME", "not this")
    found = environment_secrets()
    assert {"one-of-them", "another"} <= set(found)
    assert "not this" not in found
