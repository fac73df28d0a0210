"""Only texts and times that every database stores are let through."""

from datetime import UTC, datetime

import pytest

from semscale.errors import InputError
from semscale.history.column_values import aware, plain


def test_texts_that_databases_store():
    texts = {"note": "naïve 😀\n", "rerun_of": None}
    assert plain(**texts) == texts


@pytest.mark.parametrize("text", ["a\0b", "half \ud83d"])
def test_texts_that_databases_refuse(text):
    with pytest.raises(InputError, match="note must be text that a database can keep"):
        plain(note=text)


def test_times_need_a_time_zone():
    moment = datetime(2026, 3, 1, tzinfo=UTC)
    assert aware("recorded", moment) is moment
    with pytest.raises(InputError, match="recorded must have a time zone, got 2026-03-01T00:00:00"):
        aware("recorded", datetime(2026, 3, 1))  # noqa: DTZ001 - what is refused
